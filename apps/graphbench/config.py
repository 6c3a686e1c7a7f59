"""A configuration: what a sweep runs, by which rules, and what others have published about it."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from .expected import Expected
from .options import Options

# Which runs verify their answers: all, those of the first repeat, or none.
ALWAYS, ONCE, NEVER = "always", "once", "never"
# What lines may be drawn over, beside the name of an option.
EDGES, OVERSUBSCRIPTION = "edges", "oversubscription"
FIGURES = ("bars", "lines", "roofline", "requests")
PARTS = ("graphs", "algorithms", "systems")


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
    options: Options = field(default_factory=dict)
    trials: int | None = None  # None: the sweep's


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
    graph: str | None = None


@dataclass(frozen=True)
class Skip:
    """A combination that is left out, and why. An empty field stands for all."""

    reason: str
    graph: str = ""
    algorithm: str = ""
    system: str = ""

    def covers(self, graph: str, algorithm: str, system: str) -> bool:
        asked = ((self.graph, graph), (self.algorithm, algorithm), (self.system, system))
        return all(mine in ("", theirs) for mine, theirs in asked)


@dataclass(frozen=True)
class FigureSpec:
    kind: str
    measure: str = "time"
    over: str = EDGES  # of lines: that, or the name of an option


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
    columns: tuple[str, ...]
    figures: tuple[FigureSpec, ...]
    bandwidth: tuple[dict[str, Any], ...]
    expected: tuple[Expected, ...]
    verify: str  # ALWAYS, ONCE or NEVER
    raw: dict[str, Any]
    options: Options = field(default_factory=dict)
    repeats: int = 3
    trials: int = 1
    warm: bool = False
    time_limit_s: float = 600
    memory_limit: str | None = None
    baseline: str | None = None

    @property
    def all_options(self) -> list[tuple[str, Options]]:
        """With the place that gives them."""
        found = [("options", self.options)]
        found += [(f"algorithm '{algorithm.name}'", algorithm.options) for algorithm in self.algorithms]
        named: list[tuple[str, GraphSpec | SystemSpec]] = [(f"graph '{graph.name}'", graph) for graph in self.graphs]
        named += [(f"system '{system.name}'", system) for system in self.systems]
        for place, part in named:
            found += [(place, part.options), *((f"{place}, {algo}", more) for algo, more in part.options_for.items())]
        return found

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.raw, sort_keys=True).encode()).hexdigest()[:16]
