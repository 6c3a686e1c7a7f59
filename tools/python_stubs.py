# SPDX-License-Identifier: Apache-2.0
"""python_stubs.py BUILD: writes the keywords of options into apps/python/graphrun/__init__.pyi, from what BUILD/graphrun says of them.

A function that takes them has a line `*,  # keywords of NAME` there; what follows up to the end of its arguments is written anew.
A method of an algorithm that is not there is added.
"""

import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

STUBS = Path(__file__).resolve().parent.parent / "apps/python/graphrun/__init__.pyi"
TYPES = {"flag": "bool", "whole": "int", "real": "float", "size": "int | str", "name": "str", "text": "str"}
OTHERS = {"ids": "int | str", "columns": "str | Sequence[str]", "stripe": "str | Sequence[str]", "fabric_deadline": "int", "timeout": "float"}


def type_of(name, option):
    if name in OTHERS:
        return OTHERS[name]
    kind = TYPES[option["kind"]]
    return f"bool | {kind}" if "implied" in option or {"on", "off"} & set(option.get("names", ())) else kind


def keywords_of(function):
    from graphrun import _options

    if function == "open":
        tables = [_options.LOADING]
    else:
        tables = [_options.RUN[_options.METHODS[function]], _options.PLACEMENT, _options.CALL]
    names = {name: option for table in tables for name, option in table.items() if name != "source"}
    return " ".join(f"{name}:~{type_of(name, option).replace(' ', '~')}~|~None~=~None," for name, option in names.items())


def written(text):
    from graphrun import _options

    missing = (name for name in _options.METHODS if f"    def {name}(" not in text)
    added = "".join(f"    def {name}(\n        self,\n        *,  # keywords of {name}\n    ) -> Answer: ...\n" for name in missing)
    text = text.replace("    def sample(", added + "    def sample(")

    def anew(found):
        indent, function = found[1], found[2]
        lines = textwrap.wrap(keywords_of(function), 128 - len(indent), break_on_hyphens=False, break_long_words=False)
        return f"{indent}*,  # keywords of {function}\n" + "".join(f"{indent}{line.replace('~', ' ')}\n" for line in lines)

    return re.sub(r"^( +)\*,  # keywords of (\w+)\n(?:\1.*\n)*", anew, text, flags=re.M)


if __name__ == "__main__":
    # Loads the package without its compiled part: the program has the same options.
    said = subprocess.run([Path(sys.argv[1], "graphrun"), "--describe"], stdout=subprocess.PIPE, text=True, check=True).stdout
    sys.modules["graphrun"] = package = types.ModuleType("graphrun")
    package.__path__ = [str(STUBS.parent)]
    package._core = sys.modules["graphrun._core"] = types.SimpleNamespace(description=said)
    STUBS.write_text(written(STUBS.read_text()))
