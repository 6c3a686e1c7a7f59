"""What a reader is told beside the numbers, in words: warnings, runs that did not end well, and what programs printed."""

from dataclasses import dataclass
from typing import Any

from ..cells import GRAPH_CHANGED, Sweep
from ..config import ProgramSpec
from ..measures import Row
from ..records import DONE
from .view import Table

_BUSY = 1.5  # more processes than this, for each core, wanted to run


def warnings(sweep: Sweep, tables: list[Table]) -> list[str]:
    """What a reader must know before any number."""
    found: list[str] = []
    missing = sum(cell.missing for cell in sweep.cells.values())
    missing += sum(sweep.config.repeats - len(rows) for rows in sweep.programs.values())
    if missing:
        found.append(f"This sweep is not complete: {missing} of {missing + len(sweep.rows)} runs are still to be done.")
    if sweep.torn_bytes:
        found.append(f"The last line of rows.jsonl is torn ({sweep.torn_bytes} bytes): its run is still to be done.")
    empty = sum(not table.has_times for table in tables)
    if empty:
        found.append(
            f"{empty} of {len(tables)} combinations of graph and algorithm have no times: see the runs that did not end well."
        )
    if any(table.differing for table in tables):
        found.append("Systems disagree on answers: see where it says 'answers differ'.")
    if any(GRAPH_CHANGED in line.marks for table in tables for line in table.lines):
        found.append("Graphs have changed between runs that are taken together: see the mark 'graph changed'.")
    wrong = sum(row["status"] == "wrong" for row in sweep.rows)
    if wrong:
        found.append(f"{wrong} runs gave a wrong answer; their times are in no median.")
    known = {session["session"] for session in sweep.sessions}
    unknown = sum(row["session"] not in known for row in sweep.rows)
    if unknown:
        found.append(f"Of {unknown} rows nothing says which graphrun made them on which machine: sessions.jsonl lacks theirs.")
    if len({session["graphrun"]["digest"] for session in sweep.sessions}) > 1:
        found.append("Rows come from more than one build of graphrun.")
    if sweep.superseded:
        found.append(
            f"{sweep.superseded} more rows are in rows.jsonl, of runs that were run again or are configured no longer."
        )
    cores = min((session["environment"]["cores"] for session in sweep.sessions), default=1)
    busy = sum(row["load_before"] > _BUSY * cores for row in sweep.rows)
    if busy:
        found.append(
            f"The machine was busy: load above {_BUSY * cores:g} on {cores} cores before {busy} of {len(sweep.rows)} runs."
        )
    if any("slow build" in line.marks for table in tables for line in table.lines):
        found.append("graphrun was built without optimisation or with sanitizers: its times mean nothing.")
    return found


@dataclass(frozen=True)
class BadRuns:
    """Rows that are not done, for the same reason."""

    status: str
    reason: str
    rows: list[Row]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(map(name_of, self.rows)))


def bad_runs(sweep: Sweep) -> list[BadRuns]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in sweep.rows:
        if row["status"] != DONE:
            groups.setdefault((row["status"], row["reason"]), []).append(row)
    return [BadRuns(status, reason, rows) for (status, reason), rows in groups.items()]


@dataclass(frozen=True)
class ProgramLines:
    """What the runs of a program printed."""

    name: str
    command: str
    columns: list[str]
    numeric: list[str]  # those of them that hold numbers alone
    lines: list[tuple[Row, dict[str, Any]]]


def programs(sweep: Sweep) -> list[ProgramLines]:
    return [_program(program, sweep.programs[program.name]) for program in sweep.config.programs]


def _program(program: ProgramSpec, rows: list[Row]) -> ProgramLines:
    lines = [(row, line) for row in rows if row["status"] == DONE for line in row["result"]]
    columns = list(dict.fromkeys(key for _, line in lines for key in line))
    numeric = [key for key in columns if all(type(line[key]) in (int, float) for _, line in lines if key in line)]
    return ProgramLines(program.name, " ".join(program.command), columns, numeric, lines)


def name_of(row: Row) -> str:
    return " / ".join(part for part in (row["graph"], row["algorithm"], row["system"]) if part)
