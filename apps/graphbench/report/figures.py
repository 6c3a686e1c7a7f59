"""Figures with matplotlib, legible in black and white: bars differ in hatch and grey, lines in marker and dash, and every bar and point
shows its spread. What is emulated, unverified or incomplete has an open marker or a star."""

import io
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import matplotlib

matplotlib.use("Agg")
import matplotlib.figure  # noqa: E402

from ..cells import CellResult, Sweep  # noqa: E402
from ..config import FigureSpec  # noqa: E402
from ..measures import MEASURES  # noqa: E402
from ..sample import Estimate  # noqa: E402
from ..sizes import parse_bytes  # noqa: E402
from ..errors import UsageError  # noqa: E402
from .view import Bandwidth  # noqa: E402

_FILLS = ("#f2f2f2", "#9ecae1", "#4a7fb0", "#dadada", "#1f3d5c", "#c6dbef", "#6b6b6b", "#ffffff")
_HATCHES = ("", "////", "", "....", "", "xxxx", "\\\\\\\\", "++++")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
_STYLE = {
    "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.7,
    "axes.axisbelow": True, "axes.grid": True, "axes.grid.axis": "y", "grid.color": "#d0d0d0", "grid.linewidth": 0.5,
    "hatch.linewidth": 0.6, "legend.frameon": False, "xtick.major.width": 0.7, "ytick.major.width": 0.7, "svg.hashsalt": "graphbench",
    "svg.fonttype": "path",
}
_SUSPECT = ("emulated", "unverified", "wrong")
_MOST_BARS = 60


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    note: str
    rows: list[str]  # ids of the rows that are shown
    draw: Callable[[], matplotlib.figure.Figure]

    def svg(self) -> str:
        return self._save("svg", metadata={"Date": None, "Creator": None}).decode()

    def png(self) -> bytes:
        return self._save("png", dpi=200)

    def _save(self, kind: str, **options: Any) -> bytes:
        with matplotlib.rc_context(_STYLE):
            buffer = io.BytesIO()
            self.draw().savefig(buffer, format=kind, bbox_inches="tight", pad_inches=0.06, **options)
            return buffer.getvalue()


def figures(sweep: Sweep, baseline: str | None, known: dict[str, Bandwidth]) -> list[Figure]:
    """Those that the configuration names; without any, times as bars, and the roofline where a bandwidth is known."""
    wanted = list(sweep.config.figures) or [FigureSpec("bars", "time", ""), FigureSpec("roofline", "time", "")]
    drawn: list[Figure] = []
    for spec in wanted:
        if spec.kind == "roofline":
            drawn += _roofline(sweep, known)
        else:
            for algorithm in sweep.config.algorithms:
                drawn += (_bars if spec.kind == "bars" else _lines)(sweep, algorithm.name, spec, baseline)
    return drawn


def _value(sweep: Sweep, cell: CellResult, measure: str, baseline: str | None) -> Estimate | None:
    if measure != "speed-up":
        return cell.estimate(measure)
    base = sweep.cells.get(type(cell.cell)(cell.cell.graph, cell.cell.algorithm, baseline or ""))
    ratio = cell.speedup(base)
    return Estimate(ratio.value, ratio.low, ratio.high, len(cell.good), 0.95) if ratio else None


def _axis_title(measure: str, baseline: str | None) -> str:
    if measure == "speed-up":
        return f"speed-up over {baseline}"
    found = MEASURES[measure]
    return f"{found.title}, {found.unit}" if found.unit not in ("", "x") else found.title


