# SPDX-License-Identifier: Apache-2.0
"""A configuration (docs/sweeps.md): the runs of a sweep, its rules, and published results. Errors name their place."""

import dataclasses
import hashlib
import itertools
import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Sequence

from .config_schema import ALWAYS, EDGES, EXPECTED_NUMBERS, FIGURES, NEVER, ONCE, OTHER, OVERSUBSCRIPTION, PARTS
from .config_schema import BANDWIDTH_UNITS, CONFIG, WHO, measure_of
from .errors import UsageError
from .measures import MEASURES, SPEED_UP
from .options import Options, algorithm_among, algorithm_of
from .overrides import override
from .schema import TEXT, check, load_object, plain, spell, suggestion

# Bounds the plan, which is a list in memory.
MOST_RUNS = 100_000
_VERIFY = {True: ALWAYS, False: NEVER, ONCE: ONCE}
_AS_GIVEN = ("name", "options", "repeats", "trials", "warm", "time_limit_s", "memory_limit", "baseline")


@dataclass(frozen=True)
class GraphSpec:
    """A graph: graphrun's argument (a file or a generator), or the name of a fetched data set."""

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
    """A program that prints one JSON object a line and does its own comparisons."""

    name: str
    program: list[str]
    graph: str | None = None


@dataclass(frozen=True)
class Skip:
    """A combination to skip, and why. An empty field stands for all."""

    reason: str
    graph: str = ""
    algorithm: str = ""
    system: str = ""

    def covers(self, graph: str, algorithm: str, system: str) -> bool:
        asked = ((self.graph, graph), (self.algorithm, algorithm), (self.system, system))
        return all(mine in ("", theirs) for mine, theirs in asked)


@dataclass(frozen=True)
class Expected:
    """A published number. Empty names of graph, algorithm or system stand for all: ours is then the mean over them."""

    what: str
    value: float
    source: str
    hardware: str
    unit: str = ""
    measure: str = OTHER
    graph: str = ""
    algorithm: str = ""
    system: str = ""
    over: str = ""  # of a speed-up: the system that is 1

    def covers(self, graph: str, algorithm: str, system: str) -> bool:
        asked = ((self.graph, graph), (self.algorithm, algorithm))
        return self.system == system and all(mine in ("", theirs) for mine, theirs in asked)


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
    def all_options(self) -> Iterator[tuple[str, Options]]:
        """Yields options with their place in the configuration."""
        yield "options", self.options
        for kind in PARTS:
            for part in getattr(self, kind):
                place = f"{kind[:-1]} '{part.name}'"
                yield place, part.options
                yield from ((f"{place}, {algo}", more) for algo, more in getattr(part, "options_for", {}).items())

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.raw, sort_keys=True).encode()).hexdigest()[:16]


def read_config(path: Path, settings: Sequence[str] = ()) -> Config:
    """Returns the configuration in a file, changed by the command line's settings. Raises UsageError with the place and a
    suggestion for an error in it."""
    raw = load_object(path)
    if "base" in raw:
        base = raw.pop("base")
        check(base, TEXT, f"{path}: 'base'")
        common = load_object(path.parent / base)
        if "base" in common:
            raise UsageError(f"{path}: its base {base} has a 'base' itself; one is as far as that goes")
        raw = {**common, **raw}
    check(raw, CONFIG, str(path))
    return parse_config(override(raw, settings), str(path))


def parse_config(raw: dict[str, Any], where: str) -> Config:
    """Returns a configuration. Raises UsageError, as read_config() does."""
    check(raw, CONFIG, where)
    about = raw.get("about", "")
    config = Config(
        title=raw.get("title", raw["name"]),
        about=about if isinstance(about, str) else " ".join(about),
        rules=tuple((item["rule"], item["source"]) for item in raw.get("rules", [])),
        graphs=tuple(_read_graph(item) for item in _objects(raw, "graphs", "graph")),
        algorithms=tuple(_read_algorithm(item) for item in _objects(raw, "algorithms", "algo")),
        systems=tuple(
            system for item in _objects(raw, "systems", "backend") for system in _read_system(item, raw.get("vary", {}))
        ),
        programs=tuple(ProgramSpec(**item) for item in raw.get("programs", [])),
        skips=tuple(Skip(**item) for item in raw.get("skip", [])),
        columns=tuple(spell(name, MEASURES) for name in raw.get("columns", [])),
        figures=tuple(_read_figure(item) for item in raw.get("figures", [])),
        bandwidth=tuple(
            {**item, "unit": spell(item.get("unit", BANDWIDTH_UNITS[0]), BANDWIDTH_UNITS)} for item in raw.get("bandwidth", [])
        ),
        expected=_read_expected(raw.get("expected", []), f"{where}, expected"),
        verify=_VERIFY[raw.get("verify", True)],
        raw=raw,
        **{name: raw[name] for name in _AS_GIVEN if name in raw},
    )
    # Canonical names of the configuration's algorithms, for other spellings; an empty name stands for all.
    names = [algorithm.name for algorithm in config.algorithms]
    skips, expected = (
        tuple(dataclasses.replace(item, algorithm=algorithm_among(names, item.algorithm)) for item in items)
        for items in (config.skips, config.expected)
    )
    config = dataclasses.replace(config, skips=skips, expected=expected)
    only = dict(raw.get("only", {}))
    if "algorithms" in only:
        only["algorithms"] = [algorithm_among(names, text) for text in only["algorithms"]]
    _check(config, only, where)
    return _keep_only(config, only)


