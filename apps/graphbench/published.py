# SPDX-License-Identifier: Apache-2.0
"""Our value for a published number: the mean over the combinations that the number stands for."""

import statistics
from dataclasses import dataclass

from .cells import Sweep
from .config import Expected
from .config_schema import UNITS
from .measures import Row
from .plan import Cell


@dataclass(frozen=True)
class Ours:
    value: float | None  # in the unit of the published number
    rows: list[Row]
    graphs: list[str]


def ours_of(sweep: Sweep, item: Expected) -> Ours:
    """Returns our value, which the published number does not enter. It is None where no cell has the measure."""
    values: list[float] = []
    rows: list[Row] = []
    graphs: list[str] = []
    for cell, result in sweep.cells.items():
        if item.measure not in UNITS or not item.covers(cell.graph, cell.algorithm, cell.system):
            continue
        base = sweep.cells.get(Cell(cell.graph, cell.algorithm, item.over))
        if item.measure != "speed-up" and (estimate := result.estimate(item.measure)) is not None:
            values.append(estimate.value)
            rows += result.good
        elif item.measure == "speed-up" and base is not None and (ratio := result.speedup(base)) is not None:
            values.append(ratio.value)
            rows += [*result.good, *base.good]
        else:
            continue
        graphs.append(cell.graph)
    value = statistics.fmean(values) / UNITS[item.measure][item.unit] if values else None
    return Ours(value, rows, list(dict.fromkeys(graphs)))
