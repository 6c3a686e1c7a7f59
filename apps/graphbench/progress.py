"""What has been done, and an estimate of the time left, a line a run."""

import sys
from typing import Any

from .plan import Cell, Run


class Progress:
    """Writes to standard error. Estimates from the runs of the same cell, and for cells without any from all."""

    def __init__(self, runs: list[Run], quiet: bool):
        self._left = {run.key: run for run in runs}
        self._total = len(runs)
        self._quiet = quiet
        self._seconds: dict[Cell, list[float]] = {}

    def say(self, text: str) -> None:
        if not self._quiet:
            print(f"graphbench: {text}", file=sys.stderr, flush=True)

    def begin(self) -> None:
        known = f", about {duration(self.estimate_s())}" if self._seconds else ""
        self.say(f"{self._total} run{'s' if self._total > 1 else ''} to do{known}")

    def learn(self, cell: Cell, wall_s: float) -> None:
        """A run of an earlier session."""
        self._seconds.setdefault(cell, []).append(wall_s)

    def finished(self, run: Run, row: dict[str, Any]) -> None:
        del self._left[run.key]
        self.learn(run.cell, row["wall_s"])
        done = self._total - len(self._left)
        left = f", about {duration(self.estimate_s())} left" if self._left else ""
        self.say(f"[{done}/{self._total}] {run.cell}, repeat {run.repeat}: {_what_came(row)}{left}")

    def estimate_s(self) -> float:
        known = {cell: sum(values) / len(values) for cell, values in self._seconds.items()}
        everywhere = sum(known.values()) / len(known) if known else 0.0
        return sum(known.get(run.cell, everywhere) for run in self._left.values())


def duration(seconds: float) -> str:
    """'45 s', '12 min', '3 h 5 min'."""
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
