#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/paper/README.md and paper.svg from docs/paper/results.json and configs/paper/figures.json.

usage: paper_page.py [--check] [RESULTS.json...]
  RESULTS.json  of `graphbench paper`, which are added to the committed results: those of a later file stay
  --check       writes nothing; exits 1 when the committed page is not what the committed results make
"""

import json
import sys
from pathlib import Path

_TREE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_TREE / "apps"))
sys.dont_write_bytecode = True

from graphbench.paper.make import merge, write_page  # noqa: E402
from graphbench.paper.page import page, picture  # noqa: E402
from graphbench.paper.table import read_table  # noqa: E402

_FOLDER = _TREE / "docs" / "paper"


def load(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    added = [Path(argument) for argument in arguments if argument != "--check"]
    if any(path.name.startswith("-") for path in added) or (check and added):
        print(__doc__, file=sys.stderr)
        return 2
    table = read_table(_TREE / "configs" / "paper" / "figures.json")
    committed = _FOLDER / "results.json"
    files = [*([committed] if committed.exists() else []), *added]
    if not files:
        print(f"error: there is no {committed}, and no other results are named", file=sys.stderr)
        return 2
    found = load(files[0])
    for path in files[1:]:
        found = merge(found, load(path))
    if not check:
        _FOLDER.mkdir(exist_ok=True)
        write_page(table, found, _FOLDER)
        return 0
    made = {"README.md": page(table, found), "paper.svg": picture(table, found)}
    stale = [name for name, text in made.items() if (_FOLDER / name).read_text(encoding="utf-8") != text]
    for name in stale:
        print(f"{_FOLDER / name} is not what the results make: tools/paper_page.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
