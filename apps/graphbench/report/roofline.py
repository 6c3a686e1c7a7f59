"""The roofline: rates of edges against the bandwidth of a link or disk (Williams et al., CACM 2009)."""

import matplotlib.figure

from ..cells import CellResult, Sweep
from .drawing import FILLS, MARKERS, Figure, ids, legend, plain_ticks
from .view import Bandwidth


def roofline(sweep: Sweep, known: dict[str, Bandwidth]) -> list[Figure]:
    """Rate of input edges over bytes that were moved for each; a link's bandwidth is a roof over all that move more."""
    series: dict[str, list[tuple[float, float, CellResult]]] = {}
    for cell in sweep.cells.values():
        moved, time = cell.estimate("moved"), cell.estimate("time")
        if cell.cell.system not in known or cell.is_instrumented or moved is None or time is None or moved.median <= 0:
            continue
        edges = sorted(trial["input_edges"] for trial in cell.good[0]["result"]["trials"])[
            len(cell.good[0]["result"]["trials"]) // 2
        ]
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
            axes.annotate(
                f"{gb_per_s:.3g} GB/s", (ends[0], gb_per_s / ends[0]), xytext=(4, 4), textcoords="offset points", fontsize=8
            )
        for i, (name, points) in enumerate(series.items()):
            for j, algorithm in enumerate(algorithms):
                mine = [(x, y, cell) for x, y, cell in points if cell.cell.algorithm == algorithm]
                axes.plot(
                    [x for x, _, _ in mine],
                    [y for _, y, _ in mine],
                    MARKERS[j % len(MARKERS)],
                    markerfacecolor=FILLS[(2 + i) % len(FILLS)],
                    markeredgecolor="black",
                    markeredgewidth=0.7,
                    linestyle="none",
                    label=f"{algorithm}, {name}" if mine else None,
                )
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
        return figure

    return [
        Figure(
            "roofline",
            None,
            "Roofline: edges a second against the measured bandwidth",
            "Points on the line move bytes at the full rate of the link or disk; what lies below waits for something else. "
            "* emulated, unverified, or with wrong runs.",
            ids(cells),
            draw,
        )
    ]
