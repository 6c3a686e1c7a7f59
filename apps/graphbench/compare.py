# SPDX-License-Identifier: Apache-2.0
"""`graphbench compare`: finds what became faster or slower beyond noise between two sweeps of the same configurations."""

import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .cells import CellResult, Sweep, read_sweeps
from .environment import processor
from .errors import BenchError, UsageError
from .records import WRONG
from .sample import CONFIDENCE, Ratio, ratio_of_medians

SLOWER = "slower"
FASTER = "faster"
SAME = "same"
LOST = "lost"  # all runs succeeded, and now fail; or it had times, and has none now
NOT_RUN = "not run"  # yet, or no longer
WRONG_NOW = "wrong"
DIFFERS = "differs"  # the answer changed
GAINED = "gained"
UNSURE = "unsure"  # a single process before or after: its spread is unknown
NO_TIMES = "no times"  # before and after
INSTRUMENTED = "instrumented"  # its times are not comparable
REGRESSIONS = (SLOWER, WRONG_NOW, DIFFERS, LOST, NOT_RUN)
UNREMARKABLE = (SAME, NO_TIMES, INSTRUMENTED)
# Parts of a configuration that may differ between comparable runs.
_HARMLESS = ("title", "about", "rules", "repeats", "columns", "figures", "expected", "baseline", "time_limit_s", "verify", "only")
_ENOUGH = 7  # processes: 7 and 7 lie apart by chance once in 1716 times, 5 and 5 once in 126
_SHARED = 1.1
_MANY = 8


@dataclass(frozen=True)
class Change:
    sweep: str
    before: CellResult
    after: CellResult
    verdict: str
    ratio: Ratio | None  # time after over time before


@dataclass(frozen=True)
class Comparison:
    changes: list[Change]
    notes: list[str]  # other differences between before and after

    @property
    def has_regression(self) -> bool:
        return any(change.verdict in REGRESSIONS for change in self.changes)


def compare(before: Path, after: Path, threshold: float) -> Comparison:
    """Compares all combinations in both folders. Raises BenchError when none of them has times.

    A change counts when the whole bootstrap interval of the ratio of medians lies beyond `threshold`. Its confidence is such that
    of all the combinations together no more than 1 - CONFIDENCE of sweeps without any change would show one (Bonferroni). That
    needs processes: of 72 combinations with 7 each it holds (in simulations with noise of 5 to 30 % and stragglers), with 5 each
    up to an eighth of such sweeps show one."""
    old, new = ({sweep.config.name: sweep for sweep in read_sweeps(path)} for path in (before, after))
    common = [name for name in old if name in new]
    if not common:
        raise UsageError(f"{before} and {after} have no sweep in common: {', '.join(old)}; {', '.join(new)}")
    pairs = [
        (name, a, new[name].cells[cell]) for name in common for cell, a in old[name].cells.items() if cell in new[name].cells
    ]
    compared = [pair for pair in pairs if pair[1].rows or pair[2].rows]
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(compared))
    changes = [_change(name, a, b, threshold, confidence) for name, a, b in compared]
    if all(change.verdict == NO_TIMES for change in changes):
        raise BenchError(f"there is nothing to compare: no combination has times in {before} or {after}")
    notes = [note for name in common for note in _differences(old[name], new[name])]
    for side, sweeps in (("before", old), ("after", new)):
        if count := sum(len(sweep.cells) for sweep in sweeps.values()) - len(pairs):
            notes.append(f"{count} more combinations are configured {side} alone")
    return Comparison(changes, notes)


def _differences(before: Sweep, after: Sweep) -> list[str]:
    """Returns differences of programs and machines, which may explain changes of times."""
    old, new = before.config.raw, after.config.raw
    changed = [f"'{field}'" for field in {**old, **new} if field not in _HARMLESS and old.get(field) != new.get(field)]
    machines = [sorted({processor(session["environment"]) for session in sweep.sessions}) for sweep in (before, after)]
    notes = [f"the configurations of {before.config.name} differ in {', '.join(changed)}"] if changed else []
    if machines[0] != machines[1]:
        notes.append(f"{before.config.name} ran on {' and '.join(machines[0])}, then on {' and '.join(machines[1])}")
    return notes


