#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/speed.svg, the figure of README.md, from docs/figures/speed.json.

usage: speed_figure.py [--check]
  --check  writes nothing; exits 1 when the committed figure is not what the committed results make
"""

import json
import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

_FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"
_WIDTH, _MARGIN, _GAP = 900, 16, 24
_LABEL, _BAR, _ROW_GAP = 88, 15, 9  # pixels: names of rows, height of a bar, space between rows
_COLOURS = ("#9aa3ad", "#2f6fb2", "#123f73")
_FONT = "font-family='DejaVu Sans, Verdana, Arial, sans-serif'"
_ROOM = 92  # pixels right of the longest bar, for its figure


def text(x: float, y: float, words: str, size: int = 11, more: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' {more}>{escape(words)}</text>"


def number(ms: float) -> str:
    return f"{ms:,.0f} ms" if ms >= 100 else f"{ms:.3g} ms"


def times(peer: float, ours: float) -> str:
    ratio = peer / ours
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def panel_height(panel: dict) -> float:
    return 40 + 16 * len(panel["series"]) + sum(_BAR * len(row["ms"]) + _ROW_GAP for row in panel["rows"]) + 30


def draw_panel(panel: dict, x: float, y: float, width: float) -> list[str]:
    """Draws bars on a logarithmic scale, which begins at half of the smallest figure. The first series is the reference."""
    out = [text(x, y + 14, panel["title"], 13, "font-weight='bold'")]
    y += 26
    for series, colour in zip(panel["series"], _COLOURS):
        out.append(f"<rect x='{x:.1f}' y='{y:.1f}' width='11' height='11' fill='{colour}'/>")
        out.append(text(x + 17, y + 10, series))
        y += 16
    y += 8
    all_ms = [ms for row in panel["rows"] for ms in row["ms"]]
    least, most = math.log(min(all_ms) / 2), math.log(max(all_ms))
    for row in panel["rows"]:
        out.append(text(x, y + _BAR * len(row["ms"]) / 2 + 4, row["what"], 12))
        for i, ms in enumerate(row["ms"]):
            length = (width - _LABEL - _ROOM) * (math.log(ms) - least) / (most - least)
            out.append(f"<rect x='{x + _LABEL:.1f}' y='{y:.1f}' width='{length:.1f}' height='{_BAR - 2}' fill='{_COLOURS[i]}'/>")
            figure = number(ms) if i == 0 else f"{number(ms)}, {times(row['ms'][0], ms)}"
            out.append(text(x + _LABEL + length + 5, y + _BAR - 4, figure, 11, "font-weight='bold'" if i else ""))
            y += _BAR
        y += _ROW_GAP
    out.append(text(x, y + 8, f"{panel['graph']}; commit {panel['commit']}, {panel['date']}", 10, "fill='#555'"))
    return out


def draw(results: dict) -> str:
    """Draws the first panel in the left half, the others in the right half, one below the other."""
    first, *others = results["panels"]
    width = (_WIDTH - 2 * _MARGIN - _GAP) / 2
    height = 2 * _MARGIN + max(panel_height(first), sum(map(panel_height, others)))
    body = draw_panel(first, _MARGIN, _MARGIN, width)
    y = float(_MARGIN)
    for panel in others:
        body += draw_panel(panel, _MARGIN + width + _GAP, y, width)
        y += panel_height(panel)
    body.append(text(_MARGIN, height - 12, "Medians in ms on a logarithmic scale: shorter is faster. × says how many times as fast.", 10, "fill='#555'"))
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height:.0f}' width='{_WIDTH}' height='{height:.0f}' {_FONT} fill='#111'>"
    title = "<title>graphrun beside EMOGI's code on a GPU, and beside a mapped file and the GAP Benchmark Suite on a CPU</title>"
    return "\n".join([head, title, "<rect width='100%' height='100%' fill='#fff'/>", *body, "</svg>"]) + "\n"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    figure = draw(json.loads((_FOLDER / "speed.json").read_text(encoding="utf-8")))
    target = _FOLDER / "speed.svg"
    if not arguments:
        target.write_text(figure, encoding="utf-8")
        return 0
    if target.read_text(encoding="utf-8") == figure:
        return 0
    print("docs/figures/speed.svg is not what speed.json makes: run tools/speed_figure.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
