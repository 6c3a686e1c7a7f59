"""What `graphbench compare` prints."""

import statistics

from .cells import CellResult
from .compare import DIFFERS, FASTER, GAINED, REGRESSIONS, UNREMARKABLE, UNSURE, Change, Comparison

_ENOUGH = 7  # processes: 7 and 7 lie apart by chance once in 1716 times, 5 and 5 once in 126
_SHARED = 1.1
_MANY = 8


def describe(comparison: Comparison, show_all: bool) -> str:
    """A table of what changed, or of everything, and a line that sums up."""
    changes = comparison.changes
    counts = {
        verdict: sum(change.verdict == verdict for change in changes)
        for verdict in (*REGRESSIONS, FASTER, GAINED, UNSURE, *UNREMARKABLE)
    }
    lines = [_line(change) for change in changes if show_all or change.verdict not in UNREMARKABLE]
    if lines:
        lines.insert(0, f"{'':8} {'before ms':>10} {'after ms':>10} {'after/before':>13}  interval")
    lines.append(f"{len(changes)} compared: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count))
    return "\n".join([*lines, *_few(changes), *(f"note: {note}" for note in comparison.notes), *_shared_change(changes)])


def _few(changes: list[Change]) -> list[str]:
    few = min((min(len(change.before.good), len(change.after.good)) for change in changes if change.ratio), default=_ENOUGH)
    if few >= _ENOUGH:
        return []
    cannot = " (one cannot: unsure)" if few == 1 else ""
    return [
        f"note: only {few} process{'es' if few > 1 else ''} of some combinations; {_ENOUGH} or more tell change from noise better"
        + cannot
    ]


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
