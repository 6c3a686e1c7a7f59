"""The report as Markdown, without its figures, and its numbers as CSV, for other programs."""

import csv
import io
from typing import Any

from ..cells import Sweep
from ..measures import MEASURES
from ..sample import Estimate, Ratio
from . import facts
from .document import Cell, Links, Marks, Section, Table

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_|<>[]~"} | {"\n": " "})


def as_markdown(sweep: Sweep, parts: list[Section]) -> str:
    said = [sweep.config.about, facts.policy(sweep), *(f"> {warning}" for warning in facts.warnings(sweep))]
    blocks = [
        f"# {_text(sweep.config.title)}",
        *("> " * line.startswith("> ") + _text(line.removeprefix("> ")) for line in said),
    ]
    for part in parts:
        blocks += [f"## {_text(part.title)}", _text(part.note)]
        for table in part.tables:
            blocks += [f"### {_text(table.title)}" if table.title else "", _text(table.about), *map(_text, table.notes)]
            blocks.append(_table(table) if table.body else "")
    return "".join(f"{block}\n\n" for block in blocks if block)


def _table(table: Table) -> str:
    lines = [[name for name, _ in table.columns], *table.body]
    head, *rest = ("| " + " | ".join(map(_text, cells)) + " |" for cells in lines)
    rule = "|".join("--:" if look[:1] == "n" else "---" for _, look in table.columns)
    return "\n".join([head, f"|{rule}|", *rest])


def _text(cell: Cell) -> str:
    """Without what Markdown, or HTML in it, would take for its own."""
    if isinstance(cell, Links):
        return " ".join(row["row"] for row in cell.rows)
    return (", ".join(cell.names) + cell.text if isinstance(cell, Marks) else cell).translate(_SIGNS)


def as_csv(sweeps: list[tuple[Sweep, str | None]]) -> str:
    """A line for each graph, algorithm and system: every measure's median and interval in its own unit, empty where unknown."""
    units = {name: m.unit.replace("/", "_per_") if m.unit != "x" else "" for name, m in MEASURES.items()}
    triples = [f"{name}_{unit}".rstrip("_") for name, unit in units.items()] + ["speedup"]
    columns = ["sweep", "graph", "algorithm", "system", "processes"]
    columns += [name + end for name in triples for end in ("", "_low", "_high")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "marks", "rows"])
    for sweep, baseline in sweeps:
        for cell in sweep.ordered_cells:
            base = sweep.base_of(cell, baseline)
            values: list[Any] = [sweep.config.name, cell.cell.graph, cell.cell.algorithm, cell.cell.system, len(cell.good)]
            for value in (*map(cell.estimate, MEASURES), None if cell is base else cell.speedup(base)):
                values += _columns(value)
            writer.writerow([*values, "; ".join(cell.marks()), " ".join(row["row"] for row in cell.rows)])
    return text.getvalue()


def _columns(found: Estimate | Ratio | None) -> list[float | str]:
    """A value and the ends of its interval, which are empty when it is unknown."""
    if found is None:
        return ["", "", ""]
    return [found.value, found.low, found.high] if found.has_interval else [found.value, "", ""]
