"""What the command line changes of a configuration (`--set NAME=VALUE`), done to its JSON before that is read: what a sweep's folder
keeps is then the configuration that was run, and any machine can report on it."""

import copy
import re
from typing import Any, Iterator, Sequence

from .config import PARTS
from .errors import UsageError
from .schema import suggestion
from .strict_json import NotJson, parse_json

_SCALARS = ("repeats", "trials", "warm", "verify", "time_limit_s")
_TEXTS = ("memory_limit", "baseline")
_OPTION = "option."
_GENERATED: dict[str, Any] = {
    "container": True,
    "container_options": {"weights": "random:1"},
}  # where a configuration generates nothing itself


def override(raw: dict[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """A changed copy of what fits config_schema.py. Raises UsageError for what is no setting; the reader judges values."""
    changed = copy.deepcopy(raw)
    for setting in settings:
        name, sign, value = setting.partition("=")
        if sign and name in PARTS:
            _keep_only(changed, name, _names(setting, name, value))
        elif not sign or not value:
            raise UsageError(f"--set: '{setting}' is not NAME=VALUE, such as repeats=3")
        elif name.startswith(_OPTION):
            _set_option(changed, name[len(_OPTION) :], _scalar(value))
        elif name in _SCALARS or name in _TEXTS:
            _set_field(changed, name, value if name in _TEXTS else _scalar(value))
        else:
            known = [*_SCALARS, *_TEXTS, *PARTS, _OPTION + "NAME"]
            raise UsageError(f"--set: there is no '{name}'{suggestion(name, known)}; known are {', '.join(known)}")
    return changed


def _names(setting: str, part: str, value: str) -> list[str]:
    """Between commas, but not those in names that 'vary' made, which a blank follows."""
    names = re.split(r",(?! )", value)
    if not all(name.strip() for name in names):
        raise UsageError(f"--set: '{setting}' has an empty name: give those of {part} that are kept, such as {part}=NAME,NAME")
    return names


def _scalar(value: str) -> Any:
    try:
        parsed = parse_json(value)
    except NotJson:
        return value
    return value if isinstance(parsed, (dict, list, str)) or parsed is None else parsed


def _keep_only(raw: dict[str, Any], part: str, names: list[str]) -> None:
    if part == "graphs":
        _add_graphs(raw, names)
    raw["only"] = {**raw.get("only", {}), part: names}


def _add_graphs(raw: dict[str, Any], names: list[str]) -> None:
    """Generators that the configuration does not name are made as its first generated graph is, mostly into a container."""
    graphs = raw.get("graphs", [])
    there = [graph if isinstance(graph, str) else graph.get("name", graph.get("graph")) for graph in graphs]
    model = next((graph for graph in graphs if isinstance(graph, dict) and _is_generator(graph.get("graph"))), _GENERATED)
    raw["graphs"] = [*graphs, *({**model, "name": n, "graph": n} for n in names if n not in there and _is_generator(n))]


def _is_generator(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[a-z]+(:\d+)+", text) is not None


def _set_field(raw: dict[str, Any], name: str, value: Any) -> None:
    raw[name] = value
    for algorithm in raw.get("algorithms", []):
        if isinstance(algorithm, dict) and name in algorithm:  # 'trials', which an algorithm may have of its own
            algorithm[name] = value


def _set_option(raw: dict[str, Any], name: str, value: Any) -> None:
    """Wherever the configuration gives it, or else for every run."""
    if any(name in vary for vary in _objects(raw, "vary")):
        raise UsageError(f"--set: option '{name}' is what this configuration varies: choose with systems=NAME,NAME instead")
    places = [options for options in _all_options(raw) if name in options]
    for options in places or [raw.setdefault("options", {})]:
        options[name] = value


def _all_options(raw: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _objects(raw, "options")
    for by_algorithm in _objects(raw, "options_for"):
        yield from by_algorithm.values()


def _objects(raw: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """The objects of a name, of the whole and of its parts."""
    parts = [raw, *(item for part in PARTS for item in raw.get(part, []) if isinstance(item, dict))]
    return [part[field] for part in parts if field in part]