def _objects(raw: dict[str, Any], part: str, field: str) -> Iterator[dict[str, Any]]:
    """Yields objects, with a text expanded to the field that it stands for, and graphrun's names of algorithms."""
    for item in raw.get(part, []):
        item = {field: item} if isinstance(item, str) else dict(item)
        if "options_for" in item:
            item["options_for"] = {algorithm_of(name): options for name, options in item["options_for"].items()}
        yield item


def _read_graph(item: dict[str, Any]) -> GraphSpec:
    is_dataset = "dataset" in item
    source = item.pop("dataset" if is_dataset else "graph")
    return GraphSpec(**{"name": source, **item}, source=source, is_dataset=is_dataset)


def _read_algorithm(item: dict[str, Any]) -> AlgorithmSpec:
    algo = algorithm_of(item["algo"])
    return AlgorithmSpec(**{"name": algo, **item, "algo": algo})


def _read_system(item: dict[str, Any], common_vary: dict[str, list[Any]]) -> Iterator[SystemSpec]:
    """Yields a system for every combination of values of the options that vary."""
    backend = plain(item.get("backend", "auto"))  # by graphrun's spelling
    vary = {**common_vary, **item.get("vary", {})}
    for values in itertools.product(*vary.values()):
        label = ", ".join([item.get("name", backend), *(f"{key} {value}" for key, value in zip(vary, values))])
        yield SystemSpec(label, backend, {**item.get("options", {}), **dict(zip(vary, values))}, item.get("options_for", {}))


def _read_figure(item: dict[str, Any]) -> FigureSpec:
    measure = spell(item.get("measure", "time"), (*MEASURES, SPEED_UP))
    return FigureSpec(**{**item, "kind": spell(item["kind"], FIGURES), "measure": measure})


def _read_expected(value: Any, where: str) -> tuple[Expected, ...]:
    """Returns the numbers of an EXPECTED value. Raises UsageError when one conflicts with the common fields."""
    if isinstance(value, dict):
        common = {name: value[name] for name in WHO if name in value}
        value = [{**common, **item} for item in value["numbers"]]
    check(value, EXPECTED_NUMBERS, where)
    return tuple(Expected(**item | {"measure": measure_of(item)}) for item in value)


def _keep_only(config: Config, only: dict[str, list[str]]) -> Config:
    """Returns the configuration without the other parts, and statements about only these. Keeps published numbers, which then
    stand alone."""
    kept = {kind: tuple(item for item in getattr(config, kind) if item.name in names) for kind, names in only.items()}
    config = dataclasses.replace(config, **kept)
    graphs = [graph.name for graph in config.graphs]
    systems = [system.name for system in config.systems]
    programs = tuple(program for program in config.programs if program.graph in (None, *graphs))
    names = [program.name for program in programs]
    bandwidth = tuple(
        {**link, "systems": [name for name in link["systems"] if name in systems]}
        for link in config.bandwidth
        if link["program"] in names
    )
    baseline = config.baseline if config.baseline in systems else None
    return dataclasses.replace(config, programs=programs, baseline=baseline, bandwidth=bandwidth)


def _check(config: Config, only: dict[str, list[str]], where: str) -> None:
    """Checks the configuration as a whole, with parts that are not among `only`: references to existing names, and a feasible
    size."""
    known = {kind: [item.name for item in getattr(config, kind)] for kind in (*PARTS, "programs")}
    for kind, names in known.items():
        name, count = next(iter(Counter(names).most_common(1)), ("", 0))
        if count > 1:
            raise UsageError(f"{where}: two of {kind} are named '{name}'")
    parts = [bool(known[kind]) for kind in PARTS]
    if not all(parts) and not (config.programs and not any(parts[1:])):
        raise UsageError(f"{where}: 'graphs', 'algorithms' and 'systems' are needed, or 'programs'")
    runs = config.repeats * (len(config.programs) + math.prod(len(known[kind]) for kind in PARTS))
    if runs > MOST_RUNS:
        raise UsageError(f"{where}: these are {runs:,} runs, and a sweep has at most {MOST_RUNS:,}")
    for what, kind, name in _references(config, only):  # an empty name stands for all, and None for nothing
        if name and name not in known[kind]:
            meant = suggestion(name, known[kind]) or f": {', '.join(known[kind]) or 'there are none'}"
            raise UsageError(f"{where}: {what} names '{name}', which is not among {kind}{meant}")
    # A line is drawn over an option that varies, so one that nothing gives is a mistake.
    given = [EDGES, OVERSUBSCRIPTION, *{name for _, options in config.all_options for name in options}]
    for figure in config.figures:
        if figure.kind == "lines" and figure.over not in given:
            sentence = f"{where}: a figure is 'over' {figure.over}, and no option of that name is given"
            raise UsageError(sentence + suggestion(figure.over, given))


def _references(config: Config, only: dict[str, list[str]]) -> Iterator[tuple[str, str, str | None]]:
    """Yields the place of each reference, the kind of its target, and the name."""
    yield "'baseline'", "systems", config.baseline
    yield from ((f"'only' (or --set {kind})", kind, name) for kind, names in only.items() for name in names)
    for skip in config.skips:
        yield from (("a 'skip'", kind, name) for kind, name in zip(PARTS, (skip.graph, skip.algorithm, skip.system)))
    yield from ((f"program '{program.name}'", "graphs", program.graph) for program in config.programs)
    for link in config.bandwidth:
        yield "'bandwidth'", "programs", link["program"]
        yield from (("'bandwidth'", "systems", system) for system in link["systems"])
    for item in config.expected:
        names = (item.graph, item.algorithm, item.system, item.over)
        yield from ((f"'{item.what}' of 'expected'", kind, name) for kind, name in zip((*PARTS, "systems"), names))
