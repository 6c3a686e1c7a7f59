# SPDX-License-Identifier: Apache-2.0
"""The facts of a report beside its tables: origin of the numbers, and caveats."""

import datetime
from collections import Counter
from dataclasses import dataclass
from typing import Any

from ..cells import GRAPH_CHANGED, Sweep
from ..config_schema import ALWAYS, NEVER, ONCE
from ..errors import UsageError
from ..measures import Row
from ..records import DONE, WRONG
from ..schema import suggestion
from ..options import format_bytes

_BUSY = 1.5  # more running or waiting processes than this, for each core
_CHECKS = {
    ALWAYS: "every answer is verified",
    ONCE: "answers of each first process are verified, those of the others by their fingerprints",
    NEVER: "answers are not verified",
}


@dataclass(frozen=True)
class Bandwidth:
    """The bandwidth of a link or a disk, and its origin."""

    gb_per_s: float
    source: str


def bandwidths(sweep: Sweep, given: dict[str, float]) -> dict[str, Bandwidth]:
    """Returns bandwidths by system: the command line's, else the best that a program of the sweep measured."""
    known: dict[str, Bandwidth] = {}
    for link in sweep.config.bandwidth:
        rows = [row for row in sweep.programs[link["program"]] if row["status"] == DONE]
        best = max(((line.get(link["field"]) or 0, row["row"]) for row in rows for line in row["result"]), default=(0, ""))
        gb_per_s = best[0] / (1 if link["unit"] == "GB/s" else 1e9)
        if gb_per_s > 0:
            source = f"{gb_per_s:.3g} GB/s, the best {link['field']} that {link['program']} measured (row {best[1]})"
            known |= dict.fromkeys(link["systems"], Bandwidth(gb_per_s, source))
    for system, gb_per_s in given.items():
        known[named_system(sweep, system, "--bandwidth")] = Bandwidth(
            gb_per_s, f"{gb_per_s:.3g} GB/s, given on the command line"
        )
    return known


def named_system(sweep: Sweep, name: str, option: str) -> str:
    """Returns the name. Raises UsageError when an option names no system of the sweep."""
    systems = [system.name for system in sweep.config.systems]
    if name not in systems:
        raise UsageError(f"{option}: {sweep.config.name} has no system '{name}'{suggestion(name, systems)}")
    return name


def environment(sweep: Sweep) -> list[tuple[str, str]]:
    """Returns names and values; all values where sessions or rows differ."""
    machines = [session["environment"] for session in sweep.sessions]
    results = [row["result"] for row in sweep.rows if isinstance(row["result"], dict)]
    gpus = [result["machine"]["gpu"] for result in results if result["machine"]["gpu"]]
    loads = [row["load_before"] for row in sweep.rows]
    settings = "governor {governor}, huge pages {huge_pages}"
    gpu = "{name}, {memory}, {link}, driver {driver}, runtime {runtime}"
    found = [
        ("processor", _all("{cpu}, {cores} cores", machines)),
        ("memory", "; ".join(dict.fromkeys(format_bytes(machine["memory_bytes"]) for machine in machines))),
        ("GPU", _all(gpu, [g | {"memory": format_bytes(g["memory_bytes"])} for g in gpus]) or "none ran"),
        ("system", "; ".join(dict.fromkeys(_listed(machine, "distribution", "system") for machine in machines))),
        ("settings", _all(settings, machines)),
        ("graphrun", _all("{version}, digest {digest}", [session["graphrun"] for session in sweep.sessions])),
        ("build", "; ".join(dict.fromkeys(_build(result["program"]) for result in results))),
        ("load before runs", f"{min(loads):.1f} to {max(loads):.1f} processes (average of a minute)" if loads else ""),
        ("when", _when(sweep)),
    ]
    return [(name, value) for name, value in found if value]


def _all(form: str, values: list[dict[str, Any]]) -> str:
    return "; ".join(
        dict.fromkeys(form.format_map({k: "unknown" if v is None else v for k, v in value.items()}) for value in values)
    )


