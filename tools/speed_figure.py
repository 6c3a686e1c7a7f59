#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of README.md and docs/performance.md, speed.svg and scaling.svg, from the JSON files beside them in docs/figures.

usage: speed_figure.py [--check]
  --check  writes nothing; exits 1 when a committed figure is not what the committed results make
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


def framed(height: float, title: str, body: list[str]) -> str:
    head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height:.0f}' width='{_WIDTH}' height='{height:.0f}' {_FONT} fill='#111'>"
    return "\n".join([head, f"<title>{title}</title>", "<rect width='100%' height='100%' fill='#fff'/>", *body, "</svg>"]) + "\n"


def draw_speed(results: dict) -> str:
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
    return framed(height, "graphrun beside EMOGI's code on a GPU, and beside a mapped file and the GAP Benchmark Suite on a CPU", body)


def draw_scaling(results: dict) -> str:
    """Draws a panel an algorithm, side by side: lines over scales on a common logarithmic axis, and models as dashes."""
    scales, top, height = results["scales"], 90, 400
    width, below = (_WIDTH - 2 * _MARGIN - 36) / len(results["panels"]), height - 60
    x_of = lambda panel, scale: _MARGIN + 42 + panel * width + (width - 50) * (scale - scales[0]) / (scales[-1] - scales[0])
    y_of = lambda ns: below - (below - top) * (math.log10(ns) + 3) / 4.5
    body = []
    for i, (series, colour) in enumerate(zip(results["series"], _COLOURS)):
        body.append(f"<rect x='{_MARGIN}' y='{_MARGIN + 16 * i}' width='11' height='11' fill='{colour}'/>")
        dashes = f"; dashes: the model, {series['model']}" if series["model"] else ""
        body.append(text(_MARGIN + 17, _MARGIN + 16 * i + 10, f"{series['what']}; commit {series['commit']}, {series['date']}{dashes}"))
    for power in range(-3, 2):
        y = y_of(10**power)
        body.append(f"<path d='M{_MARGIN + 36} {y:.1f}H{_WIDTH - _MARGIN}' stroke='#ddd'/>")
        body.append(text(_MARGIN, y + 4, f"{10.0**power:g}", 10))
    for i, panel in enumerate(results["panels"]):
        body.append(text(x_of(i, scales[0]), top - 8, panel["title"], 13, "font-weight='bold'"))
        for ns, model, colour in zip(panel["ns"], panel["model"], _COLOURS):
            points = [f"{x_of(i, scale):.1f} {y_of(value):.1f}" for scale, value in zip(scales, ns)]
            body.append(f"<path d='M{'L'.join(points)}' fill='none' stroke='{colour}' stroke-width='2'/>")
            body.append(text(x_of(i, scales[len(ns) - 1]) - 14, y_of(ns[-1]) - 5, f"{ns[-1]:.2g}", 10))
            if model:
                ends = f"M{x_of(i, scales[0]):.1f} {y_of(model):.1f}H{x_of(i, scales[len(ns) - 1]):.1f}"
                body.append(f"<path d='{ends}' stroke='{colour}' stroke-dasharray='3 3'/>")
        body += [text(x_of(i, scale) - 6, below + 26, str(scale), 10) for scale in scales]
    body.append(text(_MARGIN, height - 12, "ns an edge of kron:SCALE:16, by scale, both axes logarithmic: level lines scale.", 10, "fill='#555'"))
    return framed(height, "Time an edge of Kronecker graphs of scale 20 to 27", body)


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for name, draw in (("speed", draw_speed), ("scaling", draw_scaling)):
        figure = draw(json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")))
        target = _FOLDER / f"{name}.svg"
        if not arguments:
            target.write_text(figure, encoding="utf-8")
        elif target.read_text(encoding="utf-8") != figure:
            print(f"docs/figures/{name}.svg is not what {name}.json makes: run tools/speed_figure.py", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
