# SPDX-License-Identifier: Apache-2.0
"""The schema of a configuration (docs/sweeps.md). config.py checks the relations of its parts."""

from typing import Any, Callable

from .errors import UsageError
from .measures import MEASURES, REQUEST_SIZES, SPEED_UP
from .options import ALGORITHM, OPTIONS, OPTIONS_FOR, VARY, format_bytes, parse_bytes
from .schema import FLAG, OBJECT, TEXT, Schema, fields, list_of, one_of, or_text, spell

# The runs that verify their answers: all, those of the first repeat, or none.
ALWAYS, ONCE, NEVER = "always", "once", "never"
# The horizontal axes of lines, beside options' names.
EDGES, OVERSUBSCRIPTION = "edges", "oversubscription"
FIGURES = ("bars", "lines", "roofline", "requests")
PARTS = ("graphs", "algorithms", "systems")
BANDWIDTH_UNITS = ("B/s", "GB/s")
_LEAST_MEMORY_BYTES = 1 << 20
# The comparable values, and their units: factors to the unit of measures.py.
UNITS = {
    "time": {"s": 1e3, "ms": 1.0},
    "speed-up": {"x": 1.0},
    "amplification": {"x": 1.0},
    "coverage": {"x": 1.0},
    "bandwidth": {"GB/s": 1.0},
    "requests": {"": 1.0},
    "link-requests": {"": 1.0},
    **{f"share-{size}": {"%": 1.0} for size in REQUEST_SIZES},
    "rate": {"GTEPS": 1.0},
}
OTHER = "other"


def _what_is_wrong_with_memory(text: str) -> str | None:
    try:
        is_little = parse_bytes(text) < _LEAST_MEMORY_BYTES
    except UsageError as error:
        return f"is wrong: {error}"
    return f"is too small: no process can begin with less than {format_bytes(_LEAST_MEMORY_BYTES)}" if is_little else None


def _wrong_if(is_wrong: Callable[[dict[str, Any]], Any], sentence: str) -> Schema:
    return {"wrong": lambda value: sentence if is_wrong(value) else None}


_GRAPH_IS_WRONG = _wrong_if(
    lambda graph: graph.get("container_options") and not graph.get("container"),
    "has 'container_options', which are of no use without \"container\": true",
)
_PROGRAM_IS_WRONG = _wrong_if(
    lambda program: any("{graph}" in word for word in program["program"]) and "graph" not in program,
    "has a place for {graph} in its command, and 'graph' says none",
)


def _what_is_wrong_with_number(item: dict[str, Any]) -> str | None:
    measure, unit = measure_of(item), item.get("unit", "")
    if measure != OTHER and unit not in UNITS[measure]:
        return f"has a wrong unit: '{measure}' is written in {' or '.join(UNITS[measure])}, not in '{unit}'"
    if measure != OTHER and "system" not in item:
        return f"needs a 'system' for its '{measure}' to be compared with"
    if (measure == "speed-up") != ("over" in item):
        return "is wrong: 'over' names the system that a speed-up is over, and goes with the measure 'speed-up' alone"
    return None


def measure_of(item: dict[str, Any]) -> str:
    return spell(item.get("measure", OTHER), (*UNITS, OTHER))


_COUNT: Schema = {"type": "integer", "minimum": 1, "title": "a whole number of at least 1"}
_ANY_TEXT: Schema = {"type": "string", "title": "a text"}
_NAMES = list_of(TEXT, 1)
_HOW = {"options": OPTIONS, "options_for": OPTIONS_FOR}
_OF_GRAPH = {"name": TEXT, "container": FLAG, "container_options": OPTIONS, **_HOW}
_GRAPH = {
    "if": {"type": "object", "required": ["dataset"]},
    "then": fields({"dataset": TEXT}, _OF_GRAPH),
    "else": fields({"graph": TEXT}, _OF_GRAPH),
    **_GRAPH_IS_WRONG,
}
_ALGORITHM = fields({"algo": ALGORITHM}, {"name": TEXT, "options": OPTIONS, "trials": _COUNT})
_SYSTEM = fields({}, {"backend": TEXT, "name": TEXT, **_HOW, "vary": VARY})
_PROGRAM = fields({"name": TEXT, "program": list_of(_ANY_TEXT, 1)}, {"graph": TEXT}) | _PROGRAM_IS_WRONG
_FIGURE = fields({"kind": one_of(FIGURES)}, {"measure": one_of((*MEASURES, SPEED_UP)), "over": TEXT})
_BANDWIDTH = fields({"program": TEXT, "field": TEXT, "systems": _NAMES}, {"unit": one_of(BANDWIDTH_UNITS)})

WHO = {"source": TEXT, "hardware": TEXT}
_SAID = {"what": TEXT, "value": {"type": "number", "title": "a number"}, **WHO}
_MORE = {name: TEXT for name in ("unit", "graph", "algorithm", "system", "over")} | {"measure": one_of((*UNITS, OTHER))}
EXPECTED_NUMBERS = list_of(fields(_SAID, _MORE) | {"wrong": _what_is_wrong_with_number})
# A list of numbers, or {"source", "hardware", "numbers"} for numbers with a common source.
EXPECTED = {
    "type": ["array", "object"],
    "title": "a list, or an object with the list 'numbers'",
    "if": {"type": "object"},
    "then": fields({"numbers": list_of(OBJECT)}, WHO),
    "else": list_of(OBJECT),
}
CONFIG = fields(
    {
        "name": {
            "type": "string",
            "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{,99}\Z",
            "title": "the name of a folder: up to 100 letters, digits, '.', '_' and '-'",
        },
    },
    {
        "title": TEXT,
        "about": {"type": ["string", "array"], "items": _ANY_TEXT, "title": "a text or a list of texts"},
        "rules": list_of(fields({"rule": TEXT, "source": TEXT}, {})),
        "graphs": list_of(or_text(_GRAPH)),
        "algorithms": list_of(or_text(_ALGORITHM, ALGORITHM)),
        "systems": list_of(or_text(_SYSTEM)),
        "programs": list_of(_PROGRAM),
        "skip": list_of(fields({"reason": TEXT}, {"graph": TEXT, "algorithm": TEXT, "system": TEXT})),
        "only": fields({}, {part: _NAMES for part in PARTS}),
        "options": OPTIONS,
        "vary": VARY,
        "repeats": _COUNT,
        "trials": _COUNT,
        "warm": FLAG,
        "verify": {"enum": [True, False, ONCE], "title": f"true, false or '{ONCE}'"},
        "time_limit_s": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 7 * 86400,
            "title": "a number of seconds above 0, at most a week",
        },
        "memory_limit": TEXT | {"wrong": _what_is_wrong_with_memory},
        "baseline": TEXT,
        "columns": list_of(one_of(MEASURES), 1),
        "figures": list_of(_FIGURE),
        "bandwidth": list_of(_BANDWIDTH),
        "expected": EXPECTED,
    },
)
