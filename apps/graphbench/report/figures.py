"""Which figures a sweep has."""

from ..cells import Sweep
from ..config import FigureSpec
from .bars import bars
from .drawing import Figure
from .lines import lines
from .request_sizes import request_sizes
from .roofline import roofline
from .traffic import traffic
from .view import Bandwidth


_NOTHING_TO_DRAW = {
    "roofline": "no system has a bandwidth that a program measured or --bandwidth SYSTEM=GB/s gives, and runs that moved bytes",
    "requests": "no run counted requests (--count-requests)",
}


def figures(sweep: Sweep, baseline: str | None, known: dict[str, Bandwidth]) -> tuple[list[Figure], list[str]]:
    """Those that the configuration names, and a sentence for each that there is nothing to draw of; without any, times as bars, and
    the roofline where a bandwidth is known."""
    wanted = list(sweep.config.figures) or [FigureSpec("bars"), FigureSpec("roofline")]
    drawn: list[Figure] = []
    missing: list[str] = []
    for spec in wanted:
        before = len(drawn)
        if spec.kind == "roofline":
            drawn += roofline(sweep, known)
        elif spec.kind == "requests":
            drawn += request_sizes(traffic(sweep, baseline))
        else:
            for algorithm in sweep.config.algorithms:
                drawn += (bars if spec.kind == "bars" else lines)(sweep, algorithm.name, spec, baseline)
        if len(drawn) == before and spec in sweep.config.figures:
            what = spec.kind if spec.kind in _NOTHING_TO_DRAW else f"{spec.kind} of {spec.measure}"
            why = _NOTHING_TO_DRAW.get(spec.kind, "no run has what it shows")
            missing.append(f"The figure '{what}' is not drawn: {why}.")
    return drawn, missing
