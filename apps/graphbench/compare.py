"""Two sweeps of the same configurations: what became faster or slower beyond noise."""

from dataclasses import dataclass
from pathlib import Path

from .cells import CellResult, Sweep, read_sweep
from .config_reader import read_config
from .environment import processor
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
UNSURE = "unsure"  # a single process before or after: its spread is unknown
NO_TIMES = "no times"  # before and after
INSTRUMENTED = "instrumented"  # its times are not to be compared
REGRESSIONS = (SLOWER, WRONG_NOW, DIFFERS, LOST, NOT_RUN)
UNREMARKABLE = (SAME, NO_TIMES, INSTRUMENTED)
# What a configuration may say otherwise without its runs being others.
_HARMLESS = (
    "title",
    "about",
    "rules",
    "repeats",
    "columns",
    "figures",
    "expected",
    "baseline",
    "time_limit_s",
    "verify",
    "only",
)


@dataclass(frozen=True)
class Change:
    sweep: str
    before: CellResult
    after: CellResult
    verdict: str
    ratio: Ratio | None  # time after over time before

    @property
    def is_regression(self) -> bool:
        return self.verdict in REGRESSIONS


@dataclass(frozen=True)
class Comparison:
    changes: list[Change]
    notes: list[str]  # what else is not the same, before and after


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
    different = [note for name in common for note in _differences(old[name], new[name])]
    return Comparison(changes, [*different, *_alone(old, new, len(pairs))])


def _differences(before: Sweep, after: Sweep) -> list[str]:
    """Of what both ran, and where: a change of times may be a change of that."""
    fields = (field for field in {**before.config.raw, **after.config.raw} if field not in _HARMLESS)
    changed = [f"'{field}'" for field in fields if before.config.raw.get(field) != after.config.raw.get(field)]
    machines = [sorted({processor(session["environment"]) for session in sweep.sessions}) for sweep in (before, after)]
    notes = [f"the configurations of {before.config.name} differ in {', '.join(changed)}"] if changed else []
    if machines[0] != machines[1]:
        notes.append(f"{before.config.name} ran on {' and '.join(machines[0])}, then on {' and '.join(machines[1])}")
    return notes


def _alone(old: dict[str, Sweep], new: dict[str, Sweep], shared: int) -> list[str]:
    counts = (sum(len(sweep.cells) for sweep in sweeps.values()) - shared for sweeps in (old, new))
    return [
        f"{count} more combinations are configured {side} alone" for side, count in zip(("before", "after"), counts) if count
    ]


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
