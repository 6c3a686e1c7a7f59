# SPDX-License-Identifier: Apache-2.0
"""Rows of one graph, algorithm and system, with marks for facts that a number alone would hide."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .config import Config, read_config
from .measures import MEASURES, TIMED, Row, values_of
from .plan import Cell, make_plan
from .records import DONE, WRONG
from .sample import Estimate, Ratio, estimate, ratio_of_medians
from .store import SweepFolder, find_sweeps, latest_rows

EMULATED, INSTRUMENTED, UNVERIFIED, COMPARED, CAPPED = "emulated", "instrumented", "unverified", "compared", "capped"
NOT_CONVERGED, SLOW_BUILD = "not converged", "slow build"
GRAPH_CHANGED = "graph changed"  # rows have graphs of different sizes
_ROW_MARKS = (EMULATED, INSTRUMENTED, UNVERIFIED, COMPARED, CAPPED, NOT_CONVERGED, SLOW_BUILD)


@dataclass(frozen=True)
class CellResult:
    cell: Cell
    good: list[Row]
    bad: list[Row]
    missing: int  # runs of the plan without a row
    known_answers: frozenset[str]  # fingerprints of verified answers to the same question

    def values(self, measure: str) -> list[float]:
        return values_of(self.good, MEASURES[measure])

    def estimate(self, measure: str) -> Estimate | None:
        values = self.values(measure)
        return estimate(values) if values else None

    @property
    def answers(self) -> frozenset[str]:
        """Returns fingerprints; none of pagerank and bc, whose answers agree only within a tolerance."""
        return frozenset(answer for row in self.good if (answer := _fingerprint(row["result"])) is not None)

    @property
    def is_instrumented(self) -> bool:
        """Returns whether kernels counted requests (--count-requests). Their times are not comparable then."""
        return any(row["result"].get("instrumented", False) for row in self.good)

    def is_suspect(self, measure: str) -> bool:
        """Returns whether a value needs a star: it is no plain measurement. Counting kernels are slow, but their counts are
        right."""
        words = (EMULATED, UNVERIFIED, WRONG, GRAPH_CHANGED)
        return (self.is_instrumented and measure in TIMED) or any(word in mark for mark in self.marks() for word in words)

    def speedup(self, baseline: "CellResult | None") -> Ratio | None:
        """Returns the baseline's time over this one's; None where one of the two has no comparable time."""
        if self.is_instrumented or (baseline and baseline.is_instrumented):
            return None
        mine, theirs = self.values("time"), baseline.values("time") if baseline else []
        return ratio_of_medians(theirs, mine) if mine and theirs and min(mine) > 0 else None

    @property
    def rows(self) -> list[Row]:
        return [*self.good, *self.bad]

    def marks(self) -> list[str]:
        """Returns the caveats of these numbers, worst first."""
        bad = Counter(row["status"] for row in sorted(self.bad, key=lambda row: row["status"] != WRONG))
        marks = [f"{count} of {len(self.rows)} {status}" if self.good else status for status, count in bad.items()]
        marks += [f"{self.missing} not run yet"] if self.missing else []
        sizes = {(row["result"]["graph"]["n"], row["result"]["graph"]["m"]) for row in self.good}
        marks += [GRAPH_CHANGED] if len(sizes) > 1 else []
        found = {mark for row in self.good for mark in row_marks(row, self.known_answers)}
        if UNVERIFIED in found:
            found -= {COMPARED}
        marks += [mark for mark in _ROW_MARKS if mark in found]
        marks += ["one process"] if len(self.good) == 1 else []
        return marks


def row_marks(row: Row, known_answers: frozenset[str]) -> list[str]:
    """Returns a row's caveats: its status, or those of its result. `known_answers` are verified answers to the same
    question."""
    result = row["result"] if row["status"] == DONE else None
    if result is None:
        return [row["status"]]
    if isinstance(result, list):  # a program's lines
        return [EMULATED] if any(line.get("emulated") is True for line in result) else []
    check = COMPARED if _fingerprint(result) in known_answers else UNVERIFIED
    true = {
        EMULATED: result["emulated"],
        INSTRUMENTED: result.get("instrumented", False),
        check: not result["options"]["verify"],
        # The cap has no effect where nothing is in the fast tier.
        CAPPED: result["options"]["cache_bytes"] is not None and result.get("fast_tier_bytes") != 0,
        NOT_CONVERGED: result["chosen"].get("converged") is False,
        SLOW_BUILD: not result["program"]["optimised"] or result["program"]["sanitizers"] != "",
    }
    return [mark for mark in _ROW_MARKS if true.get(mark)]


@dataclass(frozen=True)
class Sweep:
    """All of a sweep's results, for reports and comparisons."""

    config: Config
    sessions: list[dict[str, Any]]
    rows: list[Row]  # of the plan, in its order
    cells: dict[Cell, CellResult]
    programs: dict[str, list[Row]]
    profiles: dict[str, dict[str, Any]]  # a profiler's counts of a row's command, by the row's id
    torn_bytes: int  # of a last line that is no row
    superseded: int  # rows of repeated runs, or of runs that the configuration no longer has

    def marks_of(self, row: Row) -> list[str]:
        cell = self.cells.get(Cell(row["graph"], row["algorithm"], row["system"]))
        return row_marks(row, cell.known_answers if cell else frozenset())

    @property
    def baseline(self) -> str | None:
        return self.config.baseline or (self.config.systems[0].name if self.config.systems else None)

    def cells_of(self, graph: str, algorithm: str) -> list[CellResult]:
        """Returns cells in the order of the configuration's systems."""
        asked = (Cell(graph, algorithm, system.name) for system in self.config.systems)
        return [self.cells[cell] for cell in asked if cell in self.cells]

    @cached_property
    def ordered_cells(self) -> list[CellResult]:
        """Returns cells with rows, in the order of the configuration."""
        pairs = ((graph.name, algorithm.name) for graph in self.config.graphs for algorithm in self.config.algorithms)
        return [cell for pair in pairs for cell in self.cells_of(*pair) if cell.rows]

    def base_of(self, cell: CellResult, baseline: str | None) -> CellResult | None:
        return self.cells.get(Cell(cell.cell.graph, cell.cell.algorithm, baseline or ""))

    def timed_base_of(self, cell: CellResult, baseline: str | None) -> CellResult | None:
        """Returns base_of(), or where that has no times (it was refused, say) the first system with some."""
        base = self.base_of(cell, baseline)
        if base and base.values("time"):
            return base
        return next((other for other in self.cells_of(cell.cell.graph, cell.cell.algorithm) if other.values("time")), base)

    def differing_answers(self, graph: str, algorithm: str) -> list[tuple[str, list[CellResult]]]:
        """Returns groups of cells by their answers when these differ; empty otherwise. Omits scores, which agree only within a
        tolerance."""
        groups: dict[str, list[CellResult]] = {}
        for cell in self.cells_of(graph, algorithm):
            for answer in sorted(cell.answers):
                groups.setdefault(answer, []).append(cell)
        return list(groups.items()) if len(groups) > 1 else []


