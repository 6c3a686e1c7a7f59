# SPDX-License-Identifier: Apache-2.0
"""Applies the command line's changes of a configuration (`--set NAME=VALUE`) to its JSON: a sweep's folder keeps the
configuration that was run, and any machine can report on it."""

import copy
import re
from typing import Any, Sequence

from .config_schema import PARTS
from .errors import UsageError
from .schema import NotJson, parse_json, suggestion

_SCALARS = ("repeats", "trials", "warm", "verify", "time_limit_s")
_TEXTS = ("memory_limit", "baseline")
_OPTION = "option."
# For a configuration without generated graphs.
_GENERATED: dict[str, Any] = {"container": True, "container_options": {"weights": "random:1"}}


def override(raw: dict[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """Returns a changed copy of JSON that fits config_schema.py. Raises UsageError for an unknown setting; the reader checks
    values."""
    changed = copy.deepcopy(raw)
    for setting in settings:
        name, sign, value = setting.partition("=")
        if sign and name in PARTS:
            names = _names(setting, name, value)
            if name == "graphs":
                _add_graphs(changed, names)
            changed["only"] = {**changed.get("only", {}), name: names}
        elif not sign or not value:
            raise UsageError(f"--set: '{setting}' is not NAME=VALUE, such as repeats=3")
        elif name.startswith(_OPTION):
            _set_option(changed, name[len(_OPTION) :], _scalar(value))
        elif name in _SCALARS or name in _TEXTS:
            changed[name] = value if name in _TEXTS else _scalar(value)
            for algorithm in changed.get("algorithms", []):
                if isinstance(algorithm, dict) and name in algorithm:  # 'trials', which an algorithm may override
                    algorithm[name] = changed[name]
        else:
            known = [*_SCALARS, *_TEXTS, *PARTS, _OPTION + "NAME"]
            raise UsageError(f"--set: there is no '{name}'{suggestion(name, known)}; known are {', '.join(known)}")
    return changed


def _names(setting: str, part: str, value: str) -> list[str]:
    """Returns comma-separated names. Commas in names that 'vary' made are followed by a blank."""
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


def _add_graphs(raw: dict[str, Any], names: list[str]) -> None:
    """Adds generators and containers that the configuration does not name, with the settings of its first generated graph."""
    graphs = raw.get("graphs", [])
    there = [graph if isinstance(graph, str) else graph.get("name", graph.get("graph")) for graph in graphs]
    model = next((graph for graph in graphs if isinstance(graph, dict) and _is_generator(graph.get("graph"))), _GENERATED)
    added = [name for name in names if name not in there and (_is_generator(name) or name.endswith(".grf"))]
    raw["graphs"] = [*graphs, *({**model, "name": name, "graph": name} for name in added)]


def _is_generator(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"[a-z]+(:\d+)+", text) is not None


def _set_option(raw: dict[str, Any], name: str, value: Any) -> None:
    """Sets an option wherever the configuration gives it, or else for every run."""
    if any(name in vary for vary in _objects(raw, "vary")):
        raise UsageError(f"--set: option '{name}' is what this configuration varies: choose with systems=NAME,NAME instead")
    everywhere = _objects(raw, "options") + [o for by_algorithm in _objects(raw, "options_for") for o in by_algorithm.values()]
    for options in [options for options in everywhere if name in options] or [raw.setdefault("options", {})]:
        options[name] = value


def _objects(raw: dict[str, Any], field: str) -> list[dict[str, Any]]:
    """Returns the objects of a field, in the whole and its parts."""
    parts = [raw, *(item for part in PARTS for item in raw.get(part, []) if isinstance(item, dict))]
    return [part[field] for part in parts if field in part]
