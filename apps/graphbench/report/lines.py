"""Lines: a measure by the size of a graph, or by the values of an option."""

import matplotlib.figure

from ..cells import CellResult, Sweep
from ..config import EDGES, OVERSUBSCRIPTION, FigureSpec
from ..errors import UsageError
from ..measures import edge_bytes
from ..sample import Estimate
from ..sizes import parse_bytes, scaled
from .drawing import DASHES, MARKERS, Figure, ids, legend, scale, whiskers
from .values import axis_title, value_of

_SIZES = ("cache", "page", "uvm-fault", "uvm-prefetch", "uvm-block")  # options whose values are bytes
_OVER_TITLES = {EDGES: "stored edges", OVERSUBSCRIPTION: "oversubscription: bytes of edges over cache, less 1"}


def lines(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> list[Figure]:
    series: dict[str, list[tuple[float, Estimate, CellResult]]] = {}
    order: dict[str, int] = {}  # the same look in all figures, those too that lack a series
    for graph in sweep.config.graphs:
        for cell in sweep.cells_of(graph.name, algorithm):
            if not cell.good:
                continue
            name = _series_name(sweep, cell, spec.over)
            order.setdefault(name, len(order))
            value = value_of(sweep, cell, spec.measure, baseline)
            x = _place(cell, spec.over)
            if value is not None and x is not None and value.median > 0:
                series.setdefault(name, []).append((x, value, cell))
    if not any(len(points) > 1 for points in series.values()):
        return []
    cells = [cell for points in series.values() for _, _, cell in points]

    def draw() -> matplotlib.figure.Figure:
        figure = matplotlib.figure.Figure(figsize=(5.6, 3.2))
        axes = figure.subplots()
        for name, points in series.items():
            i = order[name]
            points = sorted(points, key=lambda point: point[0])
            open_marker = any(cell.is_suspect(spec.measure) for _, _, cell in points)
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
        axes.set_ylabel(axis_title(spec.measure, baseline))
        legend(axes)
        return figure

    title = f"{algorithm}: {axis_title(spec.measure, baseline)}, by {spec.over}"
    note = "Points are medians, whiskers their intervals; open markers: emulated, instrumented, unverified, or wrong somewhere."
    return [Figure(f"{algorithm}-{spec.measure}-over-{spec.over}", algorithm, title, note, ids(cells), draw)]


def _place(cell: CellResult, over: str) -> float | None:
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
    value, unit = scaled(value, 1024, ("", "Ki", "Mi", "Gi", "Ti"), 1024)
    return f"{value:g} {unit}{'B' if over in _SIZES else ''}".rstrip()


def _series_name(sweep: Sweep, cell: CellResult, over: str) -> str:
    if over == EDGES:
        return cell.cell.system
    option = "cache" if over == OVERSUBSCRIPTION else over
    system = cell.cell.system.replace(f", {option} {cell.good[0]['options'].get(option)}", "")
    return system if len(sweep.config.graphs) == 1 else f"{system}, {cell.cell.graph}"
