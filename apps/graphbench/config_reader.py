"""Reading of configurations (docs/sweeps.md); what is wrong with one is said with its place."""

import dataclasses
from pathlib import Path
from typing import Any, Iterable, Sequence, TypeVar

from .config import ALWAYS, FIGURES, NEVER, ONCE, AlgorithmSpec, Config, FigureSpec, GraphSpec, ProgramSpec, Skip, SystemSpec
from .config_checks import check_config
from .config_schema import BANDWIDTH_UNITS, CONFIG
from .errors import UsageError
from .expected import Expected, read_all_expected
from .measures import MEASURES, SPEED_UP
from .options import algorithm_among, algorithm_of, product
from .overrides import override
from .schema import TEXT, check, load_object, plain, spell

_Naming = TypeVar("_Naming", Skip, Expected)  # what names an algorithm

_VERIFY = {True: ALWAYS, False: NEVER, ONCE: ONCE}
_AS_GIVEN = ("name", "options", "repeats", "trials", "warm", "time_limit_s", "memory_limit", "baseline")


def read_config(path: Path, settings: Sequence[str] = ()) -> Config:
    """The configuration in a file, with what the command line sets of it. Raises UsageError with the place and a suggestion when
    something is wrong with it."""
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
    """Raises UsageError, as read_config() does."""
    check(raw, CONFIG, where)
    about = raw.get("about", "")
    config = Config(
        title=raw.get("title", raw["name"]),
        about=about if isinstance(about, str) else " ".join(about),
        rules=tuple((item["rule"], item["source"]) for item in raw.get("rules", [])),
        graphs=tuple(_read_graph(_as_object(item, "graph")) for item in raw.get("graphs", [])),
        algorithms=tuple(_read_algorithm(_as_object(item, "algo")) for item in raw.get("algorithms", [])),
        systems=tuple(
            system
            for item in raw.get("systems", [])
            for system in _read_system(_as_object(item, "backend"), raw.get("vary", {}))
        ),
        programs=tuple(ProgramSpec(i["name"], tuple(i["program"]), i.get("graph")) for i in raw.get("programs", [])),
        skips=tuple(Skip(**item) for item in raw.get("skip", [])),
        columns=tuple(spell(name, MEASURES) for name in raw.get("columns", [])),
        figures=tuple(_read_figure(item) for item in raw.get("figures", [])),
        bandwidth=tuple(_read_bandwidth(item) for item in raw.get("bandwidth", [])),
        expected=read_all_expected(raw.get("expected", []), f"{where}, expected"),
        verify=_VERIFY[raw.get("verify", True)],
        raw=raw,
        **{name: raw[name] for name in _AS_GIVEN if name in raw},
    )
    config, only = _with_names_of_algorithms(config, raw.get("only", {}))
    check_config(config, only, where)
    return _keep_only(config, only)


def _with_names_of_algorithms(config: Config, only: dict[str, list[str]]) -> tuple[Config, dict[str, list[str]]]:
    """As the configuration's algorithms are named, wherever one is spelled in another way."""
    names = [algorithm.name for algorithm in config.algorithms]

    def renamed(items: tuple[_Naming, ...]) -> tuple[_Naming, ...]:  # an empty name stands for all
        return tuple(
            dataclasses.replace(item, algorithm=algorithm_among(names, item.algorithm)) if item.algorithm else item
            for item in items
        )

    if "algorithms" in only:
        only = {**only, "algorithms": [algorithm_among(names, text) for text in only["algorithms"]]}
    return dataclasses.replace(config, skips=renamed(config.skips), expected=renamed(config.expected)), only


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


def _as_object(item: str | dict[str, Any], field: str) -> dict[str, Any]:
    """With the field that a text alone stands for, and graphrun's own names of algorithms."""
    if isinstance(item, str):
        return {field: item}
    options_for = {algorithm_of(name): options for name, options in item.get("options_for", {}).items()}
    return {**item, "options_for": options_for} if options_for else item


def _read_graph(item: dict[str, Any]) -> GraphSpec:
    said = dict(item)
    is_dataset = "dataset" in said
    source = said.pop("dataset" if is_dataset else "graph")
    return GraphSpec(**{"name": source, **said}, source=source, is_dataset=is_dataset)


def _read_algorithm(item: dict[str, Any]) -> AlgorithmSpec:
    algo = algorithm_of(item["algo"])
    said: dict[str, Any] = {"name": algo, **item, "algo": algo}
    return AlgorithmSpec(**said)


def _read_system(item: dict[str, Any], common_vary: dict[str, list[Any]]) -> Iterable[SystemSpec]:
    backend = plain(item["backend"])  # as graphrun says it
    for values in product({**common_vary, **item.get("vary", {})}):
        label = ", ".join([item.get("name", backend), *(f"{key} {value}" for key, value in values.items())])
        yield SystemSpec(label, backend, {**item.get("options", {}), **values}, item.get("options_for", {}))


def _read_figure(item: dict[str, Any]) -> FigureSpec:
    measure = spell(item.get("measure", "time"), (*MEASURES, SPEED_UP))
    return FigureSpec(**{**item, "kind": spell(item["kind"], FIGURES), "measure": measure})


def _read_bandwidth(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "unit": spell(item.get("unit", BANDWIDTH_UNITS[0]), BANDWIDTH_UNITS)}
