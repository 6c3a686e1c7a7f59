"""Tables as CSV, for other programs, and as Markdown, for pages."""

import csv
import io

from ..cells import Sweep
from ..measures import MEASURES, REQUEST_SIZES
from ..sample import Estimate, Ratio
from . import numbers
from .traffic import traffic
from .view import Table

_FIXED = ("sweep", "graph", "algorithm", "system", "processes", "speedup", "speedup_low", "speedup_high", "marks", "rows")


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
                    values += _with_interval(estimate and estimate.median, estimate if estimate and estimate.count > 1 else None)
                ratio = line.speedup
                values += _with_interval(ratio and ratio.value, ratio if ratio and ratio.has_interval else None)
                values += ["; ".join(line.marks), " ".join(row["row"] for row in line.result.rows)]
                writer.writerow(values)
    return text.getvalue()


def _with_interval(value: float | None, interval: Estimate | Ratio | None) -> list[float | str]:
    """Three columns; those of what is not known are empty."""
    return ["" if value is None else value, *((interval.low, interval.high) if interval else ("", ""))]


def as_markdown(found: list[tuple[Sweep, list[Table]]]) -> str:
    return "\n".join(part for sweep, tables in found for part in _sweep(sweep, tables))


def _sweep(sweep: Sweep, tables: list[Table]) -> list[str]:
    lines = [f"# {sweep.config.title}", "", sweep.config.about, ""]
    for table in tables:
        lines += [
            f"## {table.algorithm} on {table.graph}",
            "",
            table.facts,
            "",
            "| system | median ms | spread | processes | speed-up | moved | moved / needed | marks | rows |",
            "|---|--:|--:|--:|--:|--:|--:|---|---|",
        ]
        for line in table.lines:
            speedup = "baseline" if line.is_baseline else numbers.times(line.speedup)
            cells = (
                line.result.cell.system,
                numbers.number(line.time.median if line.time else None),
                numbers.spread(line.time, MEASURES["time"]),
                str(len(line.result.good)),
                speedup,
                numbers.amount(line.moved.median if line.moved else None, MEASURES["moved"]),
                numbers.number(line.amplification.median if line.amplification else None),
                ", ".join(line.marks),
                " ".join(row["row"] for row in line.result.rows),
            )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return lines + _requests(sweep)


def _requests(sweep: Sweep) -> list[str]:
    found = traffic(sweep, sweep.baseline)
    if not found:
        return []
    sizes = " | ".join(f"{size} B" for size in REQUEST_SIZES)
    lines = [
        "## Requests over the link",
        "",
        f"| graph | algorithm | system | requests | of baseline's | {sizes} | begin on a line | asked | asked / walks' | asked / profiler's | rows |",
        "|---|---|---|" + "--:|" * (len(REQUEST_SIZES) + 6) + "---|",
    ]
    for item in found:
        cells = (
            item.result.cell.graph,
            item.result.cell.algorithm,
            item.result.cell.system,
            numbers.number(item.requests),
            numbers.precise_percent(item.of_baseline),
            *(numbers.precise_percent(item.share(size)) for size in REQUEST_SIZES),
            numbers.precise_percent(item.on_line),
            numbers.amount(item.bytes, MEASURES["link-bytes"]),
            numbers.number(item.over_walks),
            numbers.number(item.over_profiler),
            " ".join(row["row"] for row in item.result.good),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return [*lines, ""]