# Fields of results that do not depend on how a run was made.
_FINGERPRINT = (
    *("source", "reached", "checksum", "components", "largest", "triangles", "labels", "degeneracy", "innermost"),
    *("depth", "widest", "size", "edges", "weight", "sum"),
)


def _fingerprint(result: dict[str, Any]) -> str | None:
    if result["algorithm"] in ("pagerank", "bc") or not result.get("result"):
        return None
    answers = result.get("results") or [result["result"]]
    return "; ".join(
        ", ".join(
            f"{name} {answer.get(f'{name}_label', answer[name])}"
            for name in _FINGERPRINT
            if name in answer
        )
        for answer in answers
    )


def read_sweeps(path: Path) -> list[Sweep]:
    return [read_sweep(folder, read_config(folder.config_path)) for folder in find_sweeps(path)]


def read_sweep(folder: SweepFolder, config: Config) -> Sweep:
    """Returns the rows of the folder, sorted into the cells of its configuration."""
    all_rows = folder.read_rows()
    latest = latest_rows(all_rows)
    plan = make_plan(config)
    rows = [latest[run.key] for run in plan if run.key in latest]
    # By graph and algorithm. All its systems get the same question: the same sources, and weights independent of them.
    answers: dict[tuple[str, str], set[str | None]] = {}
    for row in rows:
        if row["status"] == DONE and isinstance(row["result"], dict) and row["result"]["verdict"] == "verified":
            answers.setdefault((row["graph"], row["algorithm"]), set()).add(_fingerprint(row["result"]))
    by_cell: dict[Cell, list[Row | None]] = {}
    for run in plan:
        by_cell.setdefault(run.cell, []).append(latest.get(run.key))
    programs = {program.name: by_cell.pop(Cell("", "", program.name), []) for program in config.programs}
    cells = {
        cell: _cell_result(cell, found, answers.get((cell.graph, cell.algorithm), set())) for cell, found in by_cell.items()
    }
    return Sweep(
        config,
        folder.read_sessions(),
        rows,
        cells,
        {name: [row for row in found if row is not None] for name, found in programs.items()},
        {profile["row"]: profile for profile in folder.profiles.read()},
        folder.row_lines.torn_bytes(),
        len(all_rows) - len(rows),
    )


def _cell_result(cell: Cell, rows: list[Row | None], known_answers: set[str | None]) -> CellResult:
    there = [row for row in rows if row is not None]
    good = [row for row in there if row["status"] == DONE]
    bad = [row for row in there if row["status"] != DONE]
    return CellResult(cell, good, bad, len(rows) - len(there), frozenset(known_answers) - {None})
