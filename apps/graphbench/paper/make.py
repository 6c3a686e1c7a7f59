# SPDX-License-Identifier: Apache-2.0
"""`graphbench paper`: runs what the table of the papers' figures needs, and writes what came out and the page of it."""

import dataclasses
import json
import sys
import time
from pathlib import Path
from typing import Any

from .. import environment
from ..cells import Sweep, read_sweep
from ..errors import UsageError
from ..plan import make_plan
from ..programs import Programs
from ..records import DONE, UNAVAILABLE
from ..store import SweepFolder
from ..sweep import SweepOptions, run_sweep
from .answers import answer_all, is_modelled
from .page import page, picture
from .table import FULL, QUICK, PaperRun, PaperTable

QUICK_S = 300


@dataclasses.dataclass(frozen=True)
class PaperOutcome:
    left: int  # runs that had no time
    bad: int  # runs that were neither done nor unavailable
    total: int
    done: int


def make_paper(
    table: PaperTable, out: Path, programs: Programs, form: str, seconds: float, options: SweepOptions
) -> PaperOutcome:
    """Runs what is missing while there is time. Writes results.json, README.md and paper.svg to `out`."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out: {out} is not a folder")
    options = dataclasses.replace(options, until=time.monotonic() + seconds)
    runs = table.runs_of(QUICK)
    if form == FULL:
        runs += [run for run in table.runs_of(FULL) if run not in runs]
    rows: list[dict[str, Any]] = []
    total = 0
    for run in runs:
        if not options.quiet:
            print(f"graphbench: {run.name}", file=sys.stderr, flush=True)
        total += len(make_plan(run.config))
        rows += run_sweep(run.config, SweepFolder(out / run.folder), programs, options)
    write_page(table, results(table, read_runs(runs, out)), out)
    statuses = [row["status"] for row in rows]
    bad = sum(status not in (DONE, UNAVAILABLE) for status in statuses)
    return PaperOutcome(total - len(rows), bad, total, statuses.count(DONE))


def read_runs(runs: list[PaperRun], out: Path) -> dict[str, Sweep]:
    """Returns the sweeps in `out`, by name of the run."""
    folders = {run.name: (SweepFolder(out / run.folder), run.config) for run in runs}
    return {name: read_sweep(folder, config) for name, (folder, config) in folders.items() if folder.exists()}


def results(table: PaperTable, sweeps: dict[str, Sweep]) -> dict[str, Any]:
    """Returns the content of results.json: answers by number and form, their builds, the largest load before a timed run."""
    builds = {session["graphrun"]["version"]: None for sweep in sweeps.values() for session in sweep.sessions}
    timed = (row for sweep in sweeps.values() for row in sweep.rows if not is_modelled(row))
    load = max((row["load_before"] for row in timed), default=0)
    return {"made": environment.now(), "graphrun": list(builds), "load": load, "answers": answer_all(table, sweeps)}


def write_page(table: PaperTable, found: dict[str, Any], out: Path) -> None:
    (out / "results.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "README.md").write_text(page(table, found), encoding="utf-8")
    (out / "paper.svg").write_text(picture(table, found), encoding="utf-8")


def merge(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Merges results of two machines or sessions. The later value of a number and form stays; a missing one replaces none."""
    answers = {key: dict(forms) for key, forms in before["answers"].items()}
    for key, forms in after["answers"].items():
        for form, answer in forms.items():
            old = answers.setdefault(key, {}).get(form)
            if old is None or old["value"] is None or answer["value"] is not None:
                answers[key][form] = answer
    builds = list(dict.fromkeys([*before["graphrun"], *after["graphrun"]]))
    made, load = (max(before[name], after[name]) for name in ("made", "load"))
    return {"made": made, "graphrun": builds, "load": load, "answers": answers}
