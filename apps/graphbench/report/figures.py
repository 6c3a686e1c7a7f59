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


def figures(sweep: Sweep, baseline: str | None, known: dict[str, Bandwidth]) -> list[Figure]:
    """Those that the configuration names; without any, times as bars, and the roofline where a bandwidth is known."""
    wanted = list(sweep.config.figures) or [FigureSpec("bars", "time", ""), FigureSpec("roofline", "time", "")]
    drawn: list[Figure] = []
    for spec in wanted:
        if spec.kind == "roofline":
            drawn += roofline(sweep, known)
        elif spec.kind == "requests":
            drawn += request_sizes(traffic(sweep, baseline))
        else:
            for algorithm in sweep.config.algorithms:
                drawn += (bars if spec.kind == "bars" else lines)(sweep, algorithm.name, spec, baseline)
    return drawn
