"""Options of graphrun as configurations write them, objects of names without dashes, and as the command line does."""

import math
from typing import Any

from .schema import Fields, is_number, suggestion
from .sizes import edge_share

Options = dict[str, Any]

ALGORITHMS = ("bfs", "sssp", "cc", "pagerank")
_MOST_VARIED = 1000
# Given by fields of their own, so that they are the same for all systems under comparison, or taken by graphbench.
_RESERVED = {
    "graph": "graphs",
    "algo": "algorithms",
    "backend": "systems",
    "verify": "verify",
    "warm": "warm",
    "trials": "trials",
    "json": None,
    "output": None,
    "parents": None,
    "quiet": None,
    "verbose": None,
    "list": None,
    "help": None,
    "version": None,
}


def to_arguments(options: Options) -> list[str]:
    """{"page": "4KiB", "undirected": true} as --page 4KiB --undirected; false leaves an option out."""
    arguments: list[str] = []
    for name, value in options.items():
        if value is True:
            arguments.append(f"--{name}")
        elif value is not False:
            arguments += [f"--{name}", str(value)]
    return arguments


def product(vary: dict[str, list[Any]]) -> list[Options]:
    """Every choice of one value for each option; one empty choice when there are none."""
    combinations: list[Options] = [{}]
    for key, values in vary.items():
        combinations = [{**before, key: value} for before in combinations for value in values]
    return combinations


def read_vary(fields: Fields) -> dict[str, list[Any]]:
    vary = fields.object("vary")
    for key, values in vary.items():
        if not isinstance(values, list) or not values:
            raise fields.fail(f"'{key}' of 'vary' must be a list of values")
        for value in values:
            _check_option(fields, key, value, "vary")
    if math.prod(map(len, vary.values())) > _MOST_VARIED:
        raise fields.fail(f"'vary' makes more than {_MOST_VARIED} systems of one")
    return vary


def read_options_for(fields: Fields) -> dict[str, Options]:
    by_algorithm = fields.object("options_for")
    for algorithm, options in by_algorithm.items():
        if algorithm not in ALGORITHMS:
            raise fields.fail(f"'options_for' names no algorithm '{algorithm}'{suggestion(algorithm, ALGORITHMS)}")
        if not isinstance(options, dict):
            raise fields.fail(f"'{algorithm}' of 'options_for' must be an object")
        for key, value in options.items():
            _check_option(fields, key, value, "options_for")
    return by_algorithm


def read_options(fields: Fields, name: str) -> Options:
    options = fields.object(name)
    for key, value in options.items():
        _check_option(fields, key, value, name)
    return options


def _check_option(fields: Fields, key: str, value: Any, place: str) -> None:
    if key.startswith("-"):
        raise fields.fail(f"options are written without dashes: '{key.lstrip('-')}' instead of '{key}'")
    if key in _RESERVED:
        instead = _RESERVED[key]
        raise fields.fail(
            f"'{key}' cannot be in '{place}': " + (f"the field '{instead}' says it" if instead else "graphbench sets it")
        )
    if not key:
        raise fields.fail(f"an option of '{place}' has no name")
    if key == "cache" and str(value).startswith("edges") and edge_share(str(value)) is None:
        raise fields.fail(f"'cache': '{value}' is no share of the edges, such as edges/4")
    if not (isinstance(value, (str, bool)) or is_number(value)):
        raise fields.fail(f"option '{key}' must be a text, a number, true or false")
