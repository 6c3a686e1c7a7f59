# SPDX-License-Identifier: Apache-2.0
"""The common part of figures: their look, and their files.

Legible in black and white: bars differ in hatch and grey, lines in marker and dash. Everything shows its spread; what is
emulated, unverified or partly wrong has a star or an open marker.
"""

import io
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import matplotlib

matplotlib.use("Agg")
import matplotlib.figure  # noqa: E402
from matplotlib import patheffects, ticker  # noqa: E402

from ..sample import Estimate, Ratio  # noqa: E402

# Twelve systems can be told apart, without colour too.
FILLS = (
    *("#f2f2f2", "#9ecae1", "#4a7fb0", "#dadada", "#1f3d5c", "#c6dbef"),
    *("#6b6b6b", "#ffffff", "#ffffff", "#9ecae1", "#dadada", "#4a7fb0"),
)
HATCHES = ("", "////", "", "....", "", "xxxx", "\\\\\\\\", "++++", "-----", "|||||", "ooo", "\\\\\\\\")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)))
_LETTERS_ABREAST = 74  # in the legend of the narrowest figure
_STYLE = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#d0d0d0",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "svg.hashsalt": "graphbench",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Figure:
    name: str
    algorithm: str | None  # None: of all
    title: str
    note: str
    size: tuple[float, float]  # in inches
    draw: Callable[[Any], None]  # into axes

    def svg(self) -> str:
        return self._save("svg", metadata={"Date": None, "Creator": None}).decode()

    def png(self) -> bytes:
        return self._save("png", dpi=200)

    def _save(self, kind: str, **options: Any) -> bytes:
        with matplotlib.rc_context(_STYLE):
            buffer = io.BytesIO()
            figure = matplotlib.figure.Figure(figsize=self.size)
            self.draw(figure.subplots())
            figure.savefig(buffer, format=kind, bbox_inches="tight", pad_inches=0.06, **options)
            return buffer.getvalue()


def whiskers(axes: Any, places: Sequence[float], values: Sequence[Estimate | Ratio]) -> None:
    """Draws intervals, none for a single value, whose error is unknown. A white rim makes them visible on dark bars."""
    known = [(place, value) for place, value in zip(places, values) if value.has_interval]
    ends = [[value.value - value.low for _, value in known], [value.high - value.value for _, value in known]]
    look = {"fmt": "none", "ecolor": "black", "elinewidth": 0.8, "capsize": 2}
    _, caps, lines = axes.errorbar([place for place, _ in known], [value.value for _, value in known], yerr=ends, **look)
    for part in (*caps, *lines):
        part.set_path_effects([patheffects.withStroke(linewidth=2.2, foreground="white")])


def bar_look(i: int) -> dict[str, Any]:
    """Returns the look of the i-th system's bars, and of their sign in the legend."""
    return {"facecolor": FILLS[i % len(FILLS)], "hatch": HATCHES[i % len(HATCHES)], "edgecolor": "black", "linewidth": 0.7}


def legend(axes: Any, handles: list[Any] | None = None) -> None:
    """Draws the legend above the axes; none for a single series."""
    handles = axes.get_legend_handles_labels()[0] if handles is None else handles
    if len(handles) > 1:
        longest = max(len(handle.get_label()) for handle in handles)
        axes.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=max(1, min(4, len(handles), _LETTERS_ABREAST // (longest + 6))),
            fontsize=8,
            handlelength=1.8,
            borderaxespad=0.3,
        )


def is_logarithmic(values: list[Estimate | Ratio]) -> bool:
    """Returns whether the values need a logarithmic axis."""
    return max(value.high for value in values) > 12 * min(value.value for value in values)


def scale(axis: Any, values: list[Estimate | Ratio]) -> None:
    """Sets the scale, with plain numbers at the ticks of a logarithmic axis."""
    if not is_logarithmic(values):
        return
    axis.axes.set_yscale("log")
    plain_ticks(axis)


def plain_ticks(axis: Any) -> None:
    low, high = axis.get_view_interval()
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,)))
    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(ticker.NullFormatter())
