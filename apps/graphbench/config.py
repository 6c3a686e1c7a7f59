"""A configuration: what a sweep runs, by which rules, and what others have published about it (docs/sweeps.md)."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable

from .errors import UsageError
from .expected import Expected, read_all_expected
from .options import ALGORITHMS, Options, product, read_options, read_options_for, read_vary
from .schema import Fields, load_object, suggestion

FIGURES = ("bars", "lines", "roofline")
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
    """One of the systems under comparison: a backend with its options. Its program is graphrun, or a neighbour such as graphrun64."""

    name: str
    program: str
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
    verify: bool
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


def read_config(path: Path) -> Config:
    """The configuration in a file. Raises UsageError with the place and a suggestion when something is wrong with it."""
    raw = load_object(path)
    if "base" in raw:
        base = Fields(str(path), raw).text("base")
        raw = {**load_object(path.parent / base), **{name: value for name, value in raw.items() if name != "base"}}
    return parse_config(raw, str(path))


def parse_config(raw: dict[str, Any], where: str) -> Config:
    fields = Fields(where, raw)
    name = fields.text("name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise fields.fail("'name' becomes the name of a folder: letters, digits, '.', '_' and '-' only")
    common_vary = read_vary(fields)
    config = Config(
        name=name,
        title=fields.text("title", name),
        about=_read_about(fields),
        rules=tuple(_read_rule(f"{where}, rule {i + 1}", item) for i, item in enumerate(fields.list("rules", []))),
        graphs=tuple(_read_graph(f"{where}, graph {i + 1}", item) for i, item in enumerate(fields.list("graphs", []))),
        algorithms=tuple(_read_algorithm(f"{where}, algorithm {i + 1}", a) for i, a in enumerate(fields.list("algorithms", []))),
        systems=tuple(
            system
            for i, item in enumerate(fields.list("systems", []))
            for system in _read_system(f"{where}, system {i + 1}", item, common_vary)
        ),
        programs=tuple(_read_program(f"{where}, program {i + 1}", item) for i, item in enumerate(fields.list("programs", []))),
        skips=tuple(_read_skip(f"{where}, skip {i + 1}", item) for i, item in enumerate(fields.list("skip", []))),
        options=read_options(fields, "options"),
        repeats=fields.whole("repeats", 1, 3),
        trials=fields.whole("trials", 1, 1),
        warm=fields.flag("warm", False),
        verify=fields.flag("verify", True),
        time_limit_s=_read_time_limit(fields),
        memory_limit=fields.text("memory_limit", None),
        baseline=fields.text("baseline", None),
        columns=tuple(fields.texts("columns", [])),
        figures=tuple(_read_figure(f"{where}, figure {i + 1}", item) for i, item in enumerate(fields.list("figures", []))),
        bandwidth=tuple(_read_bandwidth(f"{where}, bandwidth {i + 1}", b) for i, b in enumerate(fields.list("bandwidth", []))),
        expected=read_all_expected(f"{where}, expected", fields.any("expected", [])),
        raw=raw,
    )
    fields.done()
    _check_names(config, where)
    return config


def _check_names(config: Config, where: str) -> None:
    known: dict[str, list[str]] = {}
    for kind in ("graphs", "algorithms", "systems", "programs"):
        names = [item.name for item in getattr(config, kind)]
        known[kind] = names
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"{where}: two of {kind} are named '{name}'")
    parts = [bool(known[kind]) for kind in ("graphs", "algorithms", "systems")]
    if not all(parts) and not (config.programs and not any(parts[1:])):
        raise UsageError(f"{where}: 'graphs', 'algorithms' and 'systems' are needed, or 'programs'")

    def check(name: str | None, kind: str, what: str) -> None:
        if name and name not in known[kind]:
            raise UsageError(f"{where}: {what} names '{name}', which is not among {kind}{suggestion(name, known[kind])}")

    check(config.baseline, "systems", "'baseline'")
    for skip in config.skips:
        for name, kind in ((skip.graph, "graphs"), (skip.algorithm, "algorithms"), (skip.system, "systems")):
            check(name, kind, "a 'skip'")
    for program in config.programs:
        check(program.graph, "graphs", f"program '{program.name}'")
    for link in config.bandwidth:
        check(link["program"], "programs", "'bandwidth'")
        for system in link["systems"]:
            check(system, "systems", "'bandwidth'")
    for item in config.expected:
        for name, kind in ((item.graph, "graphs"), (item.algorithm, "algorithms"), (item.system, "systems"), (item.over, "systems")):
            check(name, kind, f"'{item.what}' of 'expected'")


def _read_about(fields: Fields) -> str:
    about = fields.any("about", "")
    if isinstance(about, list) and all(isinstance(line, str) for line in about):
        return " ".join(about)
    if not isinstance(about, str):
        raise fields.fail("'about' must be a text or a list of texts")
    return about


def _read_rule(where: str, item: Any) -> tuple[str, str]:
    fields = Fields(where, item)
    rule = (fields.text("rule"), fields.text("source"))
    fields.done()
    return rule


def _read_graph(where: str, item: Any) -> GraphSpec:
    if isinstance(item, str):
        return GraphSpec(item, item)
    fields = Fields(where, item)
    is_dataset = "dataset" in fields
    source = fields.text("dataset" if is_dataset else "graph")
    graph = GraphSpec(
        name=fields.text("name", source),
        source=source,
        is_dataset=is_dataset,
        container=fields.flag("container", False),
        container_options=read_options(fields, "container_options"),
        options=read_options(fields, "options"),
        options_for=read_options_for(fields),
    )
    fields.done()
    return graph


def _read_algorithm(where: str, item: Any) -> AlgorithmSpec:
    fields = Fields(where, {"algo": item} if isinstance(item, str) else item)
    algo = fields.choice("algo", ALGORITHMS)
    algorithm = AlgorithmSpec(fields.text("name", algo), algo, read_options(fields, "options"), fields.whole("trials", 1, None))
    fields.done()
    return algorithm


def _read_system(where: str, item: Any, common_vary: dict[str, list[Any]]) -> Iterable[SystemSpec]:
    fields = Fields(where, {"backend": item} if isinstance(item, str) else item)
    backend = fields.text("backend")
    program = fields.text("program", "graphrun")
    name = fields.text("name", backend)
    options = read_options(fields, "options")
    options_for = read_options_for(fields)
    vary = {**common_vary, **read_vary(fields)}
    fields.done()
    for values in product(vary):
        label = ", ".join([name, *(f"{key} {value}" for key, value in values.items())])
        yield SystemSpec(label, program, backend, {**options, **values}, options_for)


def _read_program(where: str, item: Any) -> ProgramSpec:
    fields = Fields(where, item)
    program = ProgramSpec(fields.text("name"), tuple(fields.texts("program")), fields.text("graph", None))
    fields.done()
    if any("{graph}" in word for word in program.command) and program.graph is None:
        raise fields.fail("its command has a place for {graph}, and 'graph' says none")
    return program


def _read_skip(where: str, item: Any) -> Skip:
    fields = Fields(where, item)
    skip = Skip(fields.text("graph", ""), fields.text("algorithm", ""), fields.text("system", ""), fields.text("reason"))
    fields.done()
    return skip


def _read_figure(where: str, item: Any) -> FigureSpec:
    fields = Fields(where, item)
    figure = FigureSpec(fields.choice("kind", FIGURES), fields.text("measure", "time"), fields.text("over", "edges"))
    fields.done()
    return figure


def _read_bandwidth(where: str, item: Any) -> dict[str, Any]:
    fields = Fields(where, item)
    link = {"program": fields.text("program"), "field": fields.text("field"), "systems": fields.texts("systems"),
            "unit": fields.choice("unit", ("B/s", "GB/s"), "B/s")}
    fields.done()
    return link


def _read_time_limit(fields: Fields) -> float:
    limit = fields.number("time_limit_s", 600)
    if not 0 < limit <= 7 * 86400:
        raise fields.fail("'time_limit_s' must lie above 0 and be at most a week")
    return float(limit)
