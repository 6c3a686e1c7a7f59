# SPDX-License-Identifier: Apache-2.0
"""The page: self-contained HTML."""

import base64
import shlex
from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from ..cells import Sweep
from ..records import REASONED
from . import facts, numbers
from .document import Links, Marks, Section

_FOLDER = Path(__file__).resolve().parent
_BAD_MARKS = (*REASONED, "not run yet", "slow build", "graph changed")


def as_html(parts: list[tuple[Sweep, list[Section], list[str]]]) -> str:
    """Returns the page of sweeps, each with its sections and missing figures."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = markupsafe.Markup((_FOLDER / "style.css").read_text(encoding="utf-8"))
    tests: dict[str, Any] = {"links": lambda cell: isinstance(cell, Links), "marks": lambda cell: isinstance(cell, Marks)}
    environment.tests.update(tests, bad=lambda mark: any(word in mark for word in _BAD_MARKS))
    environment.filters.update(
        number=numbers.number,
        run=facts.name_of,
        uri=lambda figure: "data:image/svg+xml;base64," + base64.b64encode(figure.svg().encode()).decode(),
        command=lambda row: shlex.join(row.get("command", [])),
    )
    given = [
        {
            "sweep": sweep,
            "sections": shown,
            "warnings": facts.warnings(sweep) + missing,
            "policy": facts.policy(sweep),
            "counts": facts.status_counts(sweep),
        }
        for sweep, shown, missing in parts
    ]
    return environment.get_template("page.html.j2").render(style=style, parts=given)
