"""The options of the command line as keywords, from the table that the program's own help is made of."""

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
ALGORITHMS = tuple(each["name"] for each in _known["algorithms"])
# `memory` bounds what the program loads, `profile` is of a run that places its own graph, and the functions say the rest otherwise.
_NOT_KEYWORDS = {"graph", "algo", "trust-file", "memory", "profile"}


def _is_of_run(option, algorithm):
    readers = option.get("read_by", {}).get("algorithms") or ALGORITHMS
    return (option["group"] == "Run" or option["name"] in ("weights", "verify")) and algorithm in readers


def _keywords(wanted):
    return {
        each["name"].replace("-", "_"): each for each in _known["options"] if each["name"] not in _NOT_KEYWORDS and wanted(each)
    }


PLACEMENT = _keywords(lambda option: option["group"] == "Placement")
LOADING = _keywords(lambda option: option["group"] == "Graph" and option["name"] != "weights")
RUN = {algorithm: _keywords(lambda option: _is_of_run(option, algorithm)) for algorithm in ALGORITHMS}
RUN["sample"] = {}  # Graph.sample() has them by name

_ALL = {name for table in (LOADING, PLACEMENT, *RUN.values()) for name in table}
_COMMAND_OR_OPTION = re.compile(r"(?<![\w/.-])graph(?:conv|run|memd)\b.*?(?:[;)]|, and |$)|(?<![\w/.-])--([a-z][a-z-]*)")


def in_keywords(sentence):
    """What graphrun says, with keywords in place of options that are no part of a command: page for --page."""

    def named(found):
        name = (found[1] or "").replace("-", "_")
        return name if name in _ALL else found[0]

    return _COMMAND_OR_OPTION.sub(named, sentence)


for _each in _known["options"]:
    _each["help"] = in_keywords(_each["help"])


def check(function, given, *tables):
    """Raises TypeError when a keyword of `given` is in none of the tables. What the function has by name it takes, too."""
    known = [name for table in tables for name in table]
    for name in given:
        if name not in known:
            by_name = [each for each in inspect.signature(function).parameters if each not in ("self", "options")]
            takes = list(dict.fromkeys([*by_name, *known]))
            near = difflib.get_close_matches(name, takes, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; it takes {', '.join(takes)}"
            raise TypeError(f"{function.__name__}() takes no keyword '{name}'{hint}")


def _text(name, value):
    """What a user would type for `value`."""
    if value is True:
        return ""
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def texts(table, given):
    """Names and texts of what `given` has of `table`. None, and False of a flag, are as if they were left out."""
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
    """Lines of a docstring."""
    lines = []
    for name, option in table.items():
        if not common_only or option["common"]:
            lines += textwrap.wrap(f"{name}: {option['help']}", 100, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)
