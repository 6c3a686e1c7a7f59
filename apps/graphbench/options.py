# SPDX-License-Identifier: Apache-2.0
"""Converts graphrun's options between configurations, objects of names without dashes, and the command line; and sizes."""

import math
import re
from typing import Any, Callable, Sequence

from .errors import UsageError
from .schema import OBJECT, Schema, list_of, one_of, spell

Options = dict[str, Any]

ALGORITHMS = ("bfs", "sssp", "cc", "pagerank", "bc", "tc", "cdlp", "louvain", "lcc", "kcore", "scc", "topo", "mis", "msf", "hits", "eigenvector", "katz", "closeness", "harmonic", "walks")
GATHER = "gather"  # listed among algorithms; a command of graphrun: feature rows of a graph's vertices
SHORT_FORMS = {"pr": "pagerank", "wcc": "cc"}
_NAMES = (*ALGORITHMS, GATHER, *SHORT_FORMS)
_MOST_VARIED = 1000
# Given by their own fields, so that they are equal for all compared systems, or set by graphbench.
_FIELDS = {
    "graph": "graphs",
    "algo": "algorithms",
    "backend": "systems",
    "verify": "verify",
    "warm": "warm",
    "trials": "trials",
}
_RESERVED = ("json", "output", "parents", "quiet", "verbose", "list", "plan", "describe", "help", "version")


def parse_bytes(text: str) -> int:
    """Returns '8GiB', '512m' or '4096' as bytes; K, M, G, T, P and E are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:([kmgtpe]?)b?|([kmgtpe])ib)", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"'{text}' is no size, such as 8GiB or 512MiB")
    count = float(match[1]) * 1024 ** " kmgtpe".index((match[2] or match[3] or " ").lower())
    if count >= 2**63:
        raise UsageError(f"'{text}' is more than any machine has")
    return int(count)


def edge_share(text: str) -> float | None:
    """Returns 1 for 'edges', 0.2 for 'edges/5': a size as a share of a graph's edges. None for other texts."""
    match = re.fullmatch(r"edges(?:/(\d+(?:\.\d+)?))?", text)
    if not match or (match[1] and float(match[1]) == 0):
        return None
    return 1 / float(match[1] or 1)


def format_bytes(count: float) -> str:
    """Returns 1536 as '1.50 KiB': three figures, four from 1000 on."""
    count, unit = scaled(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB"), 1023.5)
    decimals = 0 if unit == "B" or count >= 99.95 else 1 if count >= 9.995 else 2
    return f"{count:,.{decimals}f} {unit}"


def scaled(value: float, step: int, units: Sequence[str], most: float) -> tuple[float, str]:
    """Returns the value in the first unit in which it is below `most`, else in the last; each is `step` times the one
    before."""
    i = 0
    while value >= most and i + 1 < len(units):
        value /= step
        i += 1
    return value, units[i]


def algorithm_of(text: str) -> str:
    """Returns 'pagerank' for 'pr', 'PageRank' and 'page-rank', as graphrun."""
    name = spell(text, _NAMES)
    return SHORT_FORMS.get(name, name)


def algorithm_among(names: Sequence[str], text: str) -> str:
    """Returns a text's algorithm by the configuration's name; the text itself for none of them."""
    meant = (text, spell(text, names), algorithm_of(text)) if text else ()
    return next((name for name in meant if name in names), text)


def to_arguments(options: Options) -> list[str]:
    """Returns {"page": "4KiB", "undirected": true} as --page 4KiB --undirected; omits an option that is false."""
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
    """Returns the schema of an object that maps an option's name to its value, or several."""
    value = {"type": ["string", "number", "boolean"], "title": "a text, a number, true or false"}
    cache = shape(value | {"wrong": _what_is_wrong_with_cache})
    names = {"wrong": _what_is_wrong_with_name}
    return OBJECT | {"propertyNames": names, "properties": {"cache": cache}, "additionalProperties": shape(value)}


ALGORITHM = one_of(_NAMES)
OPTIONS = _options(lambda value: value)
OPTIONS_FOR = OBJECT | {
    "propertyNames": one_of(_NAMES, "have"),
    "additionalProperties": OPTIONS,
    "wrong": _what_is_wrong_with_options_for,
}
VARY = _options(lambda value: list_of(value, 1)) | {"wrong": _what_is_wrong_with_vary}
