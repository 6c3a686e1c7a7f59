"""What others have published: shown beside our numbers, never mixed with them."""

from dataclasses import dataclass
from typing import Any

from .errors import UsageError
from .measures import REQUEST_SIZES
from .schema import Fields

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
    unit: str
    measure: str
    source: str
    hardware: str
    graph: str
    algorithm: str
    system: str
    over: str  # of a speed-up: the system that is 1

    @property
    def in_our_unit(self) -> float:
        return self.value * UNITS[self.measure][self.unit]


def read_all_expected(where: str, value: Any) -> tuple[Expected, ...]:
    """A list of numbers, or {"source", "hardware", "numbers"} for those that share where they are from."""
    common: dict[str, Any] = {}
    if isinstance(value, dict):
        fields = Fields(where, value)
        common = {name: text for name in ("source", "hardware") if (text := fields.text(name, None)) is not None}
        value = fields.items("numbers")
        fields.done()
    if not isinstance(value, list):
        raise UsageError(f"{where} must be a list, or an object with the list 'numbers'")
    return tuple(_read_expected(f"{where} {i + 1}", item, common) for i, item in enumerate(value))


def _read_expected(where: str, item: Any, common: dict[str, Any]) -> Expected:
    fields = Fields(where, {**common, **item} if isinstance(item, dict) else item)
    measure = fields.choice("measure", [*UNITS, OTHER], OTHER)
    expected = Expected(
        what=fields.text("what"),
        value=float(fields.number("value")),
        unit=fields.text("unit", ""),
        measure=measure,
        source=fields.text("source"),
        hardware=fields.text("hardware"),
        graph=fields.text("graph", ""),
        algorithm=fields.text("algorithm", ""),
        system=fields.text("system", ""),
        over=fields.text("over", ""),
    )
    fields.done()
    if measure != OTHER and expected.unit not in UNITS[measure]:
        raise fields.fail(f"'{measure}' is written in {' or '.join(UNITS[measure])}, not in '{expected.unit}'")
    if measure != OTHER and not expected.system:
        raise fields.fail(f"'{measure}' needs a 'system' to be compared with")
    if (measure == "speed-up") != bool(expected.over):
        raise fields.fail("'over' names the system that a speed-up is over, and goes with the measure 'speed-up' alone")
    return expected
