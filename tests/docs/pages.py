# SPDX-License-Identifier: Apache-2.0
"""The pages of the project: their fenced blocks and their links."""

import re
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)")


@dataclass
class Block:
    """A fenced block: the words behind its fence, its text, the number of its first line."""

    words: list[str]
    text: str
    line: int


def pages() -> list[Path]:
    """Returns README.md and all pages below docs/."""
    return [SOURCES / "README.md", *sorted((SOURCES / "docs").rglob("*.md"))]


def blocks_of(text: str) -> list[Block]:
    """Returns the fenced blocks of a page, in order."""
    blocks = []
    for found in _FENCE.finditer(text):
        inside = re.sub(rf"^{found[1]}", "", found[4], flags=re.MULTILINE)
        blocks.append(Block(found[3].split(), inside, text.count("\n", 0, found.start()) + 2))
    return blocks


def prose_of(text: str) -> str:
    """Returns a page with its fenced blocks as empty lines, so that lines keep their numbers."""
    return _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)


def links_of(text: str) -> list[tuple[int, str]]:
    """Returns the line and the target of each link in the prose of a page."""
    prose = re.sub(r"`[^`\n]*`", lambda found: "x" * len(found[0]), prose_of(text))
    return [(prose.count("\n", 0, found.start()) + 1, found[1]) for found in _LINK.finditer(prose)]


def anchors_of(text: str) -> set[str]:
    """Returns the anchors that GitHub gives to the headings of a page."""
    anchors: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", prose_of(text), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        anchors[anchor] = anchors.get(anchor, -1) + 1
    return {name if number == 0 else f"{name}-{number}" for name, count in anchors.items() for number in range(count + 1)}
