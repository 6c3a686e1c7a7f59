"""Rows of one graph, algorithm and system, taken together, with marks for everything that a number alone would hide."""

from dataclasses import dataclass
from typing import Any

from .config import Config
from .measures import MEASURES, Row, values_of
from .outcome import DONE, WRONG
from .plan import Cell, make_plan
from .sample import Estimate, Ratio, estimate, ratio_of_medians
from .store import SweepFolder, latest_rows


@dataclass(frozen=True)
class CellResult:
    cell: Cell
    good: list[Row]
    bad: list[Row]
    missing: int  # runs of the plan without a row

    def values(self, measure: str) -> list[float]:
        return values_of(self.good, MEASURES[measure])

    def estimate(self, measure: str) -> Estimate | None:
        values = self.values(measure)
        return estimate(values) if values else None

    def speedup(self, baseline: "CellResult | None") -> Ratio | None:
        """How much less time than the baseline; None where one of the two has none."""
        mine, theirs = self.values("time"), baseline.values("time") if baseline else []
        return ratio_of_medians(theirs, mine) if mine and theirs and min(mine) > 0 else None

    @property
    def rows(self) -> list[Row]:
        return [*self.good, *self.bad]

    def marks(self) -> list[str]:
        """What must be known of these numbers, worst first."""
        results = [row["result"] for row in self.good]
        marks = [f"{count} of {len(self.rows)} {status}" if self.good else status for status, count in _statuses(self.bad).items()]
        marks += [f"{self.missing} not run yet"] if self.missing else []
        marks += ["emulated"] if any(result["emulated"] for result in results) else []
        marks += ["unverified"] if any(result["verdict"] == "unverified" for result in results) else []
        marks += ["capped"] if any(result["options"].get("cache_bytes") is not None for result in results) else []
        marks += ["not converged"] if any(result["chosen"].get("converged") is False for result in results) else []
        marks += ["slow build"] if any(_is_slow_build(result) for result in results) else []
        marks += ["one process"] if len(self.good) == 1 else []
        return marks


def _statuses(rows: list[Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: row["status"] != WRONG):
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    return counts


def _is_slow_build(result: dict[str, Any]) -> bool:
    return not result["program"]["optimised"] or result["program"]["sanitizers"] != ""


@dataclass(frozen=True)
class Sweep:
    """All of a sweep's results, as reports and comparisons want them."""

    config: Config
    sessions: list[dict[str, Any]]
    rows: list[Row]  # of the plan, in its order
    cells: dict[Cell, CellResult]
    programs: dict[str, list[Row]]
    superseded: int  # rows of runs that were run again, or that the configuration no longer has

    @property
    def baseline(self) -> str | None:
        return self.config.baseline or (self.config.systems[0].name if self.config.systems else None)

    def cells_of(self, graph: str, algorithm: str) -> list[CellResult]:
        """In the order of the configuration's systems."""
        asked = (Cell(graph, algorithm, system.name) for system in self.config.systems)
        return [self.cells[cell] for cell in asked if cell in self.cells]

    def differing_answers(self, graph: str, algorithm: str) -> list[tuple[str, list[CellResult]]]:
        """Groups of cells by their answers when these are not all the same; empty when they are. Ranks are left out: they agree
        within a tolerance only."""
        groups: dict[str, list[CellResult]] = {}
        for cell in self.cells_of(graph, algorithm):
            for print_ in {_fingerprint(row["result"]) for row in cell.good} - {None}:
                groups.setdefault(print_, []).append(cell)
        return list(groups.items()) if len(groups) > 1 else []


def _fingerprint(result: dict[str, Any]) -> str | None:
    if result["algorithm"] == "pagerank" or not result.get("result"):
        return None
    answers = result.get("results") or [result["result"]]
    return "; ".join(", ".join(f"{name} {answer[name]}" for name in ("source", "reached", "checksum", "components", "largest")
                               if name in answer) for answer in answers)


def read_sweep(folder: SweepFolder, config: Config) -> Sweep:
    """Rows of the folder, sorted into the cells of its configuration."""
    all_rows = folder.rows.read()
    latest = latest_rows(all_rows)
    plan = make_plan(config)
    rows = [latest[run.key] for run in plan if run.key in latest]
    cells: dict[Cell, CellResult] = {}
    programs: dict[str, list[Row]] = {program.name: [] for program in config.programs}
    for run in plan:
        row = latest.get(run.key)
        if run.program is not None:
            programs[run.program.name] += [row] if row else []
            continue
        before = cells.setdefault(run.cell, CellResult(run.cell, [], [], 0))
        good = row is not None and row["status"] == DONE
        cells[run.cell] = CellResult(
            run.cell, [*before.good, row] if good else before.good,
            [*before.bad, row] if row is not None and not good else before.bad, before.missing + (row is None))
    return Sweep(config, folder.sessions.read(), rows, cells, programs, len(all_rows) - len(rows))
