"""A configuration: what a sweep runs, by which rules, and what others have published about it."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from .expected import Expected
from .options import Options

# Which runs check their answers against a serial oracle: all, those of the first repeat, or none.
ALWAYS, ONCE, NEVER = "always", "once", "never"
# What lines may be drawn over, beside the name of an option.
EDGES, OVERSUBSCRIPTION = "edges", "oversubscription"
FIGURES = ("bars", "lines", "roofline", "requests")


@dataclass(frozen=True)
class GraphSpec:
    """A graph: what graphrun takes (a file or a generator), or the name of a data set that was fetched."""

    name: str
    source: str
    is_dataset: bool = False
    container: bool = False  # converted to a .grf file before the first run
    container_options: Options = field(default_factory=dict)
    options: Options = field(default_factory=dict)
    options_for: dict[str, Options] = field(default_factory=dict)


@dataclass(frozen=True)
class AlgorithmSpec:
    name: str
    algo: str
    options: Options
    trials: int | None  # None: the sweep's


@dataclass(frozen=True)
class SystemSpec:
    """One of the systems under comparison: a backend with its options."""

    name: str
    backend: str
    options: Options
    options_for: dict[str, Options] = field(default_factory=dict)


@dataclass(frozen=True)
class ProgramSpec:
    """A program that prints one JSON object a line and compares nothing by itself."""

    name: str
    command: tuple[str, ...]
    graph: str | None


@dataclass(frozen=True)
class Skip:
    """A combination that is left out, and why. An empty field stands for all."""

    graph: str
    algorithm: str
    system: str
    reason: str

    def covers(self, graph: str, algorithm: str, system: str) -> bool:
        asked = ((self.graph, graph), (self.algorithm, algorithm), (self.system, system))
        return all(mine in ("", theirs) for mine, theirs in asked)


@dataclass(frozen=True)
class FigureSpec:
    kind: str
    measure: str
    over: str  # of lines: "edges", or the name of an option


@dataclass(frozen=True)
class Config:
    name: str
    title: str
    about: str
    rules: tuple[tuple[str, str], ...]
    graphs: tuple[GraphSpec, ...]
    algorithms: tuple[AlgorithmSpec, ...]
    systems: tuple[SystemSpec, ...]
    programs: tuple[ProgramSpec, ...]
    skips: tuple[Skip, ...]
    options: Options
    repeats: int
    trials: int
    warm: bool
    verify: str  # ALWAYS, ONCE or NEVER
    time_limit_s: float
    memory_limit: str | None
    baseline: str | None
    columns: tuple[str, ...]
    figures: tuple[FigureSpec, ...]
    bandwidth: tuple[dict[str, Any], ...]
    expected: tuple[Expected, ...]
    raw: dict[str, Any]

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.raw, sort_keys=True).encode()).hexdigest()[:16]
