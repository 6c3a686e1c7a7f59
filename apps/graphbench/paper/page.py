# SPDX-License-Identifier: Apache-2.0
"""The page of the papers' figures in Markdown, and its picture: our number over the paper's, for each that has both."""

import math
from collections import Counter
from typing import Any
from xml.sax.saxutils import escape

from ..report import numbers
from .answers import KINDS, Answer, best
from .table import QUICK, Figure, Number, PaperTable

_COLUMNS = "| | what | paper | ours | graph | machine | |\n|---|---|---:|---:|---|---|---|\n"
_WIDTH, _LABEL, _ROW, _TOP = 900, 470, 15, 44  # pixels
_MOST = 100.0  # times: the ends of the scale
_COLOURS = dict(zip(KINDS, ("#123f73", "#2f6fb2", "#9aa3ad")))


def page(table: PaperTable, found: dict[str, Any]) -> str:
    """Returns the page of every figure and table, in the order of the papers."""
    machines: dict[str, int] = {}
    body: list[str] = []
    for paper in table.papers:
        lines = [line for figure in paper.figures for line in _lines(figure, found["answers"], machines)]
        body.append(f"\n## {paper.name}\n\n{paper.source}\n\n{_COLUMNS}" + "\n".join(lines) + "\n")
    counts = count(table, found)
    numbers_in_all = len(list(table.numbers()))
    builds = ", ".join(build.removeprefix("graphrun ") for build in found["graphrun"])
    said = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    figures = sum(len(paper.figures) for paper in table.papers)
    head = (
        "# Figures of the papers\n\n"
        "`graphbench paper` made this page; no number of ours is written by hand. REAL ran on a GPU. EMULATED is host "
        "threads in place of a GPU, or storage of a model. MODELLED is computed.\n\n"
        f"- {figures} figures and tables; {numbers_in_all} numbers of theirs: {said}, {counts['']} without ours yet\n"
        f"- {found['made'][:10]}; {builds}; load before runs up to {found['load']:.0f}\n"
        + "".join(f"- machine {number}: {name}\n" for name, number in machines.items())
        + "\n![ours over the papers' numbers](paper.svg)\n"
    )
    return head + "".join(body)


def count(table: PaperTable, found: dict[str, Any]) -> Counter[str]:
    """Counts numbers by kind; numbers without ours count under ""."""
    bests = (best(found["answers"].get(figure.key(number), {})) for figure, number in table.numbers())
    return Counter(answer["kind"] if answer else "" for answer in bests)


def _lines(figure: Figure, answers: dict[str, dict[str, Answer]], machines: dict[str, int]) -> list[str]:
    name = figure.name.removeprefix("Figure ")
    if figure.reason:
        return [_line(name, figure.title, "", f"cannot be expressed here, because {figure.reason}")]
    lines = []
    for number in figure.numbers:
        what = f"{figure.title}: {number.what}"
        published = _with_unit(number.value, number.unit)
        given = answers.get(figure.key(number), {})
        answer = best(given)
        if answer is None:
            lines.append(_line(name, what, published, _why(number, given)))
            continue
        machine = machines.setdefault(answer["machine"], len(machines) + 1)
        lines.append(
            _line(name, what, published, _with_unit(answer["value"], number.unit), answer["on"], str(machine), answer["kind"])
        )
    return lines


def _line(*cells: str) -> str:
    padded = [*cells, *[""] * (7 - len(cells))]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in padded) + " |"


def _with_unit(value: float | None, unit: str) -> str:
    if value is None:
        return "in the figure alone"
    text = numbers.short_count(value) if not unit and abs(value) >= 1e5 else numbers.number(value)
    return numbers.with_unit(text, unit).rstrip()


def _why(number: Number, answers: dict[str, Answer]) -> str:
    if number.pending:
        return f"pending: {number.pending}"
    said = next(
        (answer["why"] for answer in answers.values()),
        "not run yet, needs a GPU" if QUICK not in number.queries else "not run yet",
    )
    return said.replace("\n", " ")[:120]


def picture(table: PaperTable, found: dict[str, Any]) -> str:
    """Draws a dot for each number that both have, on a logarithmic scale around the paper's."""
    dots = []
    for figure, number in table.numbers():
        answer = best(found["answers"].get(figure.key(number), {}))
        if answer and number.value and answer["value"] > 0:
            dots.append((figure.id, number.what, answer["value"] / number.value, answer["kind"]))
    height = _TOP + _ROW * len(dots) + 12
    out = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' viewBox='0 0 {_WIDTH} {height}' "
        "font-family='DejaVu Sans, Verdana, Arial, sans-serif'>",
        f"<rect width='{_WIDTH}' height='{height}' fill='#ffffff'/>",
        _text(8, 18, "Our number over the paper's, on other machines and graphs", 13),
    ]
    for i, kind in enumerate(KINDS):
        out.append(f"<circle cx='{_LABEL + 110 * i}' cy='14' r='4' fill='{_COLOURS[kind]}'/>")
        out.append(_text(_LABEL + 110 * i + 8, 18, kind))
    for tick in (0.01, 0.1, 1.0, 10.0, 100.0):
        out.append(f"<line x1='{_x(tick):.1f}' x2='{_x(tick):.1f}' y1='{_TOP - 6}' y2='{height - 8}' stroke='#c8ced4'/>")
        out.append(_text(_x(tick) - 10, _TOP - 10, f"{tick:g}×"))
    for i, (name, what, ratio, kind) in enumerate(dots):
        y = _TOP + _ROW * i + 8
        label = f"{name}: {what}"
        out.append(_text(8, y + 4, label if len(label) <= 70 else label[:69] + "…", 10))
        out.append(f"<circle cx='{_x(ratio):.1f}' cy='{y}' r='4' fill='{_COLOURS[kind]}'/>")
    return "\n".join([*out, "</svg>"]) + "\n"


def _x(ratio: float) -> float:
    """Returns the position of a ratio; ratios beyond the scale stand at its end."""
    share = (math.log(min(max(ratio, 1 / _MOST), _MOST)) / math.log(_MOST) + 1) / 2
    return _LABEL + 12 + share * (_WIDTH - _LABEL - 40)


def _text(x: float, y: float, words: str, size: int = 11) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}'>{escape(words)}</text>"
