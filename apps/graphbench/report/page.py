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
from . import notes, numbers, view
from .drawing import Figure
from .published import published
from .traffic import traffic

_FOLDER = Path(__file__).resolve().parent
# Its own functions, and not what it imports.
_NUMBERS = {name: item for name, item in vars(numbers).items() if getattr(item, "__module__", None) == numbers.__name__}
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
    "graph changed",
)


@dataclass(frozen=True)
class Material:
    """What is known of a sweep, drawn and computed."""

    sweep: Sweep
    baseline: str | None
    tables: list[view.Table]
    figures: list[Figure]
    not_drawn: list[str]  # a sentence for each
    bandwidths: dict[str, view.Bandwidth]


def as_html(material: list[Material]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(_NUMBERS)
    style = markupsafe.Markup((_FOLDER / "style.css").read_text(encoding="utf-8"))
    return environment.get_template("page.html.j2").render(
        title=", ".join(item.sweep.config.title for item in material),
        style=style,
        parts=[_part(item) for item in material],
        measures=MEASURES,
        sizes=REQUEST_SIZES,
        is_bad=_is_bad,
        name_of=notes.name_of,
        command_of=_command_of,
    )


def _part(item: Material) -> dict[str, Any]:
    sweep = item.sweep
    drawn = [
        {"title": figure.title, "note": figure.note, "uri": _uri(figure), "algorithm": figure.algorithm}
        for figure in item.figures
    ]
    groups = [
        {
            "name": algorithm.name,
            "tables": [table for table in item.tables if table.algorithm == algorithm.name and table.has_times],
            "figures": [figure for figure in drawn if figure["algorithm"] == algorithm.name],
        }
        for algorithm in sweep.config.algorithms
    ]
    return {
        "sweep": sweep,
        "policy": view.policy(sweep),
        "counts": view.status_counts(sweep),
        "warnings": [*notes.warnings(sweep, item.tables), *item.not_drawn],
        "environment": view.environment(sweep),
        "bandwidths": item.bandwidths,
        "groups": [group for group in groups if group["tables"]],
        "roofs": [figure for figure in drawn if figure["algorithm"] is None],
        "traffic": traffic(sweep, item.baseline),
        "distributions": view.distributions(sweep),
        "published": published(sweep),
        "programs": notes.programs(sweep),
        "bad": notes.bad_runs(sweep),
        "skipped": view.skipped(sweep),
    }


def _uri(figure: Figure) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(figure.svg().encode()).decode()


def _is_bad(mark: str) -> bool:
    return any(word in mark for word in _BAD_MARKS)


def _command_of(row: Row) -> str:
    return shlex.join(row.get("command", []))
