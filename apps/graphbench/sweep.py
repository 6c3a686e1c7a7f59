# SPDX-License-Identifier: Apache-2.0
"""Executes a plan's missing runs, one process after another, and appends a row for each."""

import math
import shlex
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from . import environment
from .config import Config
from .errors import UsageError
from .graphs import Graphs, Missing, edge_bytes, find
from .outcome import Outcome, judge
from .plan import Cell, Run, make_plan_to_run
from .process import run_process
from .programs import Programs
from .records import DONE, FAILED, OUT_OF_MEMORY, TIMED_OUT, UNAVAILABLE
from .schema import load_object
from .options import edge_share, parse_bytes
from .store import SweepFolder, latest_rows

# Not retried in the other repeats of a session: the first costs its whole limit each time, the second endangers the machine.
_HOPELESS = (TIMED_OUT, OUT_OF_MEMORY)
_PAGE_SLACK_BYTES = 64 << 10


@dataclass(frozen=True)
class SweepOptions:
    extend: bool = False  # continue with another configuration or another graphrun
    retry: bool = False  # repeat failed runs
    quiet: bool = False
    datasets: tuple[Path, ...] = ()
    until: float = math.inf  # of time.monotonic(): no run begins later


def run_sweep(config: Config, folder: SweepFolder, programs: Programs, options: SweepOptions) -> list[dict[str, Any]]:
    """Returns the rows of the plan, also of earlier sessions. Runs that had no time left have no row."""
    programs.check(config)
    memory_limit = parse_bytes(config.memory_limit) if config.memory_limit else None
    if memory_limit is not None:
        programs.check_start(memory_limit, config.memory_limit or "")
    plan = make_plan_to_run(config)
    _check_shares(config, plan)
    folder.lock()
    torn = folder.row_lines.drop_torn_line() + folder.session_lines.drop_torn_line()
    session = _begin_session(config, folder, programs, options.extend)

    latest = latest_rows(folder.read_rows())
    left = [run for run in plan if run.key not in latest or (options.retry and latest[run.key]["status"] != DONE)]
    progress = _Progress(left, options.quiet)
    progress.begin(plan, latest, torn)
    graphs = Graphs(programs, folder.graphs, options.datasets, config.time_limit_s, progress.say)
    given_up: dict[Cell, str] = {}
    for run in left:
        if time.monotonic() >= options.until:
            break
        attempt = latest[run.key]["attempt"] + 1 if run.key in latest else 1
        name = run.key if attempt == 1 else f"{run.key}.{attempt}"
        row = {"row": name, "key": run.key, "attempt": attempt, "session": session}
        row |= _execute(run, config, programs, graphs, memory_limit, given_up.get(run.cell))
        if row["status"] in _HOPELESS:
            given_up.setdefault(run.cell, row["status"])
        folder.row_lines.append(row)
        latest[run.key] = row
        progress.finished(run, row)
    return [latest[run.key] for run in plan if run.key in latest]


class _Progress:
    """Prints a line for each finished run, and estimates the time left from runs of the same cell, or for new cells from
    all."""

    def __init__(self, left: list[Run], quiet: bool):
        self._left = {run.key: run for run in left}
        self._total = len(left)
        self._quiet = quiet
        self._seconds: dict[Cell, list[float]] = {}

    def say(self, text: str) -> None:
        if not self._quiet:
            print(f"graphbench: {text}", file=sys.stderr, flush=True)

    def begin(self, plan: list[Run], latest: dict[str, dict[str, Any]], torn: int) -> None:
        """Prints the point at which a sweep continues, and learns run times from its earlier sessions."""
        if torn:
            self.say(f"dropped {torn} bytes of a line that was torn when the last session ended")
        if self._total < len(plan):
            self.say(f"{len(plan) - self._total} of {len(plan)} runs are done already")
        for run in plan:
            if run.key in latest and latest[run.key]["status"] == DONE:
                self._seconds.setdefault(run.cell, []).append(latest[run.key]["wall_s"])
        if self._total:
            known = f", about {duration(self._estimate_s())}" if self._seconds else ""
            self.say(f"{self._total} run{'s' if self._total > 1 else ''} to do{known}")

    def finished(self, run: Run, row: dict[str, Any]) -> None:
        del self._left[run.key]
        self._seconds.setdefault(run.cell, []).append(row["wall_s"])
        left = f", about {duration(self._estimate_s())} left" if self._left else ""
        done = f"[{self._total - len(self._left)}/{self._total}]"
        self.say(f"{done} {run.cell}, repeat {run.repeat}: {_what_came(row)}{left}")

    def _estimate_s(self) -> float:
        known = {cell: statistics.fmean(values) for cell, values in self._seconds.items()}
        everywhere = statistics.fmean(known.values()) if known else 0.0
        return sum(known.get(run.cell, everywhere) for run in self._left.values())


