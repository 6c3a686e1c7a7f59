#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints words and Flesch's reading ease of pages in Markdown, by the formula of textstat.

usage: reading_ease.py [--least EASE] [FILE...]    (default: the pages for users, README.md and docs)
  --least  exits 1 when a page has less than EASE; 50 is "fairly difficult"

Reading ease is 206.835 - 1.015 * words / sentences - 84.6 * syllables / words (Flesch 1948). Blocks of code, tables, comments
and addresses of links are left out, a piece of code within a sentence counts as a word of one syllable, and a heading or an item
of a list ends a sentence. Words are counted as `wc -w` does, of the whole file. Syllables are groups of vowels, with the usual
exceptions; figures have one syllable.
"""

import re
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PAGES = ["README.md", "docs/how_it_works.md", "docs/backends.md", "docs/algorithms", "docs/python.md", "docs/library.md", "docs/results.md",
          "docs/sweeps.md", "docs/formats.md", "docs/storage.md", "docs/many.md", "docs/building.md"]
_SHORTEST_SENTENCE = 3  # words: textstat leaves shorter ones out of the count


def prose(markdown: str) -> str:
    text = re.sub(r"^```.*?^```", "", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`\n]+`", "code", text)
    text = re.sub(r"https?://\S+", "code", text)
    text = re.sub(r"^#+ (.*)$", r"\1.", text, flags=re.MULTILINE)
    text = re.sub(r"\n(?=\s*[-*] )", ".\n", text)
    text = re.sub(r"(?<=\d)[.,](?=\d)", "", text)  # no figure ends a sentence
    return re.sub(r"[*_#]", "", text)


def syllables(word: str) -> int:
    word = re.sub(r"[^a-z]", "", word.lower())
    if len(word) <= 3:
        return 1
    word = re.sub(r"(?:(?<=[^laeiouy])e|(?<=[^aeiouytd])ed|(?<=[^aeiouyscgxz])es)$", "", word)
    count = len(re.findall(r"[aeiouy]+", word)) + len(re.findall(r"i[aou](?!u)|eo(?!u)", word)) - len(re.findall(r"[cgst]i[aou]", word))
    return max(1, count)


def measure(markdown: str) -> tuple[int, float]:
    """Returns the words of the page and its reading ease."""
    text = prose(markdown)
    sentences = [s.split() for s in re.split(r"[.!?]+(?=\s|$)", text)]
    words = [w for s in sentences for w in s if re.search(r"\w", w)]
    count = sum(len(s) >= _SHORTEST_SENTENCE for s in sentences)
    if not words or not count:
        return len(markdown.split()), float("nan")
    sum_syllables = sum(max(1, sum(syllables(part) for part in re.split(r"[-/]", w) if part)) for w in words)
    return len(markdown.split()), 206.835 - 1.015 * len(words) / count - 84.6 * sum_syllables / len(words)


def main(arguments: list[str]) -> int:
    least = float("-inf")
    if arguments[:1] == ["--least"] and len(arguments) > 1:
        least, arguments = float(arguments[1]), arguments[2:]
    if any(a.startswith("-") for a in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    named = [Path(a) for a in arguments] or [_ROOT / page for page in _PAGES]
    files = [f for path in named for f in (sorted(path.glob("*.md")) if path.is_dir() else [path])]
    hard = []
    print(" words   ease")
    for file in files:
        words, ease = measure(file.read_text(encoding="utf-8"))
        print(f"{words:6,} {ease:6.1f}  {file.relative_to(_ROOT) if file.is_relative_to(_ROOT) else file}")
        hard += [str(file)] if not ease >= least else []
    for file in hard:
        print(f"{file} has a reading ease below {least:g}", file=sys.stderr)
    return 1 if hard else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