def _change(name: str, before: CellResult, after: CellResult, threshold: float, confidence: float) -> Change:
    verdict = _verdict_without_times(before, after)
    if verdict is not None:
        return Change(name, before, after, verdict, None)
    ratio = ratio_of_medians(after.values("time"), before.values("time"), confidence)
    verdict = SLOWER if ratio.low > 1 + threshold else FASTER if ratio.high < 1 / (1 + threshold) else SAME
    return Change(name, before, after, verdict if min(len(before.good), len(after.good)) > 1 else UNSURE, ratio)


def _verdict_without_times(before: CellResult, after: CellResult) -> str | None:
    """Returns a verdict worse than a change of times, or that there are no times to compare."""
    had_times, has_times = bool(before.values("time")), bool(after.values("time"))
    was_wrong, is_wrong = (any(row["status"] == WRONG for row in cell.bad) for cell in (before, after))
    if is_wrong and not was_wrong:
        return WRONG_NOW
    if before.answers and after.answers and before.answers != after.answers:
        return DIFFERS
    if had_times and not after.rows:
        return NOT_RUN
    if had_times and (not has_times or (after.bad and not before.bad)):
        return LOST
    if not had_times:
        return GAINED if has_times else NO_TIMES
    return INSTRUMENTED if before.is_instrumented or after.is_instrumented else None


def describe(comparison: Comparison, show_all: bool) -> str:
    """Returns a table of the changes, or of everything, and a line that sums up."""
    changes = comparison.changes
    counts = Counter(change.verdict for change in changes)
    found = [v for v in (*REGRESSIONS, FASTER, GAINED, UNSURE, *UNREMARKABLE) if counts[v]]
    lines = [_line(change) for change in changes if show_all or change.verdict not in UNREMARKABLE]
    if lines:
        lines.insert(0, f"{'':8} {'before ms':>10} {'after ms':>10} {'after/before':>13}  interval")
    lines.append(f"{len(changes)} compared: " + ", ".join(f"{counts[verdict]} {verdict}" for verdict in found))
    return "\n".join([*lines, *(f"note: {note}" for note in _notes(comparison))])


def _notes(comparison: Comparison) -> list[str]:
    timed = [change for change in comparison.changes if change.ratio]
    notes = list(comparison.notes)
    few = min((min(len(change.before.good), len(change.after.good)) for change in timed), default=_ENOUGH)
    if few < _ENOUGH:
        some = (
            f"only {few} process{'es' if few > 1 else ''} of some combinations; {_ENOUGH} or more tell change from noise better"
        )
        notes.insert(0, some + " (one cannot: unsure)" * (few == 1))
    middle = statistics.median(change.ratio.value for change in timed if change.ratio) if len(timed) >= _MANY else 1.0
    if not 1 / _SHARED < middle < _SHARED:  # a change of everything is rarely one combination's
        befores, afters = (
            [row["load_before"] for c in side for row in c.rows] for side in zip(*((c.before, c.after) for c in timed))
        )
        loads = (f"{min(found):.1f} to {max(found):.1f}" for found in (befores, afters))
        said = "what changed may be the machine; its load before the runs was"
        notes.append(f"the middle one of all ratios is {middle:.2f}: {said} {', then '.join(loads)}")
    return notes


def _line(change: Change) -> str:
    name = f"{change.sweep}: {change.before.cell}"
    ratio = change.ratio
    estimates = (cell.estimate("time") for cell in (change.before, change.after))
    medians = " ".join([f"{change.verdict:8}", *(f"{f'{found.value:.4g}' if found else '-':>10}" for found in estimates)])
    if ratio is None:
        return f"{medians} {'':13}  {name}{_reason(change)}"
    interval = f"[{ratio.low:.3f}, {ratio.high:.3f}]" if change.verdict != UNSURE else "one process"
    return f"{medians} {ratio.value:13.3f}  {interval}  {name}"


def _reason(change: Change) -> str:
    if change.verdict == DIFFERS:
        before, after = ("; ".join(sorted(cell.answers)) for cell in (change.before, change.after))
        return f" (before: {before}; after: {after})"
    bad = change.after.bad
    return f" ({bad[-1]['status']}: {bad[-1]['reason']})" if bad else ""
