"""Two sweeps of the same configurations: what became faster or slower beyond noise."""

import statistics
from dataclasses import dataclass
from pathlib import Path

from .cells import CellResult, Sweep, read_sweep
from .config_reader import read_config
from .errors import BenchError, UsageError
from .records import WRONG
from .sample import CONFIDENCE, Ratio, ratio_of_medians
from .store import find_sweeps

SLOWER = "slower"
FASTER = "faster"
SAME = "same"
LOST = "lost"  # all its runs ended well, and now they do not; or it had times, and has none now
NOT_RUN = "not run"  # yet, or no longer
WRONG_NOW = "wrong"
DIFFERS = "differs"  # another answer than before
GAINED = "gained"
UNSURE = "unsure"  # a single process before or after: nobody knows how far two of them lie apart
NO_TIMES = "no times"  # before and after
INSTRUMENTED = "instrumented"  # its times are not to be compared
ENOUGH = 7  # processes: 7 and 7 lie apart by chance once in 1716 times, 5 and 5 once in 126
_REGRESSIONS = (SLOWER, WRONG_NOW, DIFFERS, LOST, NOT_RUN)
_UNREMARKABLE = (SAME, NO_TIMES, INSTRUMENTED)
_SHARED = 1.1
_MANY = 8


@dataclass(frozen=True)
class Change:
    sweep: str
    before: CellResult
    after: CellResult
    verdict: str
    ratio: Ratio | None  # time after over time before

    @property
    def is_regression(self) -> bool:
        return self.verdict in _REGRESSIONS


@dataclass(frozen=True)
class Comparison:
    changes: list[Change]
    only_before: int  # combinations that the other folder's configurations do not have
    only_after: int


def compare(before: Path, after: Path, threshold: float) -> Comparison:
    """All combinations that both folders have. Raises BenchError when none of them has times.

    A change counts when the whole bootstrap interval of the ratio of medians lies beyond `threshold`. Its confidence is such that
    of all the combinations together no more than 1 - CONFIDENCE of sweeps without any change would show one (Bonferroni). That
    needs processes: of 72 combinations with 7 each it holds (in simulations with noise of 5 to 30 % and stragglers), with 5 each
    up to an eighth of such sweeps show one."""
    old, new = _sweeps(before), _sweeps(after)
    common = [name for name in old if name in new]
    if not common:
        raise UsageError(f"{before} and {after} have no sweep in common: {', '.join(old)}; {', '.join(new)}")
    pairs = [
        (name, old[name].cells[cell], new[name].cells[cell])
        for name in common
        for cell in old[name].cells
        if cell in new[name].cells
    ]
    compared = [pair for pair in pairs if pair[1].rows or pair[2].rows]
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(compared))
    changes = [_change(name, a, b, threshold, confidence) for name, a, b in compared]
    if all(change.verdict == NO_TIMES for change in changes):
        raise BenchError(f"there is nothing to compare: no combination has times in {before} or {after}")
    return Comparison(changes, _count_cells(old) - len(pairs), _count_cells(new) - len(pairs))


def _count_cells(sweeps: dict[str, Sweep]) -> int:
    return sum(len(sweep.cells) for sweep in sweeps.values())


def _sweeps(path: Path) -> dict[str, Sweep]:
    sweeps = (read_sweep(folder, read_config(folder.config_path)) for folder in find_sweeps(path))
    return {sweep.config.name: sweep for sweep in sweeps}


def _change(name: str, before: CellResult, after: CellResult, threshold: float, confidence: float) -> Change:
    verdict = _verdict_without_times(before, after)
    if verdict is not None:
        return Change(name, before, after, verdict, None)
    ratio = ratio_of_medians(after.values("time"), before.values("time"), confidence)
    verdict = UNSURE if min(len(before.good), len(after.good)) < 2 else _verdict_of_times(ratio, threshold)
    return Change(name, before, after, verdict, ratio)


def _verdict_without_times(before: CellResult, after: CellResult) -> str | None:
    """Where something is worse than a change of times, or where there are none to compare."""
    had_times, has_times = bool(before.values("time")), bool(after.values("time"))
    if _has_wrong(after) and not _has_wrong(before):
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


def _verdict_of_times(ratio: Ratio, threshold: float) -> str:
    if ratio.low > 1 + threshold:
        return SLOWER
    return FASTER if ratio.high < 1 / (1 + threshold) else SAME


def _has_wrong(cell: CellResult) -> bool:
    return any(row["status"] == WRONG for row in cell.bad)


def describe(comparison: Comparison, show_all: bool) -> str:
    """A table of what changed, or of everything, and a line that sums up."""
    changes = comparison.changes
    counts = {
        verdict: sum(change.verdict == verdict for change in changes)
        for verdict in (*_REGRESSIONS, FASTER, GAINED, UNSURE, *_UNREMARKABLE)
    }
    lines = [_line(change) for change in changes if show_all or change.verdict not in _UNREMARKABLE]
    if lines:
        lines.insert(0, f"{'':8} {'before ms':>10} {'after ms':>10} {'after/before':>13}  interval")
    lines.append(f"{len(changes)} compared: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
    return "\n".join([*lines, *_few(changes), *_alone(comparison), *_shared_change(changes)])


def _few(changes: list[Change]) -> list[str]:
    few = min((min(len(change.before.good), len(change.after.good)) for change in changes if change.ratio), default=ENOUGH)
    if few >= ENOUGH:
        return []
    cannot = " (one cannot: unsure)" if few == 1 else ""
    return [
        f"note: only {few} process{'es' if few > 1 else ''} of some combinations; {ENOUGH} or more tell change from noise better"
        + cannot
    ]


def _alone(comparison: Comparison) -> list[str]:
    sides = (("before", comparison.only_before), ("after", comparison.only_after))
    return [f"note: {count} more combinations are configured {side} alone" for side, count in sides if count]


def _shared_change(changes: list[Change]) -> list[str]:
    """What moves everything is seldom in one combination."""
    ratios = [change.ratio.value for change in changes if change.ratio]
    middle = statistics.median(ratios) if len(ratios) >= _MANY else 1.0
    if 1 / _SHARED < middle < _SHARED:
        return []
    loads = (_loads([change.before for change in changes]), _loads([change.after for change in changes]))
    return [
        f"note: the middle one of all ratios is {middle:.2f}: what changed may be the machine; its load before the runs was "
        f"{loads[0]}, then {loads[1]}"
    ]


def _loads(cells: list[CellResult]) -> str:
    loads = [row["load_before"] for cell in cells for row in cell.rows]
    return f"{min(loads):.1f} to {max(loads):.1f}"


def _line(change: Change) -> str:
    name = f"{change.sweep}: {change.before.cell}"
    ratio = change.ratio
    medians = f"{change.verdict:8} {_median(change.before):>10} {_median(change.after):>10}"
    if ratio is None:
        return f"{medians} {'':13}  {name}{_reason(change)}"
    interval = f"[{ratio.low:.3f}, {ratio.high:.3f}]" if change.verdict != UNSURE else "one process"
    return f"{medians} {ratio.value:13.3f}  {interval}  {name}"


def _median(cell: CellResult) -> str:
    estimate = cell.estimate("time")
    return f"{estimate.median:.4g}" if estimate else "-"


def _reason(change: Change) -> str:
    if change.verdict == DIFFERS:
        before, after = ("; ".join(sorted(cell.answers)) for cell in (change.before, change.after))
        return f" (before: {before}; after: {after})"
    bad = change.after.bad
    return f" ({bad[-1]['status']}: {bad[-1]['reason']})" if bad else ""
