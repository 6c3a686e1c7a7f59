# SPDX-License-Identifier: Apache-2.0
"""Our numbers, read from the rows of sweeps: values, where they come from, and whether a model stood in for hardware."""

import statistics
from pathlib import Path
from typing import Any, Callable

from .. import environment
from ..cells import Sweep
from ..config_schema import UNITS, measure_of
from ..measures import SPEED_UP, Row
from ..published import Ours, ours_of
from ..records import DONE
from .table import FULL, PaperTable, expected_of

REAL, EMULATED, MODELLED = "REAL", "EMULATED", "MODELLED"
KINDS = (REAL, EMULATED, MODELLED)
_TAKE: dict[str, Callable[[list[float]], float]] = {"median": statistics.median, "most": max, "least": min}
_GPU_PROGRAMS = ("bam_gpu", "link_gpu", "peer_updates")

Answer = dict[str, Any]


def answer_all(table: PaperTable, sweeps: dict[str, Sweep]) -> dict[str, dict[str, Answer]]:
    """Returns answers by key of the number and by form. Leaves out numbers whose run has no rows."""
    found: dict[str, dict[str, Answer]] = {}
    for figure, number in table.numbers():
        for form, query in number.queries.items():
            if (sweep := sweeps.get(query["run"])) is not None and sweep.rows:
                found.setdefault(figure.key(number), {})[form] = _answer(sweep, query, number.unit)
    return found


def _answer(sweep: Sweep, query: dict[str, Any], unit: str) -> Answer:
    if "program" in query:
        ours = _of_lines(sweep, query)
    elif "result" in query:
        ours = _of_results(sweep, query)
    else:
        ours = _of_measure(sweep, query, unit)
    if ours.value is None:
        return {"run": query["run"], "value": None, "why": _why(sweep, query)}
    datasets = {graph.name for graph in sweep.config.graphs if graph.is_dataset}
    graphs = [graph if graph in datasets else f"{graph}, a stand-in" for graph in ours.graphs]
    return {
        "run": query["run"],
        "value": ours.value,
        "kind": _kind(sweep, ours.rows),
        "on": "; ".join(graphs),
        "machine": "; ".join(dict.fromkeys(_gpu(sweep, row) or _processor(sweep, row) for row in ours.rows)),
        "rows": list(dict.fromkeys(row["row"] for row in ours.rows)),
    }


def _of_measure(sweep: Sweep, query: dict[str, Any], unit: str) -> Ours:
    """Returns the mean over graphs and algorithms; with 'over' its ratio to the mean of another system."""
    if "over" not in query or query["measure"] == SPEED_UP:
        return ours_of(sweep, expected_of(query, unit, sweep.config))
    others = {name: value for name, value in query.items() if name != "over"}
    plain_unit = next(iter(UNITS[measure_of(query)]))
    systems = [query[name] for name in ("system", "over", "less") if name in query]
    parts = [ours_of(sweep, expected_of({**others, "system": system}, plain_unit, sweep.config)) for system in systems]
    values = [part.value for part in parts if part.value is not None]
    value = None
    if len(values) == len(parts) and values[1] != 0:
        value = (values[0] - sum(values[2:])) / values[1] * query.get("factor", 1)
    return Ours(
        value, [row for part in parts for row in part.rows], list(dict.fromkeys(g for part in parts for g in part.graphs))
    )


def _of_lines(sweep: Sweep, query: dict[str, Any]) -> Ours:
    """Returns the median over processes of a field of a program's lines, or of its ratio to another."""
    rows = [row for row in sweep.programs.get(query["program"], []) if row["status"] == DONE]
    values: list[float] = []
    for row in rows:
        above = _take(row, query["field"], query.get("where", {}), query.get("take", "median"))
        over = query.get("over")
        if over is not None:
            field, where = over.get("field", query["field"]), over.get("where", query.get("where", {}))
            below = _take(row, field, where, query.get("take", "median"))
            above = above / below if above is not None and below else None
        if above is not None:
            values.append(above * query.get("factor", 1))
    return Ours(statistics.median(values) if values else None, rows, [])


def _take(row: Row, field: str, where: dict[str, Any], how: str) -> float | None:
    lines = [line for line in row["result"] if all(line.get(name) == value for name, value in where.items())]
    values = [line[field] for line in lines if isinstance(line.get(field), (int, float))]
    return _TAKE[how](values) if values else None


def _of_results(sweep: Sweep, query: dict[str, Any]) -> Ours:
    """Returns the median of a field of graphrun's JSON, such as "graph.m"."""
    values: list[float] = []
    rows: list[Row] = []
    for row in sweep.rows:
        if row["status"] != DONE or not all(
            query.get(name, row[name]) == row[name] for name in ("graph", "algorithm", "system")
        ):
            continue
        value: Any = row["result"]
        for part in query["result"].split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, (int, float)):
            values.append(value)
            rows.append(row)
    return Ours(statistics.median(values) if values else None, rows, list(dict.fromkeys(row["graph"] for row in rows)))


def _kind(sweep: Sweep, rows: list[Row]) -> str:
    """Returns the least real kind among the rows. Host threads instead of a GPU are EMULATED: the papers are about GPUs."""
    if any(map(is_modelled, rows)):
        return MODELLED
    is_real = all(_gpu(sweep, row) for row in rows) and not any(_says(row, "emulated") for row in rows)
    return REAL if is_real else EMULATED


def is_modelled(row: Row) -> bool:
    """Returns whether a row's numbers were computed: the load of the machine does not change them."""
    return _says(row, "modelled")


def _says(row: Row, word: str) -> bool:
    results = row["result"] if isinstance(row["result"], list) else [row["result"]]
    return any(isinstance(part, dict) and part.get(word) is True for part in results)


def _gpu(sweep: Sweep, row: Row) -> str:
    """Returns the GPU that ran a row's kernels; empty for host threads."""
    result = row["result"]
    if isinstance(result, dict):
        return result["machine"]["gpu"]["name"] if result["machine"]["gpu"] and row["options"].get("device") != "cpu" else ""
    runs_on_gpu = any(line.get("device") == "cuda" for line in result) or Path(row["command"][0]).name in _GPU_PROGRAMS
    return ", ".join(dict.fromkeys(_host(sweep, row).get("gpus") or ["a GPU"])) if runs_on_gpu else ""


def _processor(sweep: Sweep, row: Row) -> str:
    host = _host(sweep, row)
    return environment.processor(host) if host else "unknown processor"


def _host(sweep: Sweep, row: Row) -> dict[str, Any]:
    return next((session["environment"] for session in sweep.sessions if session["session"] == row["session"]), {})


def _why(sweep: Sweep, query: dict[str, Any]) -> str:
    """Returns the first reason among the rows that the query asks for."""
    if "program" in query:
        asked = sweep.programs.get(query["program"], [])
    else:
        systems = [query[name] for name in ("system", "over", "less") if name in query]
        asked = [row for row in sweep.rows if row["algorithm"] and (not systems or row["system"] in systems)]
    bad = next((row for row in asked if row["status"] != DONE), None)
    return f"{bad['status']}: {bad['reason']}" if bad else "its rows have no such number"


def best(answers: dict[str, Answer]) -> Answer | None:
    """Returns the answer of the full form if it has a value, else of the quick form; None when neither has one."""
    ordered = sorted(answers.items(), key=lambda item: item[0] != FULL)
    return next((answer for _, answer in ordered if answer["value"] is not None), None)
