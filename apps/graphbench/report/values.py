"""What figures show of a cell, and what their axes are called."""

from ..cells import CellResult, Sweep
from ..measures import MEASURES, SPEED_UP
from ..plan import Cell
from ..sample import CONFIDENCE, Estimate


def value_of(sweep: Sweep, cell: CellResult, measure: str, baseline: str | None) -> Estimate | None:
    if measure != SPEED_UP:
        return cell.estimate(measure)
    base = sweep.cells.get(Cell(cell.cell.graph, cell.cell.algorithm, baseline or ""))
    ratio = cell.speedup(base)
    if ratio is None:
        return None
    return Estimate(ratio.value, ratio.low, ratio.high, max(2, len(cell.good)) if ratio.has_interval else 1, CONFIDENCE)


def axis_title(measure: str, baseline: str | None) -> str:
    if measure == SPEED_UP:
        return f"speed-up over {baseline}"
    found = MEASURES[measure]
    return f"{found.title}, {found.unit}" if found.unit not in ("", "x") else found.title
