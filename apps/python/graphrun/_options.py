# SPDX-License-Identifier: Apache-2.0
"""The command line's options as keywords, from the table of the program's help."""

import difflib
import inspect
import json
import os
import re
import textwrap

import numpy as np

from . import _core
from ._arrays import utf8
from ._errors import UsageError

_known = json.loads(_core.description)
ALGORITHMS = {each["name"]: each["about"] for each in _known["algorithms"]}
# `memory` bounds the program's loads; functions have the other options as arguments.
_NOT_KEYWORDS = {"graph", "algo", "trust-file", "memory"}


def _is_of_run(option, algorithm):
    readers = option.get("read_by", {}).get("algorithms") or ALGORITHMS
    return (option["group"] == "Run" or option["name"] in ("weights", "verify")) and algorithm in readers


def _keywords(wanted):
    return {
        each["name"].replace("-", "_"): each for each in _known["options"] if each["name"] not in _NOT_KEYWORDS and wanted(each)
    }


# Methods of Graph, and their names on the command line.
METHODS = {"triangles" if name == "tc" else name: name for name in ALGORITHMS} | {"sample": "sample"}
PLACEMENT = _keywords(lambda option: option["group"] == "Placement")
LOADING = _keywords(lambda option: option["group"] == "Graph" and option["name"] != "weights")
RUN = {algorithm: _keywords(lambda option: _is_of_run(option, algorithm)) for algorithm in ALGORITHMS}
CALL = {"timeout": {"help": "seconds after which the call ends with graphrun.TimedOut (default: none)", "common": True}}
RUN["sample"] = {}  # Graph.sample() has them by name

# Keywords of NetworkX, igraph, SciPy, pandas and cuGraph: the keyword that replaces it, or a sentence.
_ELSEWHERE = {
    "alpha": "damping", "tol": "tolerance", "max_iter": "max_iterations", "personalization": "source", "reset": "source",
    "root": "source", "roots": "source", "start": "source", "indices": "source", "source_node": "source", "vertex": "source",
    "k": "sources", "n_jobs": "threads", "workers": "threads", "gpu": "device",
    "weight": "weights", "normalized": "definition", "endpoints": "definition", "sep": "columns", "delimiter": "columns",
    "usecols": "columns", "names": "columns", "nodes": "vertices", "directed": "undirected",
}  # fmt: skip
_SENTENCES = {
    "weight": "it reads no weights: sssp() does",
    "weights": "it reads no weights: sssp() does",
    "target": "an answer has all vertices: answer.values[graph.index(name)]",
    "targets": "an answer has all vertices: answer.values[graph.index(name)]",
    "cutoff": "a search reaches all that it can: leave out what is farther, answer.values <= cutoff",
    "depth_limit": "a search reaches all that it can: leave out what is farther, answer.values <= depth_limit",
    "normalized": 'divide the scores yourself: record["result"]["largest"] is what they were divided by',
    "endpoints": "ends of paths are not counted",
    "seed": 'source="random:SEED" draws by a seed',
    "nstart": "ranks begin alike everywhere",
    "dangling": "what vertices without out-edges have goes where the walk restarts",
    "return_predecessors": "an answer of bfs() has parents",
}

_ALL = {name for table in (LOADING, PLACEMENT, *RUN.values()) for name in table}
_COMMAND_OR_OPTION = re.compile(r"(?<![\w/.-])graph(?:conv|run|memd)\b.*?(?:[;)]|, and |$)|(?<![\w/.-])--([a-z][a-z-]*)")


def in_keywords(sentence):
    """Returns graphrun's text, with keywords for options outside of commands: page for --page."""

    def named(found):
        name = (found[1] or "").replace("-", "_")
        return name if name in _ALL else found[0]

    return _COMMAND_OR_OPTION.sub(named, sentence)


for _each in _known["options"]:
    _each["help"] = in_keywords(_each["help"]).replace("a wrong one ends with exit code 1", "verified is False for a wrong one")
    _each["help"] = _each["help"].replace("names below", ", ".join(_each.get("names", ())))


def sign(function, *tables):
    """Gives a function that takes `**options` a signature with their names, for completion."""
    own = [each for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]
    names = dict.fromkeys(name for table in tables for name in table if name not in [each.name for each in own])
    keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    function.__signature__ = inspect.Signature([*own, *keywords])


def check(function, given, *tables):
    """Raises TypeError when a keyword of `given` is in none of the tables."""
    known = [name for table in tables for name in table]
    for name in given:
        if name not in known:
            takes = [each for each in inspect.signature(function).parameters if each != "self"]
            raise TypeError(f"{function.__name__}() takes no keyword '{name}'{_hint(name, takes, function.__name__)}")


def _hint(name, takes, function):
    there = _ELSEWHERE.get(name)
    if name == "directed" and there in takes:
        return ": arcs are directed, and undirected=True adds their opposites"
    if name == "personalization" and there in takes:
        return ": source takes the vertices where the walk restarts, or a mapping to their shares"
    if name in _SENTENCES and there not in takes:
        return f": {_SENTENCES[name]}"
    near = difflib.get_close_matches(name, takes, n=1)
    if there in takes or near:
        return f"; did you mean '{there if there in takes else near[0]}'?"
    return f'; graphrun.keywords({repr(function) if function != "open" else ""}) has those that it takes'


def _element(name, text):
    """Returns an item of a comma-separated list; quotes a column's name with a comma, as in CSV."""
    if "," not in text and '"' not in text:
        return text
    if name == "columns":
        return '"' + text.replace('"', '""') + '"'
    raise UsageError(f"{name} is a list with commas between, and {text!r} has a comma or a quote")


def _text(name, value):
    """Returns the text that a user would type for `value`."""
    if value is True:
        return ""
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple)):
        return ",".join(_element(name, os.fsdecode(each) if isinstance(each, (bytes, os.PathLike)) else str(each)) for each in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def texts(table, given):
    """Returns names and texts of `table`'s options in `given`. Ignores None, and False of a flag."""
    pairs = []
    for name, value in given.items():
        if name not in table or value is None:
            continue
        option = table[name]
        value = bool(value) if isinstance(value, np.bool_) else value
        if value is False:
            off = [each for each in ("off", "none") if each in option.get("names", ())]
            if not off:
                continue
            value = off[0]
        if value is True and option["kind"] != "flag" and "implied" not in option:
            value = "on" if "on" in option.get("names", ()) else value
            if value is True:
                raise TypeError(f"{name} takes a value: {option['help']}")
        if option["kind"] == "flag" and value is not True:
            raise TypeError(f"{name} is True or False, not {value!r}")
        text = utf8(_text(name, value), name)
        if b"\0" in text:
            raise UsageError(f"{name} has a null byte, and no value has one: {value!r}")
        pairs.append((option["name"], text))
    return pairs


def described(table, common_only=False):
    """Returns the options' lines of a docstring."""
    lines = []
    for name, option in table.items():
        if not common_only or option["common"]:
            lines += textwrap.wrap(f"{name}: {option['help']}", 100, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)
