"""JSON as everything here reads it. What Python lets through beyond the format, or what no command line, file name or row can
hold, is an error with a sentence: numbers without an end, texts with zero bytes or halves of characters, nesting that would exhaust
those who walk through it."""

import json
import math
from typing import Any, Callable, Iterator

Pairs = list[tuple[str, Any]]
DEEPEST = 100


class NotJson(ValueError):
    """Says where and why, to stand after 'is not JSON: '."""


def parse_json(text: str, make_object: Callable[[Pairs], Any] = dict, deepest: int = DEEPEST) -> Any:
    """At most `deepest` objects and lists are within each other. Raises NotJson, and what make_object raises."""
    try:
        value = json.loads(text, object_pairs_hook=make_object, parse_float=_finite, parse_int=_whole, parse_constant=_finite)
        unusable = next((part for part in _texts(value, deepest) if not _is_usable(part)), None)
    except json.JSONDecodeError as error:
        raise NotJson(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise NotJson("it is nested too deeply") from error
    if unusable is not None:
        raise NotJson(f"the text {unusable!a} holds a zero byte, or half of a character")
    return value


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise NotJson(f"{text} is no number that it can hold")
    return value


def _whole(text: str) -> int:
    if len(text) > 100:
        raise NotJson(f"a number of {len(text)} digits is too large")
    return int(text)


def _texts(value: Any, deepest: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        if deepest == 0:
            raise NotJson("it is nested too deeply")
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, deepest - 1)
        if isinstance(value, dict):
            yield from value


def _is_usable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
