"""Bars and lines, and which figures a sweep has."""

import matplotlib.figure
import matplotlib.patches

from ..cells import CellResult, Sweep
from ..config import EDGES, OVERSUBSCRIPTION, FigureSpec
from ..errors import UsageError
from ..measures import MEASURES, SPEED_UP, edge_bytes
from ..plan import Cell
from ..sample import Estimate
from ..sizes import parse_bytes
from .drawing import DASHES, MARKERS, Figure, bar_look, ids, is_suspect, legend, scale, whiskers
from .roofline import roofline
from .view import Bandwidth

_MOST_BARS = 60
LOST = "×"
_SIZES = ("cache", "page", "uvm-fault", "uvm-prefetch", "uvm-block")  # options whose values are bytes
_OVER_TITLES = {EDGES: "stored edges", OVERSUBSCRIPTION: "oversubscription: bytes of edges over cache, less 1"}


def figures(sweep: Sweep, baseline: str | None, known: dict[str, Bandwidth]) -> list[Figure]:
    """Those that the configuration names; without any, times as bars, and the roofline where a bandwidth is known."""
    wanted = list(sweep.config.figures) or [FigureSpec("bars", "time", ""), FigureSpec("roofline", "time", "")]
    drawn: list[Figure] = []
    for spec in wanted:
        if spec.kind == "roofline":
            drawn += roofline(sweep, known)
        else:
            for algorithm in sweep.config.algorithms:
                drawn += (_bars if spec.kind == "bars" else _lines)(sweep, algorithm.name, spec, baseline)
    return drawn


def _value(sweep: Sweep, cell: CellResult, measure: str, baseline: str | None) -> Estimate | None:
    if measure != SPEED_UP:
        return cell.estimate(measure)
    base = sweep.cells.get(Cell(cell.cell.graph, cell.cell.algorithm, baseline or ""))
    ratio = cell.speedup(base)
    return Estimate(ratio.value, ratio.low, ratio.high, len(cell.good), 0.95) if ratio else None


def _axis_title(measure: str, baseline: str | None) -> str:
    if measure == SPEED_UP:
        return f"speed-up over {baseline}"
    found = MEASURES[measure]
    return f"{found.title}, {found.unit}" if found.unit not in ("", "x") else found.title