def _listed(values: dict[str, Any], *names: str) -> str:
    return ", ".join(values[name] for name in names if values[name])


def _build(program: dict[str, Any]) -> str:
    return f"{_listed(program, 'compiler', 'build_type', 'sanitizers')}, {program['vertex_bits']}-bit ids"


def _when(sweep: Sweep) -> str:
    if not sweep.rows:
        return ""
    starts = sorted(row["started"] for row in sweep.rows)
    first, last = (datetime.datetime.fromisoformat(text) for text in (starts[0], starts[-1]))
    return f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC, {_count(len(sweep.sessions), 'session')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'es' if what[-1] == 's' else 's'}" if number != 1 else f"1 {what}"


def policy(sweep: Sweep) -> str:
    """Returns the sweep's rules in a sentence."""
    config = sweep.config
    caches = "caches are left as the last trial left them (warm)" if config.warm else "every trial begins cold"
    exceptions = "".join(f" ({a.name}: {a.trials})" for a in config.algorithms if a.trials not in (None, config.trials))
    memory = f" and {config.memory_limit}" if config.memory_limit else ""
    return (
        f"{_count(config.repeats, 'process')} of each combination, {_count(config.trials, 'trial')} of each source{exceptions}; "
        f"systems take turns; {caches}; {_CHECKS[config.verify]}; limit of {config.time_limit_s:g} s{memory} a process."
    )


def warnings(sweep: Sweep) -> list[str]:
    """Returns the caveats of all numbers."""
    config, rows, cells, old = sweep.config, sweep.rows, sweep.cells.values(), sweep.superseded
    marks = {mark for cell in cells for mark in cell.marks()}
    missing = sum(cell.missing for cell in cells) + sum(config.repeats - len(runs) for runs in sweep.programs.values())
    pairs = [(graph.name, algorithm.name) for graph in config.graphs for algorithm in config.algorithms]
    tried = [pair for pair in pairs if any(cell.rows for cell in sweep.cells_of(*pair))]
    empty = sum(not any(cell.values("time") for cell in sweep.cells_of(*pair)) for pair in tried)
    wrong = sum(row["status"] == WRONG for row in rows)
    known = {session["session"] for session in sweep.sessions}
    unknown = sum(row["session"] not in known for row in rows)
    cores = min((session["environment"]["cores"] for session in sweep.sessions), default=1)
    busy = sum(row["load_before"] > _BUSY * cores for row in rows)
    sentences = {
        f"This sweep is not complete: {missing} of {missing + len(rows)} runs are still to be done.": missing,
        f"The last line of rows.jsonl is torn ({sweep.torn_bytes} bytes): its run is still to be done.": sweep.torn_bytes,
        f"{empty} of {len(tried)} combinations of graph and algorithm have no times: see the runs that did not end well.": empty,
        "Systems disagree on answers: see where it says 'answers differ'.": any(
            sweep.differing_answers(*pair) for pair in tried
        ),
        "Graphs have changed between runs that are taken together: see the mark 'graph changed'.": GRAPH_CHANGED in marks,
        f"{wrong} runs gave a wrong answer; their times are in no median.": wrong,
        f"Of {unknown} rows nothing says which graphrun made them on which machine: sessions.jsonl lacks theirs.": unknown,
        "Rows come from more than one build of graphrun.": len({s["graphrun"]["digest"] for s in sweep.sessions}) > 1,
        f"{old} more rows are in rows.jsonl, of runs that were run again or are configured no longer.": old,
        f"The machine was busy: load above {_BUSY * cores:g} on {cores} cores before {busy} of {len(rows)} runs.": busy,
        "graphrun was built without optimisation or with sanitizers: its times mean nothing.": "slow build" in marks,
    }
    return [sentence for sentence, holds in sentences.items() if holds]


def status_counts(sweep: Sweep) -> dict[str, int]:
    counts = Counter(row["status"] for row in sweep.rows)
    return dict(sorted(counts.items(), key=lambda item: item[0] != DONE))


def name_of(row: Row) -> str:
    return " / ".join(part for part in (row["graph"], row["algorithm"], row["system"]) if part)
