#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the licence into the first comment line of every source, or says with --check which sources lack it.

usage: tools/spdx.py [--check]    exits 1 when --check finds a source without the line
"""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("apps", "bench", "cmake", "configs", "datasets", "docs", "include", "src", "tests", "tools")
SKIPPED = {ROOT / "datasets" / "data"}  # graphs, which git ignores
LINE = "SPDX-License-Identifier: Apache-2.0"
MARKS = {"//": (".cpp", ".hpp", ".cu", ".cuh"), "#": (".py", ".pyi", ".sh", ".cmake", "CMakeLists.txt")}


def mark_of(path):
    """Returns what begins a comment in a source, or None for other files. Templates (.in) count by the name before it."""
    name = path.name.removesuffix(".in")
    for mark, ends in MARKS.items():
        if name.endswith(ends):
            return mark
    with open(path, "rb") as file:
        return "#" if not path.suffix and file.read(2) == b"#!" else None


def sources():
    """Yields the path of each source and what begins a comment there."""
    yield ROOT / "CMakeLists.txt", "#"
    for top in FOLDERS:
        for folder, names, files in os.walk(ROOT / top):
            names[:] = sorted(name for name in names if name != "__pycache__" and Path(folder, name) not in SKIPPED)
            for path in (Path(folder, name) for name in sorted(files)):
                if not path.is_symlink() and (mark := mark_of(path)):
                    yield path, mark


def with_line(text, mark):
    """Returns the text with the line before all else but "#!"; a text that has it in its first comment line is unchanged."""
    first, rest = ("", text)
    if text.startswith("#!"):
        first, rest = text[: text.find("\n") + 1] or text + "\n", text.partition("\n")[2]
    if rest.startswith(f"{mark} {LINE}\n"):
        return text
    gap = "" if not rest or rest.startswith((mark, '"""', "\n")) else "\n"
    return f"{first}{mark} {LINE}\n{gap}{rest}"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__.rpartition("\n\n")[2], file=sys.stderr)
        return 2
    lacking = 0
    for path, mark in sources():
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        right = with_line(text, mark)
        if right == text:
            continue
        lacking += 1
        if arguments:
            print(f"{path.relative_to(ROOT)}: lacks the line '{mark} {LINE}'; tools/spdx.py puts it there", file=sys.stderr)
        else:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(right)
    print(f"{lacking} sources {'lack' if arguments else 'got'} the line")
    return 1 if arguments and lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
