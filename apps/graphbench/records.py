"""What a row and a session must hold. It is checked where programs answer and where files are read, so that all other code
finds each field present and of its kind. Results of another version, or edited ones, are an error with their place."""

import datetime
from dataclasses import dataclass
from typing import Any, Callable


DONE = "done"
WRONG = "wrong"
FAILED = "failed"
REFUSED = "refused"
UNAVAILABLE = "unavailable"
TIMED_OUT = "timed out"
OUT_OF_MEMORY = "out of memory"
CRASHED = "crashed"
GARBLED = "garbled"
STATUSES = (DONE, WRONG, FAILED, REFUSED, UNAVAILABLE, TIMED_OUT, OUT_OF_MEMORY, CRASHED, GARBLED)


@dataclass(frozen=True)
class _Kind:
    what: str
    fits: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_time(value: Any) -> bool:
    try:
        return datetime.datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True)
class _Maybe:
    """A shape, or null."""

    shape: Any


_TEXT = _Kind("a text", lambda value: isinstance(value, str))
_FLAG = _Kind("true or false", lambda value: isinstance(value, bool))
_WHOLE = _Kind("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
_COUNT = _Kind("a number that is not negative", lambda value: _is_number(value) and value >= 0)
_POSITIVE = _Kind("a number above zero", lambda value: _is_number(value) and value > 0)
_OBJECT = _Kind("an object", lambda value: isinstance(value, dict))
_LIST = _Kind("a list", lambda value: isinstance(value, list))
_TIME = _Kind("a time with its zone", _is_time)

# An object's fields with what each must be: a kind, an object again, or a list of such that is not empty.
_TRIAL = {
    "source": _Maybe(_WHOLE),
    "time_ms": _POSITIVE,
    "input_edges": _COUNT,
    "gteps": _Maybe(_POSITIVE),
    "bytes_moved": _Maybe(_COUNT),
    "requests": _Maybe(_COUNT),
    "amplification": _Maybe(_COUNT),
    "verdict": _TEXT,
}
_GPU = {"name": _TEXT, "memory_bytes": _COUNT, "link": _TEXT, "driver": _TEXT, "runtime": _TEXT}
RESULT = {
    "program": {"optimised": _FLAG, "sanitizers": _TEXT, "compiler": _TEXT, "build_type": _TEXT, "vertex_bits": _WHOLE},
    "machine": {"gpu": _Maybe(_GPU)},
    "options": {"cache_bytes": _Maybe(_COUNT), "verify": _FLAG},
    "graph": {"n": _COUNT, "m": _COUNT, "symmetric": _FLAG},
    "algorithm": _TEXT,
    "backend": _TEXT,
    "chosen": _OBJECT,
    "emulated": _FLAG,
    "phases_ms": {"read": _COUNT, "build": _COUNT},
    "trials": [_TRIAL],
    "summary": {"median_ms": _POSITIVE},
    "verdict": _TEXT,
    "result": _Maybe(_OBJECT),
}
_ROW = {
    "row": _TEXT,
    "key": _TEXT,
    "attempt": _WHOLE,
    "session": _WHOLE,
    "graph": _TEXT,
    "algorithm": _TEXT,
    "system": _TEXT,
    "repeat": _WHOLE,
    "options": _OBJECT,
    "started": _TIME,
    "load_before": _COUNT,
    "status": _Kind("a status", lambda value: value in STATUSES),
    "reason": _Maybe(_TEXT),
    "wall_s": _COUNT,
}
_DONE_ROW = _ROW | {"command": _LIST, "max_rss_bytes": _COUNT}
SESSION = {
    "session": _WHOLE,
    "graphrun": {"version": _TEXT, "digest": _TEXT},
    "environment": {
        "cpu": _Maybe(_TEXT),
        "cores": _WHOLE,
        "memory_bytes": _COUNT,
        "system": _TEXT,
        "distribution": _Maybe(_TEXT),
        "governor": _Maybe(_TEXT),
        "huge_pages": _Maybe(_TEXT),
    },
}


def misfit(value: Any, shape: Any, name: str) -> str | None:
    """The first thing that is not as it should be, in words; None when everything is. What the shape does not name may be there."""
    if isinstance(shape, _Maybe):
        return None if value is None else misfit(value, shape.shape, name)
    if isinstance(shape, _Kind):
        return None if shape.fits(value) else f"{name} is not {shape.what}"
    if isinstance(shape, list):
        if not isinstance(value, list) or not value:
            return f"{name} is not a list with something in it"
        parts = [(part, shape[0], f"item {i + 1} of {name}") for i, part in enumerate(value)]
    else:
        if not isinstance(value, dict):
            return f"{name} is not an object"
        missing = next((field for field in shape if field not in value), None)
        if missing is not None:
            return f"{name} has no '{missing}'"
        parts = [(value[field], kind, f"'{field}' of {name}") for field, kind in shape.items()]
    return next((found for part in parts if (found := misfit(*part)) is not None), None)


def misfit_of_row(row: Any) -> str | None:
    """A row that is done has all that was measured; of a program that is a list of objects."""
    if not isinstance(row, dict) or row.get("status") != DONE:
        return misfit(row, _ROW, "the row")
    found = misfit(row, _DONE_ROW, "the row")
    if found is None and row["algorithm"]:
        return misfit(row.get("result"), RESULT, "its result")
    return found or misfit(row.get("result"), [_OBJECT], "its result")