def duration(seconds: float) -> str:
    """Returns '45 s', '12 min', '3 h 5 min'."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _what_came(row: dict[str, Any]) -> str:
    if row["status"] != "done":
        return f"{row['status'].upper()}: {row['reason']}"
    result = row["result"]
    if isinstance(result, dict) and "summary" in result:
        return f"{result['summary']['median_ms']:.4g} ms, {result['verdict']} ({row['wall_s']:.1f} s)"
    return f"done ({row['wall_s']:.1f} s)"


def _begin_session(config: Config, folder: SweepFolder, programs: Programs, extend: bool) -> int:
    """Records the start, and rejects a mix of incomparable results. Returns the session's number."""
    graphrun = {"version": programs.version(), "digest": programs.digest()}
    machine = environment.describe()
    earlier = folder.read_sessions()
    if folder.exists() and not extend:
        other = _what_is_another(config, folder, graphrun, machine, earlier[-1] if earlier else None)
        if other is not None:
            raise UsageError(f"{folder.path} {other}: take another --out, or --extend to go on with this one")
    folder.write_config(config.raw)
    about = {"started": environment.now(), "config": config.digest, "graphrun": graphrun, "environment": machine}
    folder.session_lines.append({"session": len(earlier) + 1, **about})
    return len(earlier) + 1


def _what_is_another(
    config: Config, folder: SweepFolder, graphrun: dict[str, str], machine: dict[str, Any], last: dict[str, Any] | None
) -> str | None:
    """Returns how a folder conflicts with a new session; None when it does not."""
    if load_object(folder.config_path) != config.raw:
        return "was begun with another configuration"
    if last is None:
        unknown = "has rows, and nothing says which graphrun made them on which machine (sessions.jsonl)"
        return unknown if folder.read_rows() else None
    if last["graphrun"]["digest"] != graphrun["digest"]:
        before, this = ("{version}, digest {digest}".format(**build) for build in (last["graphrun"], graphrun))
        return f"was begun with another graphrun ({before}), and this is {this}"
    then, now = environment.processor(last["environment"]), environment.processor(machine)
    return f"was begun on another machine ({then}), and this is {now}" if then != now else None


def _execute(
    run: Run, config: Config, programs: Programs, graphs: Graphs, memory_limit: int | None, given_up: str | None
) -> dict[str, Any]:
    about = {**vars(run.cell), "repeat": run.repeat, "options": run.options}
    about |= {"started": environment.now(), "load_before": environment.load()}
    measured: dict[str, Any] = {"wall_s": 0.0}
    try:
        if given_up is not None:
            raise Missing(given_up, "not tried again in this session, because another repeat ended like this")
        command = _command(run, programs, graphs)
        finished = run_process(command, config.time_limit_s, memory_limit)
        outcome = judge(finished, config.time_limit_s, run.question)
        measured = {name: getattr(finished, name) for name in ("exit_code", "signal", "user_s", "system_s", "max_rss_bytes")}
        measured |= {"command": command, "wall_s": round(finished.wall_s, 6), "messages": finished.errors[-2000:]}
    except Missing as missing:
        outcome = Outcome(missing.status, missing.reason)
    except OSError as error:
        outcome = Outcome(FAILED, f"it cannot be started: {error.strerror}")
    return {**about, **vars(outcome), **measured}


def _command(run: Run, programs: Programs, graphs: Graphs) -> list[str]:
    path = graphs.path(run.graph, run.is_wide) if run.graph is not None else ""
    executable = programs.neighbour(run.executable)
    if executable is None:
        raise Missing(UNAVAILABLE, f"there is no program {run.executable} beside graphrun, in bench/ there, or on the PATH")
    return [str(executable), *_with_sizes(run, path), *(("--quiet", "--json", "-") if run.program is None else ())]


def _with_sizes(run: Run, path: str) -> list[str]:
    """Returns the arguments, with bytes for a share of the edges, rounded up for pages and their columns."""
    arguments = run.words(path)
    share = edge_share(str(run.options.get("cache", "")))
    if share is not None:
        all_bytes = edge_bytes(path, with_weights=run.question is not None and run.question.algo == "sssp")
        arguments[arguments.index("--cache") + 1] = str(math.ceil(all_bytes * share) + _PAGE_SLACK_BYTES)
    return arguments


def _check_shares(config: Config, plan: list[Run]) -> None:
    """Raises UsageError when a cache is a share of edges that no container counts. Data sets are checked later."""
    for run in plan:
        graph = run.graph
        if graph is None or graph.container or graph.is_dataset or edge_share(str(run.options.get("cache", ""))) is None:
            continue
        try:
            edge_bytes(graph.source, with_weights=False)
        except Missing as missing:
            raise UsageError(f"{config.name}, graph '{graph.name}': {missing}") from missing


def describe_plan(config: Config, folder: SweepFolder, datasets: Sequence[Path]) -> str:
    """Returns the runs of a sweep, a line a run in order, and what is missing. Raises UsageError for an impossible sweep."""
    plan = make_plan_to_run(config)
    _check_shares(config, plan)
    lines: list[str] = []
    lacking: list[str] = []
    for run in plan:
        try:
            source, path = find(run.graph, run.is_wide, folder.graphs, datasets) if run.graph else ("", "")
            if path != source and not Path(path).exists():
                lacking.append(f"{path} would be made of {source} first")
        except Missing as missing:
            path = run.graph.source if run.graph else ""
            lacking.append(str(missing))
        lines.append(f"{run.key}  {run.cell}, repeat {run.repeat}: {shlex.join([run.executable, *run.words(path)])}")
    limits = f"{len(lines)} runs, each of them stopped after {duration(config.time_limit_s)}"
    return "\n".join([*lines, *dict.fromkeys(lacking), limits])
