"""Two sweeps of the same configurations: what became faster or slower beyond noise."""

import statistics
from dataclasses import dataclass
from pathlib import Path

from .cells import CellResult, Sweep, read_sweep
from .config_reader import read_config
from .errors import UsageError
from .records import WRONG
from .sample import CONFIDENCE, Ratio, ratio_of_medians
from .store import find_sweeps

SLOWER = "slower"
FASTER = "faster"
SAME = "same"
LOST = "lost"  # had times, and has none now
WRONG_NOW = "wrong"
GAINED = "gained"
INSTRUMENTED = "instrumented"  # its times are not to be compared
ENOUGH = 7  # processes: 7 and 7 lie apart by chance once in 1716 times, 5 and 5 once in 126
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
        return self.verdict in (SLOWER, LOST, WRONG_NOW)


def compare(before: Path, after: Path, threshold: float) -> list[Change]:
    """All combinations that both folders have. A change counts when the whole bootstrap interval of the ratio of medians lies
    beyond `threshold`. Its confidence is such that of all the combinations together no more than 1 - CONFIDENCE of sweeps without
    any change would show one (Bonferroni). That needs processes: of 72 combinations with 7 each it holds (in simulations with
    noise of 5 to 30 % and stragglers), with 5 each up to an eighth of such sweeps show one."""
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
    pairs = [pair for pair in pairs if pair[1].rows or pair[2].rows]
    confidence = 1 - (1 - CONFIDENCE) / max(1, len(pairs))
    return [_change(name, a, b, threshold, confidence) for name, a, b in pairs]


def _sweeps(path: Path) -> dict[str, Sweep]:
    sweeps = (read_sweep(folder, read_config(folder.config_path)) for folder in find_sweeps(path))
    return {sweep.config.name: sweep for sweep in sweeps}


def _change(name: str, before: CellResult, after: CellResult, threshold: float, confidence: float) -> Change:
    if any(row["status"] == WRONG for row in after.bad) and not any(row["status"] == WRONG for row in before.bad):
        return Change(name, before, after, WRONG_NOW, None)
    old, new = before.values("time"), after.values("time")
    if not old or not new:
        # A combination that nobody has run yet is not lost.
        verdict = LOST if old and after.bad else GAINED if new else SAME
        return Change(name, before, after, verdict, None)
    if before.is_instrumented or after.is_instrumented:
        return Change(name, before, after, INSTRUMENTED, None)
    ratio = ratio_of_medians(new, old, confidence)
    if ratio.low > 1 + threshold:
        return Change(name, before, after, SLOWER, ratio)
    if ratio.high < 1 / (1 + threshold):
        return Change(name, before, after, FASTER, ratio)
    return Change(name, before, after, SAME, ratio)


def describe(changes: list[Change], show_all: bool) -> str:
    """A table of what changed, or of everything, and a line that sums up."""
    counts = {
        verdict: sum(change.verdict == verdict for change in changes)
        for verdict in (SLOWER, WRONG_NOW, LOST, FASTER, GAINED, SAME, INSTRUMENTED)
    }
    lines = [_line(change) for change in changes if show_all or change.verdict not in (SAME, INSTRUMENTED)]
    if lines:
        lines.insert(0, f"{'':7} {'before ms':>10} {'after ms':>10} {'after/before':>13}  interval")
    few = min((min(len(change.before.good), len(change.after.good)) for change in changes if change.ratio), default=0)
    lines.append(f"{len(changes)} compared: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
    if 0 < few < ENOUGH:
        lines.append(
            f"note: only {few} process{'es' if few > 1 else ''} of some combinations; {ENOUGH} or more tell change from noise better"
        )
    return "\n".join([*lines, *_shared_change(changes)])


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
    medians = f"{change.verdict:7} {_median(change.before):>10} {_median(change.after):>10}"
    if ratio is None:
        return f"{medians} {'':13}  {name}{_reason(change.after)}"
    return f"{medians} {ratio.value:13.3f}  [{ratio.low:.3f}, {ratio.high:.3f}]  {name}"


def _median(cell: CellResult) -> str:
    estimate = cell.estimate("time")
    return f"{estimate.median:.4g}" if estimate else "-"


def _reason(cell: CellResult) -> str:
    return f" ({cell.bad[-1]['status']}: {cell.bad[-1]['reason']})" if cell.bad else ""
