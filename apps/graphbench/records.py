# SPDX-License-Identifier: Apache-2.0
"""The schema of rows and sessions, checked at programs' answers and at files, so that other code can rely on every field.
Results of another version, or edited ones, are an error with their place."""

import datetime
from typing import Any

from .schema import FLAG, OBJECT, Schema, fields, list_of, misfit

DONE = "done"
# The other statuses of a run, which have a reason.
REASONED = ("wrong", "failed", "refused", "unavailable", "timed out", "out of memory", "crashed", "garbled")
WRONG, FAILED, REFUSED, UNAVAILABLE, TIMED_OUT, OUT_OF_MEMORY, CRASHED, GARBLED = REASONED
STATUSES = (DONE, *REASONED)


def _or_null(schema: Schema) -> Schema:
    return schema | {"type": [schema["type"], "null"], "title": f"{schema['title']} or null"}


def _what_is_wrong_with_time(text: str) -> str | None:
    try:
        has_zone = datetime.datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        has_zone = False
    return None if has_zone else "must be a time with its zone"


_TEXT: Schema = {"type": "string", "title": "a text"}
_WHOLE: Schema = {"type": "integer", "title": "a whole number"}
_COUNT: Schema = {"type": "number", "minimum": 0, "title": "a number that is not negative"}
_POSITIVE: Schema = {"type": "number", "exclusiveMinimum": 0, "title": "a number above zero"}


def _all(schema: Schema, *names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, schema)


_TRIAL = _all(_or_null(_COUNT), "bytes_moved", "requests", "amplification") | {
    "source": _or_null(_WHOLE),
    "time_ms": _POSITIVE,
    "input_edges": _COUNT,
    "gteps": _or_null(_POSITIVE),
    "verdict": _TEXT,
}
# How answers were checked, or null; older versions of graphrun said whether they were.
_HOW_VERIFIED: Schema = {"type": ["string", "boolean", "null"], "title": "a text, null, true or false"}
_PROGRAM = _all(_TEXT, "sanitizers", "compiler", "build_type") | {"optimised": FLAG, "vertex_bits": _WHOLE}
_GPU = _all(_TEXT, "name", "link", "driver", "runtime") | {"memory_bytes": _COUNT}
RESULT = fields(
    {
        "program": fields(_PROGRAM),
        "machine": fields({"gpu": _or_null(fields(_GPU))}),
        "options": fields({"cache_bytes": _or_null(_COUNT), "verify": _HOW_VERIFIED}),
        "graph": fields({"n": _COUNT, "m": _COUNT, "symmetric": FLAG}),
        "phases_ms": fields({"read": _COUNT, "build": _COUNT}),
        "trials": list_of(fields(_TRIAL), 1),
        "summary": fields({"median_ms": _POSITIVE}),
        **_all(_TEXT, "algorithm", "backend", "verdict"),
        "chosen": OBJECT,
        "emulated": FLAG,
        "result": _or_null(OBJECT),
    }
)
_ROW = {
    **_all(_TEXT, "row", "key", "graph", "algorithm", "system"),
    **_all(_WHOLE, "attempt", "session", "repeat"),
    **_all(_COUNT, "load_before", "wall_s"),
    "options": OBJECT,
    "started": _TEXT | {"wrong": _what_is_wrong_with_time},
    "status": {"enum": STATUSES, "title": f"one of {', '.join(STATUSES)}"},
    "reason": _or_null(_TEXT),
}
# A finished row has all measurements; a program's result is a list of objects.
_DONE_ROW = _ROW | {"command": list_of({}), "max_rss_bytes": _COUNT}
_ROW_SCHEMA = fields(_ROW)
_RUN_SCHEMA = fields(_DONE_ROW | {"result": RESULT})
_PROGRAM_SCHEMA = fields(_DONE_ROW | {"result": list_of(OBJECT, 1)})
_MACHINE = _all(_or_null(_TEXT), "cpu", "distribution", "governor", "huge_pages")
_MACHINE |= {"cores": _WHOLE, "memory_bytes": _COUNT, "system": _TEXT}
SESSION = fields({"session": _WHOLE, "graphrun": fields(_all(_TEXT, "version", "digest")), "environment": fields(_MACHINE)})


def misfit_of_row(row: dict[str, Any], where: str) -> str | None:
    """Returns the first deviation from this version's format, in a sentence; None without one."""
    is_run = row.get("algorithm") != ""
    return misfit(row, _ROW_SCHEMA if row.get("status") != DONE else _RUN_SCHEMA if is_run else _PROGRAM_SCHEMA, where)
