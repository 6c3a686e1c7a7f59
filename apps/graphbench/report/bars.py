"""Bars: a group for each graph, in it a bar for each system."""

from dataclasses import dataclass

import matplotlib.axes
import matplotlib.figure
import matplotlib.patches

from ..cells import CellResult, Sweep
from ..config import FigureSpec
from ..measures import SPEED_UP
from ..sample import Estimate
from .drawing import Figure, bar_look, ids, is_logarithmic, legend, scale, whiskers
from .values import axis_title, value_of

_MOST_BARS = 60
_LOST = "×"


@dataclass(frozen=True)
class _Bars:
    """What one figure shows. Systems have the number that gives them their look, the same in all figures of a sweep."""

    graphs: list[str]
    systems: dict[str, int]
    shown: dict[tuple[str, str], tuple[Estimate, CellResult]]  # by graph and system
    lost: set[tuple[str, str]]  # of which no run ended well

    def of(self, graphs: list[str]) -> "_Bars":
        return _Bars(graphs, self.systems, self.shown, self.lost)

    @property
    def cells(self) -> list[CellResult]:
        asked = ((graph, system) for graph in self.graphs for system in self.systems)
        return [self.shown[key][1] for key in asked if key in self.shown]

    def place(self, graph: int, system: int) -> float:
        """The middle of a bar: groups stand one apart."""
        return graph - 0.42 + self.width * (system + 0.5)

    @property
    def width(self) -> float:
        return 0.84 / len(self.systems)


def bars(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> list[Figure]:
    """None when there is nothing to show, and several when there are many graphs."""
    everything = _collect(sweep, algorithm, spec, baseline)
    if not everything.shown:
        return []
    per_figure = max(1, _MOST_BARS // len(everything.systems))
    graphs = everything.graphs
    parts = [everything.of(graphs[start : start + per_figure]) for start in range(0, len(graphs), per_figure)]
    name, title = f"{algorithm}-{spec.measure}", f"{algorithm}: {axis_title(spec.measure, baseline)}"
    if len(parts) == 1:
        return [_figure(name, algorithm, title, parts[0], spec, baseline)]
    return [
        _figure(f"{name}-{i}", algorithm, f"{title} ({i} of {len(parts)})", part, spec, baseline)
        for i, part in enumerate(parts, 1)
    ]


def _collect(sweep: Sweep, algorithm: str, spec: FigureSpec, baseline: str | None) -> _Bars:
    shown: dict[tuple[str, str], tuple[Estimate, CellResult]] = {}
    lost: set[tuple[str, str]] = set()
    graphs = [graph.name for graph in sweep.config.graphs]
    for cell in (cell for graph in graphs for cell in sweep.cells_of(graph, algorithm)):
        value = value_of(sweep, cell, spec.measure, baseline)
        if value is not None and value.median > 0:
            shown[cell.cell.graph, cell.cell.system] = (value, cell)
        elif cell.bad and not cell.good:
            lost.add((cell.cell.graph, cell.cell.system))
    graphs = [graph for graph in graphs if any(key[0] == graph for key in shown)]
    looks = {system.name: i for i, system in enumerate(sweep.config.systems)}
    there = {system for graph, system in shown.keys() | lost if graph in graphs}
    return _Bars(graphs, {system: i for system, i in looks.items() if system in there}, shown, lost)


def _figure(name: str, algorithm: str, title: str, part: _Bars, spec: FigureSpec, baseline: str | None) -> Figure:
    def draw() -> matplotlib.figure.Figure:
        width = min(9.5, max(5.6, 1.2 + 0.28 * len(part.graphs) * (len(part.systems) + 1)))
        figure = matplotlib.figure.Figure(figsize=(width, 2.9))
        axes = figure.subplots()
        _draw_bars(axes, part, spec.measure)
        scale(axes.yaxis, [value for value, _ in part.shown.values()])
        _draw_lost(axes, part)
        if spec.measure == SPEED_UP:
            axes.axhline(1, color="black", linewidth=0.8)
        crowded = len(part.graphs) >= 7
        axes.set_xticks(range(len(part.graphs)), part.graphs, rotation=30 * crowded, ha="right" if crowded else "center")
        axes.tick_params(axis="x", length=0)
        if len(part.graphs) == 1:
            axes.set_xlim(-0.7, 0.7)
        axes.set_ylabel(axis_title(spec.measure, baseline))
        legend(axes, [matplotlib.patches.Patch(label=system, **bar_look(look)) for system, look in part.systems.items()])
        return figure

    note = "Bars are medians, whiskers their intervals."
    if is_logarithmic([value for value, _ in part.shown.values()]):
        note += " The scale is logarithmic: bars begin nowhere in particular, and only their ends can be read."
    if any(cell.is_suspect(spec.measure) for cell in part.cells):
        note += " * emulated, instrumented, unverified, or with wrong runs."
    note += f" {_LOST} no run ended well." if any(graph in part.graphs for graph, _ in part.lost) else ""
    return Figure(name, algorithm, title, note, ids(part.cells), draw)


def _draw_bars(axes: matplotlib.axes.Axes, part: _Bars, measure: str) -> None:
    for i, (system, look) in enumerate(part.systems.items()):
        at = [g for g, graph in enumerate(part.graphs) if (graph, system) in part.shown]
        values = [part.shown[part.graphs[g], system][0] for g in at]
        places = [part.place(g, i) for g in at]
        axes.bar(places, [value.median for value in values], part.width * 0.94, **bar_look(look))
        whiskers(axes, places, values)
        for place, g in zip(places, at):
            value, cell = part.shown[part.graphs[g], system]
            if cell.is_suspect(measure):
                axes.annotate("*", (place, value.high), ha="center", va="bottom", fontsize=11)


def _draw_lost(axes: matplotlib.axes.Axes, part: _Bars) -> None:
    """A cross at the foot of where the bar would be."""
    for g, graph in enumerate(part.graphs):
        for i, system in enumerate(part.systems):
            if (graph, system) in part.lost:
                foot = (part.place(g, i), 0)
                axes.annotate(_LOST, foot, xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=10)
