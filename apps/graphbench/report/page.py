"""The page: HTML with everything in it, made from a template and what view.py says."""

import base64
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from ..cells import Sweep
from ..measures import MEASURES, REQUEST_SIZES, Row
from ..records import DONE
from ..schema import is_number
from . import numbers, view
from .drawing import Figure
from .published import published
from .traffic import traffic

_FOLDER = Path(__file__).resolve().parent
_BAD_MARKS = (
    "wrong",
    "failed",
    "refused",
    "timed out",
    "out of memory",
    "crashed",
    "garbled",
    "unavailable",
    "not run yet",
    "slow build",
)
_BUSY = 1.5  # more processes than this, for each core, wanted to run


@dataclass(frozen=True)
class Material:
    """What is known of a sweep, drawn and computed."""

    sweep: Sweep
    baseline: str | None
    tables: list[view.Table]
    figures: list[Figure]
    bandwidths: dict[str, view.Bandwidth]


def as_html(material: list[Material]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = markupsafe.Markup((_FOLDER / "style.css").read_text(encoding="utf-8"))
    return environment.get_template("page.html.j2").render(
        title=", ".join(item.sweep.config.title for item in material),
        style=style,
        parts=[_part(item) for item in material],
        measures=MEASURES,
        number=numbers.number,
        as_given=numbers.as_given,
        amount=numbers.amount,
        spread=numbers.spread,
        times=numbers.times,
        interval=numbers.interval,
        percent=numbers.percent,
        precise_percent=numbers.precise_percent,
        sizes=REQUEST_SIZES,
        heading=numbers.heading,
        plain=_plain,
        is_bad=_is_bad,
        name_of=_name_of,
        command_of=_command_of,
    )


def _part(item: Material) -> dict[str, Any]:
    sweep = item.sweep
    drawn = [{"title": figure.title, "note": figure.note, "uri": _uri(figure), "name": figure.name} for figure in item.figures]
    groups = [
        {
            "name": algorithm.name,
            "tables": [table for table in item.tables if table.algorithm == algorithm.name and table.has_times],
            "figures": [figure for figure in drawn if figure["name"].startswith(f"{algorithm.name}-")],
        }
        for algorithm in sweep.config.algorithms
    ]
    return {
        "sweep": sweep,
        "policy": view.policy(sweep),
        "counts": view.status_counts(sweep),
        "warnings": _warnings(item),
        "environment": view.environment(sweep),
        "bandwidths": item.bandwidths,
        "groups": [group for group in groups if group["tables"]],
        "roofs": [figure for figure in drawn if figure["name"] == "roofline"],
        "traffic": traffic(sweep, item.baseline),
        "distributions": view.distributions(sweep),
        "published": published(sweep),
        "programs": [_program(sweep, name, rows) for name, rows in sweep.programs.items()],
        "bad": _bad(sweep.rows),
        "skipped": view.skipped(sweep),
    }


def _warnings(item: Material) -> list[str]:
    """What a reader must know before any number."""
    sweep = item.sweep
    warnings: list[str] = []
    missing = sum(cell.missing for cell in sweep.cells.values())
    if missing:
        warnings.append(f"This sweep is not complete: {missing} of {missing + len(sweep.rows)} runs are still to be done.")
    empty = sum(not table.has_times for table in item.tables)
    if empty:
        warnings.append(f"{empty} of {len(item.tables)} combinations of graph and algorithm have no times: see under 'Rows'.")
    if any(table.differing for table in item.tables):
        warnings.append("Systems disagree on answers: see where it says 'answers differ'.")
    wrong = sum(row["status"] == "wrong" for row in sweep.rows)
    if wrong:
        warnings.append(f"{wrong} runs gave a wrong answer; their times are in no median.")
    if len({session["graphrun"]["digest"] for session in sweep.sessions}) > 1:
        warnings.append("Rows come from more than one build of graphrun.")
    if sweep.superseded:
        warnings.append(
            f"{sweep.superseded} more rows are in rows.jsonl, of runs that were run again or are configured no longer."
        )
    cores = min((session["environment"]["cores"] for session in sweep.sessions), default=1)
    busy = sum(row["load_before"] > _BUSY * cores for row in sweep.rows)
    if busy:
        warnings.append(
            f"The machine was busy: load above {_BUSY * cores:g} on {cores} cores before {busy} of {len(sweep.rows)} runs."
        )
    if any("slow build" in line.marks for table in item.tables for line in table.lines):
        warnings.append("graphrun was built without optimisation or with sanitizers: its times mean nothing.")
    return warnings


def _bad(rows: list[Row]) -> list[dict[str, Any]]:
    """Rows that are not done, those with the same reason together."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["status"] != DONE:
            groups.setdefault((row["status"], row["reason"]), []).append(row)
    return [
        {"status": status, "reason": reason, "rows": found, "names": list(dict.fromkeys(map(_name_of, found)))}
        for (status, reason), found in groups.items()
    ]


def _program(sweep: Sweep, name: str, rows: list[Row]) -> dict[str, Any]:
    lines = [(row, line) for row in rows if row["status"] == DONE for line in row["result"]]
    columns = list(dict.fromkeys(key for _, line in lines for key in line))
    numeric = [key for key in columns if all(is_number(line[key]) for _, line in lines if key in line)]
    command = next(" ".join(program.command) for program in sweep.config.programs if program.name == name)
    return {"name": name, "command": command, "columns": columns, "numeric": numeric, "lines": lines}


def _uri(figure: Figure) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(figure.svg().encode()).decode()


def _is_bad(mark: str) -> bool:
    return any(word in mark for word in _BAD_MARKS)


def _name_of(row: Row) -> str:
    return " / ".join(part for part in (row["graph"], row["algorithm"], row["system"]) if part)


def _command_of(row: Row) -> str:
    return shlex.join(row.get("command", []))


def _plain(value: Any) -> str:
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1000):
        return numbers.number(value)
    return numbers.NONE if value is None else str(value)
