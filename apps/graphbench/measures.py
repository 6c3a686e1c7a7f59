"""Numbers that are read from rows: what each means, in which unit, and which way is better."""

import statistics
from dataclasses import dataclass
from typing import Any, Callable

Row = dict[str, Any]
REQUEST_SIZES = (32, 64, 96, 128)  # bytes that a GPU asks a link for
_WEIGHT_BYTES = 4
SPEED_UP = "speed-up"  # a figure's measure that one row does not have: it is over the baseline


@dataclass(frozen=True)
class Measure:
    name: str
    title: str
    unit: str  # "bytes" is shown as KiB and so on
    meaning: str
    of: Callable[[Row, dict[str, Any]], float | None]  # of a row and one of its trials
    together: Callable[[list[float]], float] = statistics.median  # of a row's trials
    by_trial: bool = True  # else a row has one value

    def values(self, row: Row) -> list[float]:
        """Those that are known."""
        trials = row["result"]["trials"] if self.by_trial else [{}]
        return [value for trial in trials if (value := self.of(row, trial)) is not None]


def _bandwidth(_row: Row, trial: dict[str, Any]) -> float | None:
    return trial["bytes_moved"] / trial["time_ms"] / 1e6 if trial["bytes_moved"] and trial["time_ms"] else None


def requests_by_size(trial: dict[str, Any]) -> dict[int, int]:
    """What loads asked of the link in a trial (--count-requests); empty where that was not counted."""
    counted = trial.get("link_requests")
    return {size: counted[str(size)] for size in REQUEST_SIZES} if counted else {}


def _link_requests(_row: Row, trial: dict[str, Any]) -> float | None:
    return sum(requests_by_size(trial).values()) or None


def _link_bytes(_row: Row, trial: dict[str, Any]) -> float | None:
    return sum(size * count for size, count in requests_by_size(trial).items()) or None


def _share_of_size(size: int) -> Measure:
    def of_trial(_row: Row, trial: dict[str, Any]) -> float | None:
        counts = requests_by_size(trial)
        return 100 * counts[size] / sum(counts.values()) if any(counts.values()) else None

    return Measure(
        f"share-{size}", f"of {size} B", "%", f"share of the requests over the link that are of {size} bytes", of_trial
    )


def edge_bytes(row: Row) -> float:
    """Of all edges of the graph, for sssp with their weights."""
    result = row["result"]
    weight_bytes = _WEIGHT_BYTES if result["algorithm"] == "sssp" else 0
    return result["graph"]["m"] * (result["program"]["vertex_bits"] / 8 + weight_bytes)


def _share_moved(row: Row, trial: dict[str, Any]) -> float | None:
    return trial["bytes_moved"] / edge_bytes(row) if trial["bytes_moved"] is not None and edge_bytes(row) else None


def _load(row: Row, _trial: dict[str, Any]) -> float:
    phases = row["result"]["phases_ms"]
    return phases["read"] + phases["build"]


def _edges_and_vertices_per_second(row: Row, trial: dict[str, Any]) -> float | None:
    graph = row["result"]["graph"]
    edges = graph["m"] / 2 if graph["symmetric"] else graph["m"]
    return (graph["n"] + edges) / trial["time_ms"] / 1e3 if trial["time_ms"] else None


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            "time", "time", "ms", "graphrun's timed region: initialise, run, wait for the device", lambda _, t: t["time_ms"]
        ),
        Measure(
            "rate",
            "rate",
            "GTEPS",
            "traversed input edges over time; the harmonic mean of trials",
            lambda _, t: t["gteps"],
            statistics.harmonic_mean,
        ),
        Measure("moved", "moved", "bytes", "bytes that came into the executor's reach, a trial", lambda _, t: t["bytes_moved"]),
        Measure("requests", "requests", "", "reads that moved them", lambda _, t: t["requests"]),
        Measure(
            "amplification",
            "moved / needed",
            "x",
            "bytes moved over the bytes of the edges examined",
            lambda _, t: t["amplification"],
        ),
        Measure(
            "link-requests", "requests over the link", "", "counted load by load (--count-requests), a trial", _link_requests
        ),
        Measure("link-bytes", "asked of the link", "bytes", "the sizes of these requests added up", _link_bytes),
        *(_share_of_size(size) for size in REQUEST_SIZES),
        Measure("coverage", "moved / edges", "x", "bytes moved over the bytes of all edges of the graph", _share_moved),
        Measure("bandwidth", "bandwidth", "GB/s", "bytes moved over time", _bandwidth),
        Measure(
            "evps",
            "EVPS",
            "M/s",
            "vertices and edges over time, undirected edges once (Graphalytics)",
            _edges_and_vertices_per_second,
        ),
        Measure("load", "load", "ms", "reading and building the graph", _load, by_trial=False),
        Measure(
            "makespan",
            "makespan",
            "ms",
            "the whole process, from its start to its end",
            lambda row, _: row["wall_s"] * 1e3,
            by_trial=False,
        ),
        Measure(
            "memory",
            "memory",
            "bytes",
            "most resident memory of the process",
            lambda row, _: row["max_rss_bytes"],
            by_trial=False,
        ),
    )
}


TIMED = frozenset({"time", "rate", "bandwidth", "evps", "makespan", "speed-up"})  # what depends on how fast kernels are


def values_of(rows: list[Row], measure: Measure) -> list[float]:
    """A value a process, or of a single process its trials'. Rows without the measure are left out."""
    found = [measure.values(row) for row in rows]
    return found[0] if len(found) == 1 else [measure.together(values) for values in found if values]
