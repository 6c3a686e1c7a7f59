"""Others' numbers beside ours. Nothing is computed from theirs."""

from dataclasses import dataclass

from ..cells import Sweep
from ..expected import UNITS, Expected
from ..measures import Row
from ..plan import Cell


@dataclass(frozen=True)
class Published:
    """A published number beside ours; ours is None where this sweep has nothing that compares."""

    expected: Expected
    ours: float | None  # in the unit of `expected`
    rows: list[Row]
    over_how_many: int  # combinations of graph and algorithm
    marks: list[str]  # of our rows


def published(sweep: Sweep) -> list[Published]:
    return [_published(sweep, expected) for expected in sweep.config.expected]


def _published(sweep: Sweep, expected: Expected) -> Published:
    values: list[float] = []
    rows: list[Row] = []
    for cell, result in sweep.cells.items():
        wanted = ((expected.graph, cell.graph), (expected.algorithm, cell.algorithm), (expected.system, cell.system))
        if not expected.system or not all(asked in ("", name) for asked, name in wanted):
            continue
        if expected.measure == "speed-up":
            base = sweep.cells.get(Cell(cell.graph, cell.algorithm, expected.over))
            ratio = result.speedup(base)
            if ratio is not None and base is not None:
                values.append(ratio.value)
                rows += [*result.good, *base.good]
        elif (estimate := result.estimate(expected.measure)) is not None:
            values.append(estimate.median)
            rows += result.good
    if not values or expected.measure not in UNITS:
        return Published(expected, None, [], 0, [])
    marks = list(dict.fromkeys(mark for row in rows for mark in sweep.marks_of(row)))
    mean = sum(values) / len(values)
    return Published(expected, mean / UNITS[expected.measure][expected.unit], rows, len(values), marks)
