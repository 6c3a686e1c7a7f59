"""What others have published: shown beside our numbers, never mixed with them."""

from dataclasses import dataclass
from typing import Any

from .measures import REQUEST_SIZES
from .schema import OBJECT, TEXT, check, fields, list_of, one_of, spell

# What a value can be compared with, and in which units it may be written: factors to the unit of measures.py.
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


def _what_is_wrong(item: dict[str, Any]) -> str | None:
    measure, unit = _measure(item), item.get("unit", "")
    if measure != OTHER and unit not in UNITS[measure]:
        return f"has a wrong unit: '{measure}' is written in {' or '.join(UNITS[measure])}, not in '{unit}'"
    if measure != OTHER and "system" not in item:
        return f"needs a 'system' for its '{measure}' to be compared with"
    if (measure == "speed-up") != ("over" in item):
        return "is wrong: 'over' names the system that a speed-up is over, and goes with the measure 'speed-up' alone"
    return None


def _measure(item: dict[str, Any]) -> str:
    return spell(item.get("measure", OTHER), (*UNITS, OTHER))


_WHO = {"source": TEXT, "hardware": TEXT}
_REQUIRED = {"what": TEXT, "value": {"type": "number", "title": "a number"}, **_WHO}
_OPTIONAL = {name: TEXT for name in ("unit", "graph", "algorithm", "system", "over")} | {"measure": one_of((*UNITS, OTHER))}
_ITEMS = list_of(fields(_REQUIRED, _OPTIONAL) | {"wrong": _what_is_wrong})
# A list of numbers, or {"source", "hardware", "numbers"} for those that share where they are from.
EXPECTED = {
    "type": ["array", "object"],
    "title": "a list, or an object with the list 'numbers'",
    "if": {"type": "object"},
    "then": fields({"numbers": list_of(OBJECT)}, _WHO),
    "else": list_of(OBJECT),
}


def read_all_expected(value: Any, where: str) -> tuple[Expected, ...]:
    """Of what EXPECTED describes. Raises UsageError when a number is not right with what all share."""
    if isinstance(value, dict):
        common = {name: value[name] for name in _WHO if name in value}
        value = [{**common, **item} for item in value["numbers"]]
    check(value, _ITEMS, where)
    return tuple(Expected(**item | {"measure": _measure(item)}) for item in value)
