"""Tables as CSV, for other programs."""

import csv
import io

from ..cells import Sweep
from ..measures import MEASURES
from ..sample import Estimate, Ratio
from .view import Table

_FIXED = ("sweep", "graph", "algorithm", "system", "processes", "speedup", "speedup_low", "speedup_high", "marks", "rows")
_NOTHING = ["", "", ""]


def as_csv(found: list[tuple[Sweep, list[Table]]]) -> str:
    """A line a system of each table: every measure's median and interval in its own unit, empty where unknown."""
    columns = [*_FIXED[:5]]
    for measure in MEASURES.values():
        unit = f"_{measure.unit.replace('/', '_per_')}" if measure.unit not in ("", "x") else ""
        columns += [f"{measure.name}{unit}", f"{measure.name}{unit}_low", f"{measure.name}{unit}_high"]
    columns += _FIXED[5:]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for sweep, tables in found:
        for table in tables:
            for line in table.lines:
                values = [sweep.config.name, table.graph, table.algorithm, line.result.cell.system, len(line.result.good)]
                for name in MEASURES:
                    estimate = line.result.estimate(name)
                    values += _columns(estimate.median, estimate, estimate.count > 1) if estimate else _NOTHING
                ratio = line.speedup
                values += _columns(ratio.value, ratio, ratio.has_interval) if ratio else _NOTHING
                values += ["; ".join(line.marks), " ".join(row["row"] for row in line.result.rows)]
                writer.writerow(values)
    return text.getvalue()


def _columns(value: float, interval: Estimate | Ratio, is_known: bool) -> list[float | str]:
    """A value and the ends of its interval, which are empty when it is unknown."""
    return [value, interval.low, interval.high] if is_known else [value, "", ""]