def _bars(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> list[Figure]:
    graphs = [graph.name for graph in sweep.config.graphs]
    systems = [system.name for system in sweep.config.systems]
    shown: dict[tuple[str, str], tuple[Estimate, CellResult]] = {}
    for cell in (cell for graph in graphs for cell in sweep.cells_of(graph, algorithm)):
        value = _value(sweep, cell, spec.measure, baseline)
        if value is not None and value.median > 0:
            shown[cell.cell.graph, cell.cell.system] = (value, cell)
    graphs = [graph for graph in graphs if any((graph, system) in shown for system in systems)]
    systems = [system for system in systems if any((graph, system) in shown for graph in graphs)]
    if not shown:
        return []
    per_figure = max(1, _MOST_BARS // max(1, len(systems)))
    parts = [graphs[start:start + per_figure] for start in range(0, len(graphs), per_figure)]
    return [_bar_figure(algorithm, spec, baseline, part, systems, shown, i, len(parts)) for i, part in enumerate(parts)]


def _bar_figure(algorithm: str, spec: FigureSpec, baseline: str | None, graphs: list[str], systems: list[str],
                shown: dict[tuple[str, str], tuple[Estimate, CellResult]], part: int, parts: int) -> Figure:
    cells = [shown[graph, system][1] for graph in graphs for system in systems if (graph, system) in shown]
    starred = any(_is_suspect(cell) for cell in cells)

    def draw() -> matplotlib.figure.Figure:
        width = min(9.5, max(5.6, 1.2 + 0.28 * len(graphs) * (len(systems) + 1)))
        figure = matplotlib.figure.Figure(figsize=(width, 2.9))
        axes = figure.subplots()
        step = 0.84 / len(systems)
        for i, system in enumerate(systems):
            at = [g for g, graph in enumerate(graphs) if (graph, system) in shown]
            values = [shown[graphs[g], system][0] for g in at]
            places = [g - 0.42 + step * (i + 0.5) for g in at]
            axes.bar(places, [value.median for value in values], step * 0.94, label=system, facecolor=_FILLS[i % len(_FILLS)],
                     hatch=_HATCHES[i % len(_HATCHES)], edgecolor="black", linewidth=0.7)
            _whiskers(axes, places, values)
            for place, g in zip(places, at):
                value, cell = shown[graphs[g], system]
                if _is_suspect(cell):
                    axes.annotate("*", (place, value.high), ha="center", va="bottom", fontsize=11)
        _scale(axes.yaxis, [value for value, _ in shown.values()])
        if spec.measure == "speed-up":
            axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xticks(range(len(graphs)), graphs, rotation=0 if len(graphs) < 7 else 30, ha="center" if len(graphs) < 7 else "right")
        axes.tick_params(axis="x", length=0)
        axes.set_ylabel(_axis_title(spec.measure, baseline))
        _legend(figure, axes, len(systems))
        return figure

    number = f" ({part + 1} of {parts})" if parts > 1 else ""
    title = f"{algorithm}: {_axis_title(spec.measure, baseline)}{number}"
    note = "Bars are medians, whiskers their intervals." + (" * emulated, unverified, or with wrong runs." if starred else "")
    return Figure(f"{algorithm}-{spec.measure}" + (f"-{part + 1}" if parts > 1 else ""), title, note, _ids(cells), draw)


def _lines(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> list[Figure]:
    series: dict[str, list[tuple[float, Estimate, CellResult]]] = {}
    for graph in sweep.config.graphs:
        for cell in sweep.cells_of(graph.name, algorithm):
            value = _value(sweep, cell, spec.measure, baseline)
            x = _place(cell, spec.over)
            if value is not None and x is not None and value.median > 0:
                series.setdefault(_series_name(sweep, cell, spec.over), []).append((x, value, cell))
    if not any(len(points) > 1 for points in series.values()):
        return []
    cells = [cell for points in series.values() for _, _, cell in points]

    def draw() -> matplotlib.figure.Figure:
        figure = matplotlib.figure.Figure(figsize=(5.6, 3.2))
        axes = figure.subplots()
        for i, (name, points) in enumerate(series.items()):
            points = sorted(points, key=lambda point: point[0])
            open_marker = any(_is_suspect(cell) for _, _, cell in points)
            axes.plot([x for x, _, _ in points], [value.median for _, value, _ in points], marker=_MARKERS[i % len(_MARKERS)],
                      linestyle=_DASHES[i % len(_DASHES)], color="black" if i % 2 == 0 else "#4a7fb0", linewidth=1.1, markersize=5,
                      markerfacecolor="white" if open_marker else None, label=name)
            _whiskers(axes, [x for x, _, _ in points], [value for _, value, _ in points])
        axes.set_xscale("log", base=2)
        _scale(axes.yaxis, [value for points in series.values() for _, value, _ in points])
        axes.set_xlabel("stored edges" if spec.over == "edges" else spec.over)
        axes.set_ylabel(_axis_title(spec.measure, baseline))
        _legend(figure, axes, len(series))
        return figure

    title = f"{algorithm}: {_axis_title(spec.measure, baseline)} over {'edges' if spec.over == 'edges' else spec.over}"
    note = "Points are medians, whiskers their intervals; open markers: a system that is emulated, unverified, or was wrong somewhere."
    return [Figure(f"{algorithm}-{spec.measure}-over-{spec.over}", title, note, _ids(cells), draw)]


def _roofline(sweep: Sweep, known: dict[str, Bandwidth]) -> list[Figure]:
    """Rate of input edges over bytes that were moved for each; a link's bandwidth is a roof over all that move more."""
    series: dict[str, list[tuple[float, float, CellResult]]] = {}
    for cell in sweep.cells.values():
        moved, time = cell.estimate("moved"), cell.estimate("time")
        if cell.cell.system not in known or moved is None or time is None or moved.median <= 0:
            continue
        edges = sorted(trial["input_edges"] for trial in cell.good[0]["result"]["trials"])[len(cell.good[0]["result"]["trials"]) // 2]
        if edges > 0:
            series.setdefault(cell.cell.system, []).append((moved.median / edges, edges / time.median / 1e6, cell))
    if not series:
        return []
    cells = [cell for points in series.values() for _, _, cell in points]
    algorithms = [algorithm.name for algorithm in sweep.config.algorithms]

    def draw() -> matplotlib.figure.Figure:
        figure = matplotlib.figure.Figure(figsize=(5.6, 3.4))
        axes = figure.subplots()
        xs = [x for points in series.values() for x, _, _ in points]
        ends = (min(xs) / 1.6, max(xs) * 1.6)
        for gb_per_s in sorted({known[system].gb_per_s for system in series}):
            axes.plot(ends, [gb_per_s / x for x in ends], color="black", linewidth=1.4)
            axes.annotate(f"{gb_per_s:.3g} GB/s", (ends[0], gb_per_s / ends[0]), xytext=(4, 4), textcoords="offset points", fontsize=8)
        for i, (name, points) in enumerate(series.items()):
            for j, algorithm in enumerate(algorithms):
                mine = [(x, y) for x, y, cell in points if cell.cell.algorithm == algorithm]
                axes.plot([x for x, _ in mine], [y for _, y in mine], _MARKERS[j % len(_MARKERS)], markerfacecolor=_FILLS[(2 + i) % len(_FILLS)],
                          markeredgecolor="black", markeredgewidth=0.7, linestyle="none", label=f"{algorithm}, {name}" if mine else None)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(axis="both")
        axes.set_xlabel("bytes moved for an input edge")
        axes.set_ylabel("input edges, G/s")
        _legend(figure, axes, len(series) * len(algorithms))
        return figure

    return [Figure("roofline", "Roofline: edges a second against the measured bandwidth",
                   "Points on the line move bytes at the full rate of the link or disk; what lies below waits for something else.", _ids(cells), draw)]


def _whiskers(axes: Any, places: Sequence[float], values: Sequence[Estimate]) -> None:
    axes.errorbar(places, [value.median for value in values], fmt="none", ecolor="black", elinewidth=0.8, capsize=2,
                  yerr=[[value.median - value.low for value in values], [value.high - value.median for value in values]])


def _legend(figure: matplotlib.figure.Figure, axes: Any, count: int) -> None:
    if count > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=min(4, count), fontsize=8, handlelength=1.8, borderaxespad=0.3)


def _scale(axis: Any, values: list[Estimate]) -> None:
    """Logarithmic when the values span much, with plain numbers at its ticks."""
    if max(value.high for value in values) <= 12 * min(value.median for value in values):
        return
    axis.axes.set_yscale("log")
    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")


def _is_suspect(cell: CellResult) -> bool:
    return any(word in mark for mark in cell.marks() for word in _SUSPECT)


def _ids(cells: list[CellResult]) -> list[str]:
    return [row["row"] for cell in cells for row in cell.good]


def _place(cell: CellResult, over: str) -> float | None:
    if not cell.good:
        return None
    if over == "edges":
        return cell.good[0]["result"]["graph"]["m"]
    value = cell.good[0]["options"].get(over)
    try:
        return float(value) if isinstance(value, (int, float)) else parse_bytes(str(value)) if value is not None else None
    except UsageError:
        return None


def _series_name(sweep: Sweep, cell: CellResult, over: str) -> str:
    if over == "edges":
        return cell.cell.system
    system = cell.cell.system.replace(f", {over} {cell.good[0]['options'].get(over)}", "")
    return system if len(sweep.config.graphs) == 1 else f"{system}, {cell.cell.graph}"
