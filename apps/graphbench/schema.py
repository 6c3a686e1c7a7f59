# SPDX-License-Identifier: Apache-2.0
"""JSON as everything here reads it, and schemas for it, with a sentence for what does not fit one: with its place and, where one
is near, the word that was meant.

What Python lets through beyond JSON, or what no command line, file name or row can hold, is an error with a sentence: numbers
without an end, texts with zero bytes or halves of characters, nesting that would exhaust those who walk through it.

Of a schema, "title" says what a value must be, to stand after 'must be'. The keyword "wrong" is of this program: a function
that says what is wrong with a value, to stand after its name, or None.
"""

import difflib
import functools
import json
import math
from pathlib import Path
from typing import Any, Callable, Collection, Iterable, Iterator

from .errors import UsageError, require

Schema = dict[str, Any]
Pairs = list[tuple[str, Any]]
DEEPEST = 100

TEXT: Schema = {"type": "string", "minLength": 1, "title": "a text that is not empty"}
FLAG: Schema = {"type": "boolean", "title": "true or false"}
OBJECT: Schema = {"type": "object", "title": "an object"}


def fields(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Returns the schema of an object with these fields; without `optional` it may have any others."""
    known = {**required, **(optional or {})}
    return OBJECT | {"additionalProperties": optional is None, "required": list(required), "properties": known}


def list_of(item: Schema, least: int = 0) -> Schema:
    return {"type": "array", "minItems": least, "items": item, "title": "a list with something in it" if least else "a list"}


def or_text(schema: Schema, text: Schema = TEXT) -> Schema:
    return {"if": {"type": "string"}, "then": text, "else": schema}


def one_of(names: Iterable[str], verb: str = "be") -> Schema:
    """Returns the schema of a text that spells one of the names."""
    known = list(names)

    def wrong(text: str) -> str | None:
        is_known = spell(text, known) in known
        return None if is_known else f"cannot {verb} '{text}'{suggestion(text, known)}: choose among {', '.join(known)}"

    return {"type": "string", "wrong": wrong, "title": "a text"}


def plain(name: str) -> str:
    """Returns a name as graphrun compares it: without case, '-' and '_'."""
    return name.lower().replace("-", "").replace("_", "")


def spell(text: str, names: Iterable[str]) -> str:
    """Returns the name that a text spells; the text itself for none of them."""
    return next((name for name in names if plain(name) == plain(text)), text)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns ' (did you mean X?)' for a close known word, else nothing."""
    near = difflib.get_close_matches(word, list(known))
    near = [each for each in near if sorted(each) == sorted(word)] or near  # "bsf" is bfs, not msf
    return f" (did you mean '{near[0]}'?)" if near else ""


class NotJson(ValueError):
    """An error with place and reason, to stand after 'is not JSON: '."""


def parse_json(text: str, make_object: Callable[[Pairs], Any] = dict, deepest: int = DEEPEST) -> Any:
    """Parses JSON with at most `deepest` nested objects and lists. Raises NotJson, and the errors of make_object."""
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


def load_object(path: Path) -> dict[str, Any]:
    """Returns the JSON object in a file. Raises UsageError when there is none, or when a key occurs twice in an object."""

    def without_duplicates(pairs: Pairs) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"{path}: '{name}' is given twice in one object")
        return dict(pairs)

    try:
        value = parse_json(path.read_text(encoding="utf-8-sig"), without_duplicates)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error
    except NotJson as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} holds no JSON object")
    return value


def check(value: Any, schema: Schema, where: str) -> None:
    """Raises UsageError with the sentence of misfit()."""
    if (found := misfit(value, schema, where)) is not None:
        raise UsageError(found)


def misfit(value: Any, schema: Schema, where: str) -> str | None:
    """Returns the first deviation from a schema, in a sentence; None without one. `where` names the value's container."""
    error = next(_validator()(schema).iter_errors(value), None)
    if error is None:
        return None
    path = list(error.absolute_path)
    is_of_fields = error.validator in ("required", "additionalProperties")
    name = path.pop() if path and isinstance(path[-1], str) and not is_of_fields else None
    for part in path:  # ["systems", 0, "options"] is ", system 1, options"
        where = f"{where.removesuffix('s')} {part + 1}" if isinstance(part, int) else f"{where}, {part}"
    if is_of_fields:
        return f"{where}: {_fault_of_fields(error.instance, error.schema)}"
    what = error.message if error.validator == "wrong" else f"must be {error.schema['title']}"
    return f"{where} {what}" if name is None else f"{where}: '{name}' {what}"


def _fault_of_fields(value: Collection[str], schema: Schema) -> str:
    known = schema["properties"]
    unknown = [] if schema["additionalProperties"] else [name for name in value if name not in known]
    if unknown:
        return f"there is no field '{unknown[0]}'{suggestion(unknown[0], known)}; known are {', '.join(known)}"
    return f"'{next(name for name in schema['required'] if name not in value)}' is missing"


@functools.cache
def _validator() -> Any:
    """Returns the validator of jsonschema, with the keyword "wrong" and without whole numbers such as 3.0."""
    require("graphbench needs", {"jsonschema": "python3-jsonschema"})
    from jsonschema import Draft202012Validator, ValidationError, validators

    def wrong(_validator: Any, what_is_wrong: Any, value: Any, _schema: Schema) -> Iterator[ValidationError]:
        if (sentence := what_is_wrong(value)) is not None:
            yield ValidationError(sentence)

    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    return validators.extend(Draft202012Validator, {"wrong": wrong}, type_checker=types)
