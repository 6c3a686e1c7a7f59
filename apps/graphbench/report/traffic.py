# SPDX-License-Identifier: Apache-2.0
"""Requests over a link by size (--count-requests), beside other counts of the same bytes."""

import statistics
from dataclasses import dataclass

from ..cells import CellResult, Sweep
from ..measures import REQUEST_SIZES, requested_bytes, requests_by_size


@dataclass(frozen=True)
class Traffic:
    """The requests of one cell. Ratios are None without a comparison."""

    result: CellResult
    requests: float  # median of a trial
    bytes: float  # median of a trial
    by_size: dict[int, int]  # of all trials of all processes
    on_line: float  # share of requests that begin on a 128-byte line
    of_baseline: float | None  # its requests over the baseline's
    over_walks: float | None  # its bytes over those counted by scanned lists
    over_profiler: float | None  # its bytes over a profiler's
    profiler: str  # its name and metric; empty without

    def share(self, size: int) -> float:
        return self.by_size[size] / sum(self.by_size.values())


def traffic(sweep: Sweep, baseline: str | None) -> list[Traffic]:
    """Returns the requests of all cells that counted them, in the order of the configuration."""
    return [
        _traffic(sweep, cell, sweep.base_of(cell, baseline)) for cell in sweep.ordered_cells if cell.values("link-requests")
    ]


def _traffic(sweep: Sweep, cell: CellResult, base: CellResult | None) -> Traffic:
    trials = [(row["row"], trial) for row in cell.good for trial in row["result"]["trials"] if requests_by_size(trial)]
    by_size = {size: sum(requests_by_size(trial)[size] for _, trial in trials) for size in REQUEST_SIZES}
    theirs = base.estimate("link-requests") if base else None
    requests, asked = (statistics.median(cell.values(name)) for name in ("link-requests", "link-bytes"))
    walked = sum(trial["bytes_moved"] or 0 for _, trial in trials)
    on_line = sum(trial["link_requests"]["aligned"] for _, trial in trials) / sum(by_size.values())
    profiles = {row["row"]: sweep.profiles[row["row"]] for row in cell.good if row["row"] in sweep.profiles}
    seen = sum(profile["bytes"] for profile in profiles.values())
    over_walks = sum(requested_bytes(trial) for _, trial in trials) / walked if walked else None
    over_profiler = sum(requested_bytes(trial) for row, trial in trials if row in profiles) / seen if seen else None
    profilers = dict.fromkeys(f"{profile['profiler']}, {profile['metric']}" for profile in profiles.values())
    ratios = (requests / theirs.value if theirs else None, over_walks, over_profiler)
    return Traffic(cell, requests, asked, by_size, on_line, *ratios, "; ".join(profilers))
