"""Numbers that are read from rows: what each means, in which unit, and which way is better."""

import statistics
from dataclasses import dataclass
from typing import Any, Callable

from .sample import harmonic_mean

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
    of_row: Callable[[Row], float | None]
    of_trial: Callable[[Row, dict[str, Any]], float | None] | None = None  # None: a row has one value


def _of_trials(
    of_trial: Callable[[Row, dict[str, Any]], float | None], together: Callable[[list[float]], float] = statistics.median
) -> Callable[[Row], float | None]:
    def of_row(row: Row) -> float | None:
        values = [value for trial in row["result"]["trials"] if (value := of_trial(row, trial)) is not None]
        return together(values) if values else None

    return of_row


def _by_trial(
    name: str,
    title: str,
    unit: str,
    meaning: str,
    of_trial: Callable[[Row, dict[str, Any]], float | None],
    together: Callable[[list[float]], float] = statistics.median,
) -> Measure:
    return Measure(name, title, unit, meaning, _of_trials(of_trial, together), of_trial)


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

    return _by_trial(
        f"share-{size}", f"of {size} B", "%", f"share of the requests over the link that are of {size} bytes", of_trial
    )


def edge_bytes(row: Row) -> float:
    """Of all edges of the graph, for sssp with their weights."""
    result = row["result"]
    weight_bytes = _WEIGHT_BYTES if result["algorithm"] == "sssp" else 0
    return result["graph"]["m"] * (result["program"]["vertex_bits"] / 8 + weight_bytes)


def _share_moved(row: Row, trial: dict[str, Any]) -> float | None:
    return trial["bytes_moved"] / edge_bytes(row) if trial["bytes_moved"] is not None and edge_bytes(row) else None


def _load(row: Row) -> float:
    phases = row["result"]["phases_ms"]
    return phases["read"] + phases["build"]


def _edges_and_vertices_per_second(row: Row, trial: dict[str, Any]) -> float | None:
    graph = row["result"]["graph"]
    edges = graph["m"] / 2 if graph["symmetric"] else graph["m"]
    return (graph["n"] + edges) / trial["time_ms"] / 1e3 if trial["time_ms"] else None


MEASURES = {
    measure.name: measure
    for measure in (
        _by_trial(
            "time", "time", "ms", "graphrun's timed region: initialise, run, wait for the device", lambda _, t: t["time_ms"]
        ),
        _by_trial(
            "rate",
            "rate",
            "GTEPS",
            "traversed input edges over time; the harmonic mean of trials",
            lambda _, t: t["gteps"],
            harmonic_mean,
        ),
        _by_trial(
            "moved", "moved", "bytes", "bytes that came into the executor's reach, a trial", lambda _, t: t["bytes_moved"]
        ),
        _by_trial("requests", "requests", "", "reads that moved them", lambda _, t: t["requests"]),
        _by_trial(
            "amplification",
            "moved / needed",
            "x",
            "bytes moved over the bytes of the edges examined",
            lambda _, t: t["amplification"],
        ),
        _by_trial(
            "link-requests", "requests over the link", "", "counted load by load (--count-requests), a trial", _link_requests
        ),
        _by_trial("link-bytes", "asked of the link", "bytes", "the sizes of these requests added up", _link_bytes),
        *(_share_of_size(size) for size in REQUEST_SIZES),
        _by_trial("coverage", "moved / edges", "x", "bytes moved over the bytes of all edges of the graph", _share_moved),
        _by_trial("bandwidth", "bandwidth", "GB/s", "bytes moved over time", _bandwidth),
        _by_trial(
            "evps",
            "EVPS",
            "M/s",
            "vertices and edges over time, undirected edges once (Graphalytics)",
            _edges_and_vertices_per_second,
        ),
        Measure("load", "load", "ms", "reading and building the graph", _load),
        Measure("makespan", "makespan", "ms", "the whole process, from its start to its end", lambda row: row["wall_s"] * 1e3),
        Measure("memory", "memory", "bytes", "most resident memory of the process", lambda row: row["max_rss_bytes"]),
    )
}


TIMED = frozenset({"time", "rate", "bandwidth", "evps", "makespan", "speed-up"})  # what depends on how fast kernels are


def values_of(rows: list[Row], measure: Measure) -> list[float]:
    """A value a process, or of a single process its trials'. Rows without the measure are left out."""
    if len(rows) == 1 and measure.of_trial is not None:
        values = [measure.of_trial(rows[0], trial) for trial in rows[0]["result"]["trials"]]
    else:
        values = [measure.of_row(row) for row in rows]
    return [value for value in values if value is not None]
