"""Reading of configurations (docs/sweeps.md); what is wrong with one is said with its place."""

import dataclasses
import re
from pathlib import Path
from typing import Any, Iterable, Sequence

from .config import (
    ALWAYS,
    EDGES,
    FIGURES,
    NEVER,
    ONCE,
    AlgorithmSpec,
    Config,
    FigureSpec,
    GraphSpec,
    ProgramSpec,
    Skip,
    SystemSpec,
)
from .config_checks import check_config
from .errors import UsageError
from .expected import read_all_expected
from .options import ALGORITHMS, product, read_options, read_options_for, read_vary
from .overrides import override
from .schema import Fields, load_object
from .sizes import format_bytes, parse_bytes

_LEAST_MEMORY_BYTES = 1 << 20


def read_config(path: Path, settings: Sequence[str] = ()) -> Config:
    """The configuration in a file, with what the command line sets of it. Raises UsageError with the place and a suggestion when
    something is wrong with it."""
    raw = load_object(path)
    if "base" in raw:
        base = Fields(str(path), raw).text("base")
        common = load_object(path.parent / base)
        if "base" in common:
            raise UsageError(f"{path}: its base {base} has a 'base' itself; one is as far as that goes")
        raw = {**common, **{name: value for name, value in raw.items() if name != "base"}}
    return parse_config(override(raw, list(settings)), str(path))


def parse_config(raw: dict[str, Any], where: str) -> Config:
    fields = Fields(where, raw)
    name = fields.text("name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{,99}", name):
        raise fields.fail("'name' becomes the name of a folder: up to 100 letters, digits, '.', '_' and '-'")
    common_vary = read_vary(fields)
    only = _read_only(fields)
    config = Config(
        name=name,
        title=fields.text("title", name),
        about=_read_about(fields),
        rules=tuple(_read_rule(f"{where}, rule {i + 1}", item) for i, item in enumerate(fields.items("rules", []))),
        graphs=tuple(_read_graph(f"{where}, graph {i + 1}", item) for i, item in enumerate(fields.items("graphs", []))),
        algorithms=tuple(
            _read_algorithm(f"{where}, algorithm {i + 1}", a) for i, a in enumerate(fields.items("algorithms", []))
        ),
        systems=tuple(
            system
            for i, item in enumerate(fields.items("systems", []))
            for system in _read_system(f"{where}, system {i + 1}", item, common_vary)
        ),
        programs=tuple(_read_program(f"{where}, program {i + 1}", item) for i, item in enumerate(fields.items("programs", []))),
        skips=tuple(_read_skip(f"{where}, skip {i + 1}", item) for i, item in enumerate(fields.items("skip", []))),
        options=read_options(fields, "options"),
        repeats=fields.whole("repeats", 1, 3),
        trials=fields.whole("trials", 1, 1),
        warm=fields.flag("warm", False),
        verify=_read_verify(fields),
        time_limit_s=_read_time_limit(fields),
        memory_limit=_read_memory_limit(fields),
        baseline=fields.text("baseline", None),
        columns=tuple(fields.texts("columns", [])),
        figures=tuple(_read_figure(f"{where}, figure {i + 1}", item) for i, item in enumerate(fields.items("figures", []))),
        bandwidth=tuple(_read_bandwidth(f"{where}, bandwidth {i + 1}", b) for i, b in enumerate(fields.items("bandwidth", []))),
        expected=read_all_expected(f"{where}, expected", fields.any("expected", [])),
        raw=raw,
    )
    fields.done()
    check_config(config, only, where)
    return _keep_only(config, only)


def _read_only(fields: Fields) -> dict[str, list[str]]:
    """By 'graphs', 'algorithms' and 'systems', the names that are left; a part without a list is left whole."""
    inner = Fields(f"{fields.where}, only", fields.object("only"))
    only = {kind: inner.texts(kind) for kind in ("graphs", "algorithms", "systems") if kind in inner}
    inner.done()
    return only


def _keep_only(config: Config, only: dict[str, list[str]]) -> Config:
    """Without the rest, and without what can only be said of it. Published numbers stay: they then stand alone."""
    kept = {kind: tuple(item for item in getattr(config, kind) if item.name in names) for kind, names in only.items()}
    config = dataclasses.replace(config, **kept)
    graphs = [graph.name for graph in config.graphs]
    systems = [system.name for system in config.systems]
    programs = tuple(program for program in config.programs if program.graph in (None, *graphs))
    names = [program.name for program in programs]
    return dataclasses.replace(
        config,
        programs=programs,
        baseline=config.baseline if config.baseline in systems else None,
        bandwidth=tuple(
            {**link, "systems": [name for name in link["systems"] if name in systems]}
            for link in config.bandwidth
            if link["program"] in names
        ),
    )


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
    fields = Fields(where, {"graph": item} if isinstance(item, str) else item)
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
    if graph.container_options and not graph.container:
        raise fields.fail("'container_options' are of no use without \"container\": true")
    return graph


def _read_algorithm(where: str, item: Any) -> AlgorithmSpec:
    fields = Fields(where, {"algo": item} if isinstance(item, str) else item)
    algo = fields.choice("algo", ALGORITHMS)
    algorithm = AlgorithmSpec(fields.text("name", algo), algo, read_options(fields, "options"), fields.whole("trials", 1, None))
    fields.done()
    return algorithm


def _read_system(where: str, item: Any, common_vary: dict[str, list[Any]]) -> Iterable[SystemSpec]:
    fields = Fields(where, {"backend": item} if isinstance(item, str) else item)
    backend = fields.text("backend").lower()  # as graphrun takes it, and as it says it
    name = fields.text("name", backend)
    options = read_options(fields, "options")
    options_for = read_options_for(fields)
    vary = {**common_vary, **read_vary(fields)}
    fields.done()
    for values in product(vary):
        label = ", ".join([name, *(f"{key} {value}" for key, value in values.items())])
        yield SystemSpec(label, backend, {**options, **values}, options_for)


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
    figure = FigureSpec(fields.choice("kind", FIGURES), fields.text("measure", "time"), fields.text("over", EDGES))
    fields.done()
    return figure


def _read_bandwidth(where: str, item: Any) -> dict[str, Any]:
    fields = Fields(where, item)
    link = {
        "program": fields.text("program"),
        "field": fields.text("field"),
        "systems": fields.texts("systems"),
        "unit": fields.choice("unit", ("B/s", "GB/s"), "B/s"),
    }
    fields.done()
    return link


def _read_verify(fields: Fields) -> str:
    value = fields.any("verify", True)
    if not isinstance(value, bool) and value != ONCE:
        raise fields.fail(f"'verify' must be true, false or '{ONCE}'")
    return ONCE if value == ONCE else ALWAYS if value else NEVER


def _read_memory_limit(fields: Fields) -> str | None:
    limit = fields.text("memory_limit", None)
    try:
        limit_bytes = parse_bytes(limit) if limit else _LEAST_MEMORY_BYTES
    except UsageError as error:
        raise fields.fail(f"'memory_limit': {error}") from error
    if limit_bytes < _LEAST_MEMORY_BYTES:
        raise fields.fail(f"'memory_limit': no process can begin with less than {format_bytes(_LEAST_MEMORY_BYTES)}")
    return limit


def _read_time_limit(fields: Fields) -> float:
    limit = fields.number("time_limit_s", 600)
    if not 0 < limit <= 7 * 86400:
        raise fields.fail("'time_limit_s' must lie above 0 and be at most a week")
    return float(limit)
