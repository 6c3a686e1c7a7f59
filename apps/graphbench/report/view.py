"""What a report shows of a sweep, for every form of it alike: tables with their rows, and what a reader has to be told."""

import datetime
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import Any, Sequence

from ..cells import CellResult, Sweep
from ..config import ALWAYS, NEVER, ONCE
from ..errors import UsageError
from ..records import DONE
from ..sample import Estimate, Ratio, harmonic_error, quartiles
from ..schema import suggestion
from ..sizes import format_bytes


@dataclass(frozen=True)
class Bandwidth:
    """What a link or a disk gives, and who says so."""

    gb_per_s: float
    source: str


@dataclass(frozen=True)
class Line:
    """A system's line in the table of a graph and algorithm."""

    result: CellResult
    time: Estimate | None
    speedup: Ratio | None  # None for the baseline too
    is_baseline: bool
    moved: Estimate | None
    amplification: Estimate | None
    bandwidth: Estimate | None
    share: float | None  # of the measured link or disk
    extra: dict[str, Estimate | None]
    marks: list[str]


@dataclass(frozen=True)
class Table:
    graph: str
    algorithm: str
    lines: list[Line]
    facts: str  # of the graph
    differing: list[tuple[str, list[CellResult]]]

    @property
    def has_times(self) -> bool:
        return any(line.time is not None for line in self.lines)


@dataclass(frozen=True)
class Distribution:
    """Of rates over sources, as Graph500 reports them."""

    result: CellResult
    count: int
    lowest: float
    first: float
    median: float
    third: float
    highest: float
    harmonic: float
    harmonic_error: float | None


def tables(sweep: Sweep, baseline: str | None, bandwidths: dict[str, Bandwidth]) -> list[Table]:
    found: list[Table] = []
    for graph in sweep.config.graphs:
        for algorithm in sweep.config.algorithms:
            cells = [cell for cell in sweep.cells_of(graph.name, algorithm.name) if cell.rows]
            if not cells:
                continue
            base = next((cell for cell in cells if cell.cell.system == baseline), None)
            lines = [_line(cell, base, bandwidths, sweep.config.columns) for cell in cells]
            found.append(
                Table(graph.name, algorithm.name, lines, _facts(cells), sweep.differing_answers(graph.name, algorithm.name))
            )
    return found


def _line(cell: CellResult, base: CellResult | None, bandwidths: dict[str, Bandwidth], columns: Sequence[str]) -> Line:
    bandwidth = cell.estimate("bandwidth")
    known = bandwidths.get(cell.cell.system)
    is_baseline = base is not None and cell.cell == base.cell
    return Line(
        result=cell,
        time=cell.estimate("time"),
        speedup=None if is_baseline else cell.speedup(base),
        is_baseline=is_baseline,
        moved=cell.estimate("moved"),
        amplification=cell.estimate("amplification"),
        bandwidth=bandwidth,
        share=bandwidth.median / known.gb_per_s if bandwidth and known and not cell.is_instrumented else None,
        extra={name: cell.estimate(name) for name in columns},
        marks=cell.marks(),
    )


def _facts(cells: list[CellResult]) -> str:
    graph = next((row["result"]["graph"] for cell in cells for row in cell.good), None)
    if graph is None:
        return ""
    kind = "undirected" if graph["symmetric"] else "directed"
    return f"{graph['n']:,} vertices, {graph['m']:,} stored edges, {kind}"


def distributions(sweep: Sweep) -> list[Distribution]:
    """Of each cell whose processes ran from several sources; rates of all its trials."""
    found: list[Distribution] = []
    for cell in sweep.cells.values():
        rates = sorted(trial["gteps"] for row in cell.good for trial in row["result"]["trials"] if trial["gteps"])
        sources = {trial["source"] for row in cell.good for trial in row["result"]["trials"]}
        if len(sources) > 1 and rates:
            first, third = quartiles(rates)
            middle = statistics.median(rates)
            means = (statistics.harmonic_mean(rates), harmonic_error(rates))
            found.append(Distribution(cell, len(rates), rates[0], first, middle, third, rates[-1], *means))
    return found


