# SPDX-License-Identifier: Apache-2.0
"""The figures of a sweep: bars in a group for each graph, lines by the size of a graph or by an option, the roofline (Williams
et al., CACM 2009), and requests by size as EMOGI shows them (Min, dissertation, figure 2.6)."""

import statistics
from typing import Any, Callable, Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ..cells import CellResult, Sweep
from ..config import EDGES, OVERSUBSCRIPTION, FigureSpec
from ..errors import UsageError
from ..measures import MEASURES, REQUEST_SIZES, SPEED_UP, edge_bytes
from ..sample import Estimate, Ratio
from ..options import parse_bytes, scaled
from .drawing import DASHES, FILLS, MARKERS, Figure, bar_look, is_logarithmic, legend, plain_ticks, scale, whiskers
from .facts import Bandwidth
from .numbers import short_count
from .traffic import Traffic, traffic

_MOST_BARS = {"bars": 60, "requests": 40}
_LOST = "×"
_LEAST_SPAN = 2  # of a logarithmic axis, whose ticks are powers of two: a smaller span may have none
_SIZES = ("cache", "page", "row-bytes", "uvm-fault", "uvm-prefetch", "uvm-block")  # options with values in bytes
_OVER_TITLES = {EDGES: "stored edges", OVERSUBSCRIPTION: "oversubscription: bytes of edges over cache, less 1"}
# Of requests, from light to dark, each with its own hatch, to be distinguished in grey prints.
_REQUEST_LOOKS = (("#ffffff", ""), ("#d9e6f2", "...."), ("#8fb4d6", "////"), ("#3d6a94", ""))
_NOTHING_TO_DRAW = {
    "roofline": "no system has a bandwidth that a program measured or --bandwidth SYSTEM=GB/s gives, and runs that moved bytes",
    "requests": "no run counted requests (--count-requests)",
}
Value = Estimate | Ratio
Bandwidths = dict[str, Bandwidth]


def figures(sweep: Sweep, baseline: str | None, known: Bandwidths) -> tuple[list[Figure], list[str]]:
    """Returns the figures that the configuration names, and a sentence for each that has no data. By default draws times as
    bars, and the roofline where a bandwidth is known."""
    drawn: list[Figure] = []
    missing: list[str] = []
    for spec in sweep.config.figures or [FigureSpec("bars"), FigureSpec("roofline")]:
        if spec.kind == "roofline":
            found = _roofline(sweep, known)
        else:
            kind = {"bars": _bars, "lines": _lines, "requests": _requests}[spec.kind]
            found = [figure for algorithm in sweep.config.algorithms for figure in kind(sweep, algorithm.name, spec, baseline)]
        if not found and sweep.config.figures:
            what = spec.kind if spec.kind in _NOTHING_TO_DRAW else f"{spec.kind} of {spec.measure}"
            why = _NOTHING_TO_DRAW.get(spec.kind, "no run has what it shows")
            missing.append(f"The figure '{what}' is not drawn: {why}.")
        drawn += found
    return drawn, missing


def _value_of(sweep: Sweep, cell: CellResult, measure: str, baseline: str | None) -> Value | None:
    """Returns a value; None also for one without a place on a logarithmic scale."""
    value = cell.speedup(sweep.base_of(cell, baseline)) if measure == SPEED_UP else cell.estimate(measure)
    return value if value is not None and value.value > 0 else None


def _axis_title(measure: str, baseline: str | None) -> str:
    if measure == SPEED_UP:
        return f"speed-up over {baseline}"
    found = MEASURES[measure]
    return f"{found.title}, {found.unit}" if found.unit not in ("", "x") else found.title


