"""Requests over a link by size (--count-requests), beside what else counted the same bytes."""

from dataclasses import dataclass
from typing import Any

from ..cells import CellResult, Sweep
from ..measures import REQUEST_SIZES, Row, requests_by_size
from ..plan import Cell


@dataclass(frozen=True)
class Traffic:
    """Of one cell. Ratios are None where nothing is known to compare with."""

    result: CellResult
    requests: float  # median of a trial
    bytes: float  # median of a trial
    by_size: dict[int, int]  # of all trials of all processes
    on_line: float  # share of requests that begin on a 128-byte line
    of_baseline: float | None  # its requests over the baseline's
    over_walks: float | None  # its bytes over those that were counted by the lists that were walked
    over_profiler: float | None  # its bytes over those that a profiler saw
    profiler: str  # which one, and by which metric; empty without

    def share(self, size: int) -> float:
        return self.by_size[size] / sum(self.by_size.values())


def traffic(sweep: Sweep, baseline: str | None) -> list[Traffic]:
    """Of all cells that counted requests, in the order of the configuration."""
    cells = [
        cell
        for graph in sweep.config.graphs
        for algorithm in sweep.config.algorithms
        for cell in sweep.cells_of(graph.name, algorithm.name)
    ]
    return [_traffic(sweep, cell, baseline) for cell in cells if cell.values("link-requests")]


def _traffic(sweep: Sweep, cell: CellResult, baseline: str | None) -> Traffic:
    trials = [trial for row in cell.good for trial in row["result"]["trials"] if requests_by_size(trial)]
    by_size = {size: sum(requests_by_size(trial)[size] for trial in trials) for size in REQUEST_SIZES}
    requests = _median(cell, "link-requests")
    base = sweep.cells.get(Cell(cell.cell.graph, cell.cell.algorithm, baseline or ""))
    of_baseline = requests / _median(base, "link-requests") if base is not None and base.values("link-requests") else None
    walked = sum(trial["bytes_moved"] or 0 for trial in trials)
    profiled = [row for row in cell.good if row["row"] in sweep.profiles]
    return Traffic(
        result=cell,
        requests=requests,
        bytes=_median(cell, "link-bytes"),
        by_size=by_size,
        on_line=sum(trial["link_requests"]["aligned"] for trial in trials) / sum(by_size.values()),
        of_baseline=of_baseline,
        over_walks=sum(size * count for size, count in by_size.items()) / walked if walked else None,
        over_profiler=_over_profiler(profiled, sweep.profiles),
        profiler="; ".join(dict.fromkeys(_name(sweep.profiles[row["row"]]) for row in profiled)),
    )


def _median(cell: CellResult, measure: str) -> float:
    found = cell.estimate(measure)
    assert found is not None
    return found.median


def _over_profiler(rows: list[Row], profiles: dict[str, dict[str, Any]]) -> float | None:
    seen = sum(profiles[row["row"]]["bytes"] for row in rows)
    asked = sum(counted_bytes(row) for row in rows)
    return asked / seen if seen else None


def counted_bytes(row: Row) -> int:
    """Of all trials of a process."""
    return sum(size * count for trial in row["result"]["trials"] for size, count in requests_by_size(trial).items())


def _name(profile: dict[str, Any]) -> str:
    return f"{profile['profiler']}, {profile['metric']}"
