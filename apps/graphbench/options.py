"""Options of graphrun as configurations write them, objects of names without dashes, and as the command line does."""

import math
from typing import Any, Callable, Sequence

from .schema import OBJECT, Schema, list_of, one_of, spell
from .sizes import edge_share

Options = dict[str, Any]

ALGORITHMS = ("bfs", "sssp", "cc", "pagerank")
SHORT_FORMS = {"pr": "pagerank", "wcc": "cc"}
_MOST_VARIED = 1000
# Given by fields of their own, so that they are the same for all systems under comparison, or taken by graphbench.
_FIELDS = {
    "graph": "graphs",
    "algo": "algorithms",
    "backend": "systems",
    "verify": "verify",
    "warm": "warm",
    "trials": "trials",
}
_RESERVED = ("json", "output", "parents", "quiet", "verbose", "list", "help", "version")


def algorithm_of(text: str) -> str:
    """'pagerank' of 'pr', 'PageRank' and 'page-rank', as graphrun takes it."""
    name = spell(text, (*ALGORITHMS, *SHORT_FORMS))
    return SHORT_FORMS.get(name, name)


def algorithm_among(names: Sequence[str], text: str) -> str:
    """The one of a configuration's names of algorithms that a text means; the text itself when it means none of them."""
    meant = (text, spell(text, names), algorithm_of(text)) if text else ()
    return next((name for name in meant if name in names), text)


def to_arguments(options: Options) -> list[str]:
    """{"page": "4KiB", "undirected": true} as --page 4KiB --undirected; false leaves an option out."""
    arguments: list[str] = []
    for name, value in options.items():
        if value is True:
            arguments.append(f"--{name}")
        elif value is not False:
            arguments += [f"--{name}", str(value)]
    return arguments


def _what_is_wrong_with_name(name: str) -> str | None:
    if not name:
        return "has an option without a name"
    if name.startswith("-"):
        return f"cannot have '{name}': options are written without dashes: '{name.lstrip('-')}'"
    if name in _FIELDS:
        return f"cannot have '{name}': the field '{_FIELDS[name]}' says it"
    return f"cannot have '{name}': graphbench sets it" if name in _RESERVED else None


def _what_is_wrong_with_cache(value: Any) -> str | None:
    is_wrong = str(value).startswith("edges") and edge_share(value) is None
    return f"cannot be '{value}', which is no share of the edges, such as edges/4" if is_wrong else None


def _what_is_wrong_with_vary(vary: dict[str, list[Any]]) -> str | None:
    is_much = math.prod(map(len, vary.values())) > _MOST_VARIED
    return f"makes more than {_MOST_VARIED} systems of one" if is_much else None


def _what_is_wrong_with_options_for(options_for: dict[str, Options]) -> str | None:
    texts: dict[str, str] = {}
    for text in options_for:
        if (first := texts.setdefault(algorithm_of(text), text)) != text:
            return f"has '{algorithm_of(text)}' twice: as '{first}' and as '{text}'"
    return None


def _options(shape: Callable[[Schema], Schema]) -> Schema:
    """Of an object with an option's value, or several of them, under its name."""
    value = {"type": ["string", "number", "boolean"], "title": "a text, a number, true or false"}
    cache = shape(value | {"wrong": _what_is_wrong_with_cache})
    names = {"wrong": _what_is_wrong_with_name}
    return OBJECT | {"propertyNames": names, "properties": {"cache": cache}, "additionalProperties": shape(value)}


ALGORITHM = one_of((*ALGORITHMS, *SHORT_FORMS))
OPTIONS = _options(lambda value: value)
OPTIONS_FOR = OBJECT | {
    "propertyNames": one_of((*ALGORITHMS, *SHORT_FORMS), "have"),
    "additionalProperties": OPTIONS,
    "wrong": _what_is_wrong_with_options_for,
}
VARY = _options(lambda value: list_of(value, 1)) | {"wrong": _what_is_wrong_with_vary}