def _parts(name: str, title: str, items: Sequence[Any], most: int) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Yields names, titles and items of one figure, or of several for many items."""
    parts = [items[start : start + most] for start in range(0, len(items), most)]
    for i, part in enumerate(parts, 1):
        yield (f"{name}-{i}", f"{title} ({i} of {len(parts)})", part) if len(parts) > 1 else (name, title, part)


def _bars(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> Iterator[Figure]:
    shown: dict[tuple[str, str], tuple[Value, CellResult]] = {}
    lost: set[tuple[str, str]] = set()  # without a successful run
    for cell in sweep.ordered_cells:
        if cell.cell.algorithm == algorithm:
            key = (cell.cell.graph, cell.cell.system)
            value = _value_of(sweep, cell, spec.measure, baseline)
            if value is not None:
                shown[key] = (value, cell)
            elif cell.bad and not cell.good:
                lost.add(key)
    there = list(dict.fromkeys(graph for graph, _ in shown))
    # A system looks the same in all figures of a sweep.
    names = [(i, system.name) for i, system in enumerate(sweep.config.systems)]
    systems = [(i, name) for i, name in names if any((graph, name) in shown.keys() | lost for graph in there)]
    title, y_title = f"{algorithm}: {_axis_title(spec.measure, baseline)}", _axis_title(spec.measure, baseline)

    def figure(name: str, title: str, graphs: Sequence[str]) -> Figure:
        bars = {key: bar for key, bar in shown.items() if key[0] in graphs}
        crosses = [key for key in lost if key[0] in graphs]
        values = [value for value, _ in bars.values()]
        width = 0.84 / len(systems)
        places = {
            (graph, system): g - 0.42 + width * (s + 0.5)
            for g, graph in enumerate(graphs)
            for s, (_, system) in enumerate(systems)
        }

        def draw(axes: Axes) -> None:
            for i, system in systems:
                mine = [(places[key], *bar) for key, bar in bars.items() if key[1] == system]
                axes.bar([x for x, _, _ in mine], [value.value for _, value, _ in mine], width * 0.94, **bar_look(i))
                whiskers(axes, [x for x, _, _ in mine], [value for _, value, _ in mine])
                for x, value, cell in mine:
                    if cell.is_suspect(spec.measure):
                        axes.annotate("*", (x, value.high), ha="center", va="bottom", fontsize=11)
            scale(axes.yaxis, values)
            for key in crosses:  # at the foot of the missing bar
                foot = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "bottom", "fontsize": 10}
                axes.annotate(_LOST, (places[key], 0), **foot)
            if spec.measure == SPEED_UP:
                axes.axhline(1, color="black", linewidth=0.8)
            crowded = len(graphs) >= 7
            axes.set_xticks(range(len(graphs)), graphs, rotation=30 * crowded, ha="right" if crowded else "center")
            axes.tick_params(axis="x", length=0)
            if len(graphs) == 1:
                axes.set_xlim(-0.7, 0.7)
            axes.set_ylabel(y_title)
            legend(axes, [Patch(label=system, **bar_look(i)) for i, system in systems])

        note = "Bars are medians, whiskers their intervals."
        if is_logarithmic(values):
            note += " The scale is logarithmic: bars begin nowhere in particular, and only their ends can be read."
        if any(cell.is_suspect(spec.measure) for _, cell in bars.values()):
            note += " * emulated, instrumented, unverified, or with wrong runs."
        note += f" {_LOST} no run ended well." * bool(crosses)
        size = (min(9.5, max(5.6, 1.2 + 0.28 * len(graphs) * (len(systems) + 1))), 2.9)
        return Figure(name, algorithm, title, note, size, draw)

    for part in _parts(f"{algorithm}-{spec.measure}", title, there, max(1, _MOST_BARS["bars"] // max(1, len(systems)))):
        yield figure(*part)


def _lines(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> Iterator[Figure]:
    series: dict[str, list[tuple[float, Value, CellResult]]] = {}
    for cell in sweep.ordered_cells:
        if cell.good and cell.cell.algorithm == algorithm:
            points = series.setdefault(_series_name(sweep, cell, spec.over), [])
            value, x = _value_of(sweep, cell, spec.measure, baseline), _place(cell, spec.over)
            if value is not None and x is not None:
                points.append((x, value, cell))
    if not any(len(points) > 1 for points in series.values()):
        return

    def draw(axes: Axes) -> None:
        for i, (name, points) in enumerate(series.items()):  # the same look in all figures, also where a series is missing
            if points:
                points.sort(key=lambda point: point[0])
                xs, values = [x for x, _, _ in points], [value for _, value, _ in points]
                look = {
                    "marker": MARKERS[i % len(MARKERS)],
                    "linestyle": DASHES[i % len(DASHES)],
                    "linewidth": 1.1,
                    "markersize": 5,
                }
                face = "white" if any(cell.is_suspect(spec.measure) for _, _, cell in points) else None
                color = "black" if i % 2 == 0 else "#4a7fb0"
                axes.plot(xs, [value.value for value in values], color=color, markerfacecolor=face, label=name, **look)
                whiskers(axes, xs, values)
        places = [x for points in series.values() for x, _, _ in points]
        if spec.over != OVERSUBSCRIPTION and max(places) >= _LEAST_SPAN * min(places) > 0:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter(lambda value, _: _short(value, spec.over))
        scale(axes.yaxis, [value for points in series.values() for _, value, _ in points])
        axes.set_xlabel(_OVER_TITLES.get(spec.over, spec.over))
        axes.set_ylabel(_axis_title(spec.measure, baseline))
        legend(axes)

    title = f"{algorithm}: {_axis_title(spec.measure, baseline)}, by {spec.over}"
    note = "Points are medians, whiskers their intervals; open markers: emulated, instrumented, unverified, or wrong somewhere."
    yield Figure(f"{algorithm}-{spec.measure}-over-{spec.over}", algorithm, title, note, (5.6, 3.2), draw)


def _place(cell: CellResult, over: str) -> float | None:
    row = cell.good[0]
    cache_bytes = row["result"]["options"]["cache_bytes"]
    if over == EDGES:
        return row["result"]["graph"]["m"]
    if over == OVERSUBSCRIPTION:
        return max(0, edge_bytes(row) / cache_bytes - 1) if cache_bytes else None
    value = cache_bytes if over == "cache" else row["options"].get(over)
    try:
        return float(value) if isinstance(value, (int, float)) else parse_bytes(str(value)) if value is not None else None
    except UsageError:
        return None


def _short(value: float, over: str) -> str:
    """Returns a power of two as 4 Mi, and as 4 MiB for a size."""
    value, unit = scaled(value, 1024, ("", "Ki", "Mi", "Gi", "Ti"), 1024)
    return f"{value:g} {unit}{'B' if over in _SIZES else ''}".rstrip()


def _series_name(sweep: Sweep, cell: CellResult, over: str) -> str:
    if over == EDGES:
        return cell.cell.system
    option = "cache" if over == OVERSUBSCRIPTION else over
    system = cell.cell.system.replace(f", {option} {cell.good[0]['options'].get(option)}", "")
    return system if len(sweep.config.graphs) == 1 else f"{system}, {cell.cell.graph}"


def _roofline(sweep: Sweep, known: Bandwidths) -> list[Figure]:
    """Draws the rate of input edges over moved bytes of each; a link's bandwidth bounds all that move more."""
    series: dict[str, list[tuple[float, float, CellResult]]] = {}
    for cell in sweep.cells.values():
        moved, time = cell.estimate("moved"), cell.estimate("time")
        if cell.cell.system in known and not cell.is_instrumented and moved and time and moved.value > 0:
            edges = statistics.median_high(trial["input_edges"] for trial in cell.good[0]["result"]["trials"])
            if edges > 0:
                series.setdefault(cell.cell.system, []).append((moved.value / edges, edges / time.value / 1e6, cell))
    if not series:
        return []

    def draw(axes: Axes) -> None:
        xs = [x for points in series.values() for x, _, _ in points]
        ends = (min(xs) / 1.6, max(xs) * 1.6)
        above = {"textcoords": "offset points", "xytext": (4, 4), "fontsize": 8}
        for gb_per_s in sorted({known[system].gb_per_s for system in series}):
            axes.plot(ends, [gb_per_s / x for x in ends], color="black", linewidth=1.4)
            axes.annotate(f"{gb_per_s:.3g} GB/s", (ends[0], gb_per_s / ends[0]), **above)
        for i, (name, points) in enumerate(series.items()):
            for j, algorithm in enumerate(algorithm.name for algorithm in sweep.config.algorithms):
                mine = [(x, y, cell) for x, y, cell in points if cell.cell.algorithm == algorithm]
                look = {"markerfacecolor": FILLS[(2 + i) % len(FILLS)], "markeredgecolor": "black", "markeredgewidth": 0.7}
                label = f"{algorithm}, {name}" if mine else None
                places = ([x for x, _, _ in mine], [y for _, y, _ in mine])
                axes.plot(*places, MARKERS[j % len(MARKERS)], linestyle="none", label=label, **look)
                for x, y, cell in mine:
                    if cell.is_suspect("rate"):
                        axes.annotate("*", (x, y), xytext=(4, 0), textcoords="offset points", fontsize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        plain_ticks(axes.xaxis)
        plain_ticks(axes.yaxis)
        axes.grid(axis="both")
        axes.set_xlabel("bytes moved for an input edge")
        axes.set_ylabel("input edges, G/s")
        legend(axes)

    title = "Roofline: edges a second against the measured bandwidth"
    note = (
        "Points on the line move bytes at the full rate of the link or disk; what lies below waits for something else. "
        "* emulated, unverified, or with wrong runs."
    )
    return [Figure("roofline", None, title, note, (5.6, 3.4), draw)]


def _requests(sweep: Sweep, algorithm: str, _spec: FigureSpec, baseline: str | None) -> Iterator[Figure]:
    """Draws shares of requests over a link by size: a bar a system."""
    found = [item for item in traffic(sweep, baseline) if item.result.cell.algorithm == algorithm]
    for name, title, items in _parts(
        f"{algorithm}-requests", f"{algorithm}: requests over the link by size", found, _MOST_BARS["requests"]
    ):
        starred = " * unverified, or with wrong runs." * any(item.result.is_suspect("link-requests") for item in items)
        note = f"Shares are of all requests of all trials.{starred}"
        yield Figure(name, algorithm, title, note, (6.8, 0.9 + 0.24 * len(items)), _requests_drawn(items))


def _requests_drawn(items: Sequence[Traffic]) -> Callable[[Axes], None]:
    cells = [item.result for item in items]
    labels = [f"{cell.cell.graph}, {cell.cell.system}{'*' * cell.is_suspect('link-requests')}" for cell in cells]
    places = [0.0]  # from top to bottom, with gaps between graphs
    for above, below in zip(cells, cells[1:]):
        places.append(places[-1] + (1.0 if above.cell.graph == below.cell.graph else 1.5))

    def draw(axes: Axes) -> None:
        begin = [0.0] * len(items)
        for size, (fill, hatch) in zip(REQUEST_SIZES, _REQUEST_LOOKS):
            shares = [100 * item.share(size) for item in items]
            look = {"facecolor": fill, "hatch": hatch, "edgecolor": "black", "linewidth": 0.7}
            axes.barh(places, shares, 0.8, left=begin, label=f"{size} B", **look)
            begin = [sum(pair) for pair in zip(begin, shares)]
        for place, item in zip(places, items):
            axes.annotate(f" {short_count(item.requests)}", (100, place), va="center", fontsize=8, annotation_clip=False)
        axes.set_yticks(places, labels)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x")
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of requests, %; at the right their number in a trial")
        legend(axes)

    return draw