def bandwidths(sweep: Sweep, given: dict[str, float]) -> dict[str, Bandwidth]:
    """By system: what was given on the command line, else the best that a program of the sweep measured."""
    known: dict[str, Bandwidth] = {}
    for link in sweep.config.bandwidth:
        rows = [row for row in sweep.programs[link["program"]] if row["status"] == DONE]
        best = max(((line.get(link["field"]) or 0, row["row"]) for row in rows for line in row["result"]), default=(0, ""))
        gb_per_s = best[0] / (1 if link["unit"] == "GB/s" else 1e9)
        if gb_per_s > 0:
            source = f"{gb_per_s:.3g} GB/s, the best {link['field']} that {link['program']} measured (row {best[1]})"
            known |= {system: Bandwidth(gb_per_s, source) for system in link["systems"]}
    systems = [system.name for system in sweep.config.systems]
    for system, gb_per_s in given.items():
        if system not in systems:
            raise UsageError(f"--bandwidth: {sweep.config.name} has no system '{system}'{suggestion(system, systems)}")
        known[system] = Bandwidth(gb_per_s, f"{gb_per_s:.3g} GB/s, given on the command line")
    return known


def environment(sweep: Sweep) -> list[tuple[str, str]]:
    """Names and values; where sessions or rows differ, all that occur."""
    sessions = [session["environment"] for session in sweep.sessions]
    results = [row["result"] for row in sweep.rows if isinstance(row["result"], dict)]
    gpus = [result["machine"]["gpu"] for result in results if result["machine"]["gpu"]]
    loads = [row["load_before"] for row in sweep.rows]
    facts = [
        ("processor", _all(f"{e['cpu'] or 'unknown'}, {e['cores']} cores" for e in sessions)),
        ("memory", _all(format_bytes(e["memory_bytes"]) for e in sessions)),
        ("GPU", _all(_gpu(gpu) for gpu in gpus) or "none ran"),
        ("system", _all(", ".join(filter(None, (e["distribution"], e["system"]))) for e in sessions)),
        (
            "settings",
            _all(f"governor {e['governor'] or 'unknown'}, huge pages {e['huge_pages'] or 'unknown'}" for e in sessions),
        ),
        ("graphrun", _all(f"{s['graphrun']['version']}, digest {s['graphrun']['digest']}" for s in sweep.sessions)),
        ("build", _all(_build(result["program"]) for result in results)),
        ("load before runs", f"{min(loads):.1f} to {max(loads):.1f} processes (average of a minute)" if loads else ""),
        ("when", _when(sweep)),
    ]
    return [(name, value) for name, value in facts if value]


def _all(values: Any) -> str:
    return "; ".join(dict.fromkeys(values))


def _gpu(gpu: dict[str, Any]) -> str:
    return (
        f"{gpu['name']}, {format_bytes(gpu['memory_bytes'])}, {gpu['link']}, driver {gpu['driver']}, runtime {gpu['runtime']}"
    )


def _build(program: dict[str, Any]) -> str:
    return ", ".join(
        filter(None, (program["compiler"], program["build_type"], program["sanitizers"], f"{program['vertex_bits']}-bit ids"))
    )


def _when(sweep: Sweep) -> str:
    if not sweep.rows:
        return ""
    starts = sorted(row["started"] for row in sweep.rows)
    first, last = (datetime.datetime.fromisoformat(text) for text in (starts[0], starts[-1]))
    sessions = len(sweep.sessions)
    return f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC, {sessions} session{'s' if sessions > 1 else ''}"


_CHECKS = {
    ALWAYS: "every answer is verified",
    ONCE: "answers of each first process are verified, those of the others by their fingerprints",
    NEVER: "answers are not verified",
}


def policy(sweep: Sweep) -> str:
    """How the numbers came about, in a sentence."""
    config = sweep.config
    caches = "caches are left as the last trial left them (warm)" if config.warm else "every trial begins cold"
    checks = _CHECKS[config.verify]
    exceptions = "".join(f" ({a.name}: {a.trials})" for a in config.algorithms if a.trials not in (None, config.trials))
    trials = f"{config.trials} trial{'s' if config.trials > 1 else ''} of each source{exceptions}"
    limit = (
        f"limit of {config.time_limit_s:g} s" + (f" and {config.memory_limit}" if config.memory_limit else "") + " a process"
    )
    processes = f"{config.repeats} process{'es' if config.repeats > 1 else ''} of each combination"
    return f"{processes}, {trials}; systems take turns; {caches}; {checks}; {limit}."


def status_counts(sweep: Sweep) -> dict[str, int]:
    counts = Counter(row["status"] for row in sweep.rows)
    return dict(sorted(counts.items(), key=lambda item: item[0] != DONE))


def skipped(sweep: Sweep) -> list[tuple[str, str]]:
    """Combinations that the configuration leaves out, with the reason."""
    return [
        (" / ".join(part or "all" for part in (skip.graph, skip.algorithm, skip.system)), skip.reason)
        for skip in sweep.config.skips
    ]
