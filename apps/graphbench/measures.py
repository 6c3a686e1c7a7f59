# SPDX-License-Identifier: Apache-2.0
"""Measures of rows, in the order of the table in docs/sweeps.md that explains them."""

import statistics
from dataclasses import dataclass
from typing import Any, Callable

Row = dict[str, Any]
REQUEST_SIZES = (32, 64, 96, 128)  # bytes that a GPU asks a link for
_WEIGHT_BYTES = 4
SPEED_UP = "speed-up"  # a figure's measure that needs two rows: one over the baseline


@dataclass(frozen=True)
class Measure:
    title: str
    unit: str  # "bytes" is shown as KiB and so on
    of: Callable[[Row, dict[str, Any]], float | None]  # of a row and one of its trials
    together: Callable[[list[float]], float] = statistics.median  # of a row's trials
    by_trial: bool = True  # else a row has one value

    def values(self, row: Row) -> list[float]:
        """Returns the known values."""
        trials = row["result"]["trials"] if self.by_trial else [{}]
        return [value for trial in trials if (value := self.of(row, trial)) is not None]


def requests_by_size(trial: dict[str, Any]) -> dict[int, int]:
    """Returns a trial's link requests by size (--count-requests); empty where they were not counted."""
    counted = trial.get("link_requests")
    return {size: counted[str(size)] for size in REQUEST_SIZES} if counted else {}


def requested_bytes(trial: dict[str, Any]) -> int:
    return sum(size * count for size, count in requests_by_size(trial).items())


def edge_bytes(row: Row) -> float:
    """Returns the bytes of all edges of the graph, for sssp with their weights."""
    result = row["result"]
    weight_bytes = _WEIGHT_BYTES if result["algorithm"] == "sssp" else 0
    return result["graph"]["m"] * (result["program"]["vertex_bits"] / 8 + weight_bytes)


def _over(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _share_of_size(size: int, trial: dict[str, Any]) -> float | None:
    counts = requests_by_size(trial)
    return 100 * counts[size] / sum(counts.values()) if any(counts.values()) else None


def _routed(trial: dict[str, Any], way: str) -> float | None:
    """Returns the bytes of reads by one route, where reads have routes (--route)."""
    return trial["routed"][f"{way}_bytes"] if trial.get("routed") else None


def _read_ahead(trial: dict[str, Any], what: str) -> float | None:
    """Returns the bytes that a pager read ahead and used (hit) or not (waste), where one reads ahead."""
    return trial["read_ahead"][f"{what}_bytes"] if trial.get("read_ahead") else None


def _edges_and_vertices(row: Row) -> float:
    """Returns edges and vertices; undirected edges count once (Graphalytics)."""
    graph = row["result"]["graph"]
    return graph["n"] + graph["m"] / (2 if graph["symmetric"] else 1)


MEASURES = {
    "time": Measure("time", "ms", lambda _, t: t["time_ms"]),
    "rate": Measure("rate", "GTEPS", lambda _, t: t["gteps"], statistics.harmonic_mean),
    "moved": Measure("moved", "bytes", lambda _, t: t["bytes_moved"]),
    "requests": Measure("requests", "", lambda _, t: t["requests"]),
    "amplification": Measure("moved / needed", "x", lambda _, t: t["amplification"]),
    "link-requests": Measure("requests over the link", "", lambda _, t: sum(requests_by_size(t).values()) or None),
    "link-bytes": Measure("asked of the link", "bytes", lambda _, t: requested_bytes(t) or None),
    **{f"share-{s}": Measure(f"of {s} B", "%", lambda _, t, s=s: _share_of_size(s, t)) for s in REQUEST_SIZES},
    "direct-bytes": Measure("past the page cache", "bytes", lambda _, t: _routed(t, "direct")),
    "cached-bytes": Measure("from the page cache", "bytes", lambda _, t: _routed(t, "cached")),
    "in-place-bytes": Measure("in place", "bytes", lambda _, t: _routed(t, "in_place")),
    "ahead-hit-bytes": Measure("read ahead and used", "bytes", lambda _, t: _read_ahead(t, "hit")),
    "ahead-waste-bytes": Measure("read ahead in vain", "bytes", lambda _, t: _read_ahead(t, "waste")),
    "coverage": Measure("moved / edges", "x", lambda row, t: _over(t["bytes_moved"], edge_bytes(row))),
    "bandwidth": Measure("bandwidth", "GB/s", lambda _, t: _over(t["bytes_moved"] or None, t["time_ms"] * 1e6)),
    "evps": Measure("EVPS", "M/s", lambda row, t: _over(_edges_and_vertices(row), t["time_ms"] * 1e3)),
    "load": Measure("load", "ms", lambda row, _: sum(row["result"]["phases_ms"][p] for p in ("read", "build")), by_trial=False),
    "makespan": Measure("makespan", "ms", lambda row, _: row["wall_s"] * 1e3, by_trial=False),
    "memory": Measure("memory", "bytes", lambda row, _: row["max_rss_bytes"], by_trial=False),
}
TIMED = frozenset({"time", "rate", "bandwidth", "evps", "makespan", "speed-up"})  # measures that depend on the speed of kernels


def values_of(rows: list[Row], measure: Measure) -> list[float]:
    """Returns a value a process, or for a single process its trials'. Omits rows without the measure."""
    found = [measure.values(row) for row in rows]
    return found[0] if len(found) == 1 else [measure.together(values) for values in found if values]