def _bars(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> list[Figure]:
    graphs = [graph.name for graph in sweep.config.graphs]
    systems = [system.name for system in sweep.config.systems]
    shown: dict[tuple[str, str], tuple[Estimate, CellResult]] = {}
    failed: set[tuple[str, str]] = set()
    for cell in (cell for graph in graphs for cell in sweep.cells_of(graph, algorithm)):
        value = _value(sweep, cell, spec.measure, baseline)
        if value is not None and value.median > 0:
            shown[cell.cell.graph, cell.cell.system] = (value, cell)
        elif cell.bad and not cell.good:
            failed.add((cell.cell.graph, cell.cell.system))
    graphs = [graph for graph in graphs if any((graph, system) in shown for system in systems)]
    systems = [system for system in systems if any((graph, system) in shown.keys() | failed for graph in graphs)]
    if not shown:
        return []
    per_figure = max(1, _MOST_BARS // max(1, len(systems)))
    parts = [graphs[start : start + per_figure] for start in range(0, len(graphs), per_figure)]
    return [_bar_figure(algorithm, spec, baseline, part, systems, shown, failed, i, len(parts)) for i, part in enumerate(parts)]


def _bar_figure(
    algorithm: str,
    spec: FigureSpec,
    baseline: str | None,
    graphs: list[str],
    systems: list[str],
    shown: dict[tuple[str, str], tuple[Estimate, CellResult]],
    failed: set[tuple[str, str]],
    part: int,
    parts: int,
) -> Figure:
    cells = [shown[graph, system][1] for graph in graphs for system in systems if (graph, system) in shown]
    lost = [(g, i) for g, graph in enumerate(graphs) for i, system in enumerate(systems) if (graph, system) in failed]
    starred = any(is_suspect(cell) for cell in cells)

    def draw() -> matplotlib.figure.Figure:
        width = min(9.5, max(5.6, 1.2 + 0.28 * len(graphs) * (len(systems) + 1)))
        figure = matplotlib.figure.Figure(figsize=(width, 2.9))
        axes = figure.subplots()
        step = 0.84 / len(systems)
        for i, system in enumerate(systems):
            at = [g for g, graph in enumerate(graphs) if (graph, system) in shown]
            values = [shown[graphs[g], system][0] for g in at]
            places = [g - 0.42 + step * (i + 0.5) for g in at]
            axes.bar(places, [value.median for value in values], step * 0.94, **bar_look(i))
            whiskers(axes, places, values)
            for place, g in zip(places, at):
                value, cell = shown[graphs[g], system]
                if is_suspect(cell):
                    axes.annotate("*", (place, value.high), ha="center", va="bottom", fontsize=11)
        scale(axes.yaxis, [value for value, _ in shown.values()])
        for g, i in lost:  # at the foot of where the bar would be
            place = (g - 0.42 + step * (i + 0.5), 0)
            axes.annotate(LOST, place, xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=10)
        if spec.measure == SPEED_UP:
            axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xticks(
            range(len(graphs)), graphs, rotation=0 if len(graphs) < 7 else 30, ha="center" if len(graphs) < 7 else "right"
        )
        axes.tick_params(axis="x", length=0)
        if len(graphs) == 1:
            axes.set_xlim(-1, 1)
        axes.set_ylabel(_axis_title(spec.measure, baseline))
        legend(axes, [matplotlib.patches.Patch(label=system, **bar_look(i)) for i, system in enumerate(systems)])
        return figure

    number = f" ({part + 1} of {parts})" if parts > 1 else ""
    title = f"{algorithm}: {_axis_title(spec.measure, baseline)}{number}"
    note = "Bars are medians, whiskers their intervals."
    note += " * emulated, unverified, or with wrong runs." if starred else ""
    note += f" {LOST} no run ended well." if lost else ""
    return Figure(f"{algorithm}-{spec.measure}" + (f"-{part + 1}" if parts > 1 else ""), title, note, ids(cells), draw)


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
            open_marker = any(is_suspect(cell) for _, _, cell in points)
            axes.plot(
                [x for x, _, _ in points],
                [value.median for _, value, _ in points],
                marker=MARKERS[i % len(MARKERS)],
                linestyle=DASHES[i % len(DASHES)],
                color="black" if i % 2 == 0 else "#4a7fb0",
                linewidth=1.1,
                markersize=5,
                markerfacecolor="white" if open_marker else None,
                label=name,
            )
            whiskers(axes, [x for x, _, _ in points], [value for _, value, _ in points])
        if spec.over != OVERSUBSCRIPTION:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter(lambda value, _: _short(value, spec.over))
        scale(axes.yaxis, [value for points in series.values() for _, value, _ in points])
        axes.set_xlabel(_OVER_TITLES.get(spec.over, spec.over))
        axes.set_ylabel(_axis_title(spec.measure, baseline))
        legend(axes)
        return figure

    title = f"{algorithm}: {_axis_title(spec.measure, baseline)}, by {spec.over}"
    note = "Points are medians, whiskers their intervals; open markers: emulated, unverified, or wrong somewhere."
    return [Figure(f"{algorithm}-{spec.measure}-over-{spec.over}", title, note, ids(cells), draw)]


def _place(cell: CellResult, over: str) -> float | None:
    if not cell.good:
        return None
    if over == EDGES:
        return cell.good[0]["result"]["graph"]["m"]
    cache_bytes = cell.good[0]["result"]["options"]["cache_bytes"]
    if over == OVERSUBSCRIPTION:
        return max(0, edge_bytes(cell.good[0]) / cache_bytes - 1) if cache_bytes else None
    if over == "cache":
        return cache_bytes
    value = cell.good[0]["options"].get(over)
    try:
        return float(value) if isinstance(value, (int, float)) else parse_bytes(str(value)) if value is not None else None
    except UsageError:
        return None


def _short(value: float, over: str) -> str:
    """A power of two as 4 Mi, and as 4 MiB where it is a size."""
    unit = 0
    while value >= 1024 and unit < 4:
        value /= 1024
        unit += 1
    return f"{value:g} {('', 'Ki', 'Mi', 'Gi', 'Ti')[unit]}{'B' if over in _SIZES else ''}".rstrip()


def _series_name(sweep: Sweep, cell: CellResult, over: str) -> str:
    if over == EDGES:
        return cell.cell.system
    option = "cache" if over == OVERSUBSCRIPTION else over
    system = cell.cell.system.replace(f", {option} {cell.good[0]['options'].get(option)}", "")
    return system if len(sweep.config.graphs) == 1 else f"{system}, {cell.cell.graph}"
