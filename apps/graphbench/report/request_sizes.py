"""Shares of requests over a link by their size: a bar a system, as EMOGI shows them (Min, dissertation, figure 2.6)."""

import matplotlib.figure

from ..measures import REQUEST_SIZES
from .drawing import Figure, ids, legend
from .numbers import short_count
from .traffic import Traffic

# From light to dark, and each with a hatch of its own: told apart without colour, and where a printer makes all greys one.
_FILLS = ("#ffffff", "#d9e6f2", "#8fb4d6", "#3d6a94")
_HATCHES = ("", "....", "////", "")
_MOST_BARS = 40


def request_sizes(found: list[Traffic]) -> list[Figure]:
    """A figure for each algorithm, or several where there are many bars."""
    figures: list[Figure] = []
    for algorithm in dict.fromkeys(item.result.cell.algorithm for item in found):
        mine = [item for item in found if item.result.cell.algorithm == algorithm]
        parts = [mine[start : start + _MOST_BARS] for start in range(0, len(mine), _MOST_BARS)]
        figures += [_figure(algorithm, part, i + 1, len(parts)) for i, part in enumerate(parts)]
    return figures


def _figure(algorithm: str, items: list[Traffic], part: int, parts: int) -> Figure:
    def draw() -> matplotlib.figure.Figure:
        figure = matplotlib.figure.Figure(figsize=(6.8, 0.9 + 0.24 * len(items)))
        axes = figure.subplots()
        places = _places(items)
        begin = [0.0] * len(items)
        for size, fill, hatch in zip(REQUEST_SIZES, _FILLS, _HATCHES):
            shares = [100 * item.share(size) for item in items]
            axes.barh(
                places,
                shares,
                0.8,
                left=begin,
                label=f"{size} B",
                facecolor=fill,
                hatch=hatch,
                edgecolor="black",
                linewidth=0.7,
            )
            begin = [sum(pair) for pair in zip(begin, shares)]
        for place, item in zip(places, items):
            axes.annotate(f" {short_count(item.requests)}", (100, place), va="center", fontsize=8, annotation_clip=False)
        axes.set_yticks(places, [_label(item) for item in items])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x")
        axes.set_xlim(0, 100)
        axes.set_xlabel("share of requests, %; at the right their number in a trial")
        legend(axes)
        return figure

    number = f" ({part} of {parts})" if parts > 1 else ""
    return Figure(
        f"{algorithm}-requests" + (f"-{part}" if parts > 1 else ""),
        algorithm,
        f"{algorithm}: requests over the link by size{number}",
        "Shares are of all requests of all trials."
        + (" * unverified, or with wrong runs." if any(map(_is_starred, items)) else ""),
        ids([item.result for item in items]),
        draw,
    )


def _places(items: list[Traffic]) -> list[float]:
    """One below the other, with some room between graphs."""
    places: list[float] = []
    for i, item in enumerate(items):
        gap = 0.0 if i == 0 else 1.0 if item.result.cell.graph == items[i - 1].result.cell.graph else 1.5
        places.append((places[-1] if places else 0.0) + gap)
    return places


def _label(item: Traffic) -> str:
    return f"{item.result.cell.graph}, {item.result.cell.system}{'*' if _is_starred(item) else ''}"


def _is_starred(item: Traffic) -> bool:
    return item.result.is_suspect("link-requests")
