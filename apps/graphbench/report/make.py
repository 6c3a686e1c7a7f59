# SPDX-License-Identifier: Apache-2.0
"""`graphbench report`: reads sweeps and writes the requested forms. This module writes Markdown and CSV; page and figures need
more packages."""

import csv
import io
import os
import sys
from pathlib import Path
from typing import Any

from ..cells import Sweep, read_sweeps
from ..errors import BenchError, require
from ..measures import MEASURES
from ..sample import Estimate, Ratio
from . import facts
from .document import Cell, Links, Marks, Section, Table, sections

_PACKAGES = {"matplotlib": "python3-matplotlib", "jinja2": "python3-jinja2"}
_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_|<>[]~"} | {"\n": " "})


def make_report(results: Path, wanted: dict[str, Path], baseline: str | None, given_bandwidths: dict[str, float]) -> list[Path]:
    """Writes a report. Returns the files: "html", "csv", "markdown", and in the folder "png". Raises Unavailable when their
    packages are not installed."""
    is_drawn = "html" in wanted or "png" in wanted
    if is_drawn:
        require("--html and --png need", _PACKAGES, " (--csv and --markdown do without)")
    found = []
    for sweep in read_sweeps(results):
        base = facts.named_system(sweep, baseline, "--baseline") if baseline else sweep.baseline
        found.append((sweep, base, facts.bandwidths(sweep, given_bandwidths)))
    files: dict[Path, bytes] = {}
    if "csv" in wanted:
        files[wanted["csv"]] = _as_csv([(sweep, base) for sweep, base, _ in found]).encode()
    if "markdown" in wanted:
        files[wanted["markdown"]] = "".join(_as_markdown(sweep, sections(sweep, *how)) for sweep, *how in found).encode()
    if is_drawn:
        from .figures import figures  # needs the packages checked above
        from .page import as_html

        drawn = [(sweep, how, *figures(sweep, *how)) for sweep, *how in found]
        for sweep, _, _, missing in drawn:
            for sentence in missing:
                print(f"graphbench: {sweep.config.name}: {sentence}", file=sys.stderr)
        if "html" in wanted:
            parts = [(sweep, sections(sweep, *how, shown), missing) for sweep, how, shown, missing in drawn]
            files[wanted["html"]] = as_html(parts).encode()
        for sweep, _, shown, _ in drawn if "png" in wanted else ():
            for figure in shown:
                name = f"{sweep.config.name}-{figure.name}".replace("/", "_").replace(" ", "_")
                files[wanted["png"] / f"{name}.png"] = figure.png()
    for path, content in files.items():
        _write(path, content)
    return list(files)


def _write(path: Path, content: bytes) -> None:
    """Writes a file atomically. Replaces the target of a symbolic link; writes into other files (a pipe, a device)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            with open(os.open(path, os.O_WRONLY), "wb") as special:
                special.write(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except FileExistsError as error:
        raise BenchError(f"{path} cannot be written: {path.parent} is not a folder") from error
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}") from error


def _replace(target: Path, content: bytes) -> None:
    scratch = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def _as_markdown(sweep: Sweep, parts: list[Section]) -> str:
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
    """Escapes characters that Markdown, or HTML in it, would interpret."""
    if isinstance(cell, Links):
        return " ".join(row["row"] for row in cell.rows)
    return (", ".join(cell.names) + cell.text if isinstance(cell, Marks) else cell).translate(_SIGNS)


def _as_csv(sweeps: list[tuple[Sweep, str | None]]) -> str:
    """Returns a line for each graph, algorithm and system: every measure's median and interval in its own unit, empty where
    unknown."""
    units = {name: m.unit.replace("/", "_per_") if m.unit != "x" else "" for name, m in MEASURES.items()}
    triples = [f"{name}_{unit}".rstrip("_") for name, unit in units.items()] + ["speedup"]
    columns = ["sweep", "graph", "algorithm", "system", "processes"]
    columns += [name + end for name in triples for end in ("", "_low", "_high")] + ["baseline"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "marks", "rows"])
    for sweep, baseline in sweeps:
        for cell in sweep.ordered_cells:
            base = sweep.timed_base_of(cell, baseline)
            values: list[Any] = [sweep.config.name, cell.cell.graph, cell.cell.algorithm, cell.cell.system, len(cell.good)]
            for value in (*map(cell.estimate, MEASURES), None if cell is base else cell.speedup(base)):
                values += _columns(value)
            values.append(base.cell.system if base else "")
            writer.writerow([*values, "; ".join(cell.marks()), " ".join(row["row"] for row in cell.rows)])
    return text.getvalue()


def _columns(found: Estimate | Ratio | None) -> list[float | str]:
    """Returns a value and the ends of its interval, empty when unknown."""
    if found is None:
        return ["", "", ""]
    return [found.value, found.low, found.high] if found.has_interval else [found.value, "", ""]
