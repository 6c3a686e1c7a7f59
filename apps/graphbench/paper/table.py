# SPDX-License-Identifier: Apache-2.0
"""The table of the papers' figures and tables (configs/paper/figures.json): what each says, and which run gives our number."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

from ..config import Config, Expected, read_config
from ..config_schema import UNITS, measure_of
from ..errors import UsageError
from ..measures import SPEED_UP
from ..options import algorithm_among
from ..schema import OBJECT, TEXT, Schema, check, fields, list_of, load_object, one_of, suggestion

QUICK, FULL = "quick", "full"
_TAKES = ("median", "most", "least")
_NUMBER: Schema = {"type": "number", "title": "a number"}
_NAMES = dict.fromkeys(("graph", "algorithm", "system"), TEXT)
# Of cells: a measure as 'expected' of a configuration has it, minus that of the system 'less', over that of the system 'over',
# where these are named; or a field of graphrun's JSON ("graph.m").
_OF_CELLS = fields(
    {"run": TEXT}, {**_NAMES, "measure": one_of(UNITS), "less": TEXT, "over": TEXT, "factor": _NUMBER, "result": TEXT}
)
# Of the lines of a program: a field where others have these values, over the same or another field elsewhere.
_OF_LINES = fields(
    {"run": TEXT, "program": TEXT, "field": TEXT},
    {"where": OBJECT, "over": fields({}, {"field": TEXT, "where": OBJECT}), "factor": _NUMBER, "take": one_of(_TAKES)},
)
_QUERY = {"if": {"type": "object", "required": ["program"]}, "then": _OF_LINES, "else": _OF_CELLS}


def _what_is_wrong_with_number(item: dict[str, Any]) -> str | None:
    """Returns why a number lacks runs, or a reason for having none; None when it is right."""
    has_runs = FULL in item or QUICK in item
    return None if has_runs != ("pending" in item) else f"needs '{FULL}', '{QUICK}' or both, or else 'pending' with a reason"


def _what_is_wrong_with_figure(item: dict[str, Any]) -> str | None:
    return None if ("numbers" in item) != ("reason" in item) else "needs either 'numbers', or the 'reason' why there are none"


_SAID = fields({"what": TEXT}, {"value": _NUMBER, "unit": TEXT, FULL: _QUERY, QUICK: _QUERY, "pending": TEXT})
_FIGURE = fields(
    {"id": TEXT, "title": TEXT}, {"numbers": list_of(_SAID | {"wrong": _what_is_wrong_with_number}, 1), "reason": TEXT}
)
_PAPER = fields({"name": TEXT, "source": TEXT, "figures": list_of(_FIGURE | {"wrong": _what_is_wrong_with_figure}, 1)}, {})
_RUN = fields({"file": TEXT}, {"set": list_of(TEXT)})
_TABLE = fields({"runs": OBJECT | {"additionalProperties": _RUN}, "papers": list_of(_PAPER, 1)}, {})


@dataclass(frozen=True)
class Number:
    """One number that a figure or its text says. `queries` give ours, by form."""

    what: str
    value: float | None  # None: the figure shows it, and no text says it
    unit: str
    queries: dict[str, dict[str, Any]]
    pending: str


@dataclass(frozen=True)
class Figure:
    id: str
    title: str
    numbers: tuple[Number, ...]
    reason: str

    @property
    def name(self) -> str:
        """Returns the caption's name: "Figure 4a" for "spin-4a", "Table 2.3" for "emogi-table-2.3"."""
        kind = "Table" if "-table-" in self.id else "Figure"
        return f"{kind} {self.id.rpartition('-')[2]}"

    def key(self, number: Number) -> str:
        """Names a number among those of all papers."""
        return f"{self.id}: {number.what}"


@dataclass(frozen=True)
class Paper:
    name: str
    source: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class PaperRun:
    """A configuration with settings. Runs of the quick form are those that a quick query names."""

    name: str
    config: Config

    @property
    def folder(self) -> str:
        return re.sub(r"[^A-Za-z0-9.]+", "-", self.name)


@dataclass(frozen=True)
class PaperTable:
    papers: tuple[Paper, ...]
    runs: dict[str, PaperRun]

    def numbers(self) -> Iterator[tuple[Figure, Number]]:
        for paper in self.papers:
            for figure in paper.figures:
                yield from ((figure, number) for number in figure.numbers)

    def runs_of(self, form: str) -> list[PaperRun]:
        """Returns the runs that a query of this form names, in the table's order."""
        named = {number.queries[form]["run"] for _, number in self.numbers() if form in number.queries}
        return [run for name, run in self.runs.items() if name in named]


def read_table(path: Path) -> PaperTable:
    """Reads a table. Raises UsageError for a mistake in it, in a configuration that it names, or in a name of a query."""
    raw = load_object(path)
    check(raw, _TABLE, str(path))
    runs = {
        name: PaperRun(name, read_config(path.parent / item["file"], item.get("set", []))) for name, item in raw["runs"].items()
    }
    table = PaperTable(tuple(map(_read_paper, raw["papers"])), runs)
    keys: set[str] = set()
    for figure, number in table.numbers():
        key = figure.key(number)
        if key in keys:
            raise UsageError(f"{path}: two numbers are named '{key}'")
        keys.add(key)
        for query in number.queries.values():
            _check_query(query, runs, f"{path}, '{key}'")
    return table


def _read_paper(raw: dict[str, Any]) -> Paper:
    return Paper(raw["name"], raw["source"], tuple(map(_read_figure, raw["figures"])))


def _read_figure(raw: dict[str, Any]) -> Figure:
    return Figure(raw["id"], raw["title"], tuple(map(_read_number, raw.get("numbers", []))), raw.get("reason", ""))


def _read_number(raw: dict[str, Any]) -> Number:
    queries = {form: raw[form] for form in (FULL, QUICK) if form in raw}
    return Number(raw["what"], raw.get("value"), raw.get("unit", ""), queries, raw.get("pending", ""))


def expected_of(query: dict[str, Any], unit: str, config: Config) -> Expected:
    """Returns a query of a measure in the form of a configuration's 'expected'."""
    names = {name: query[name] for name in ("graph", "system", "over") if name in query}
    algorithm = algorithm_among([algorithm.name for algorithm in config.algorithms], query.get("algorithm", ""))
    return Expected("", 0, "", "", unit, measure_of(query), algorithm=algorithm, **names)


def _check_query(query: dict[str, Any], runs: dict[str, PaperRun], where: str) -> None:
    _known(query["run"], list(runs), f"{where}: run")
    config = runs[query["run"]].config
    if "program" in query:
        _known(query["program"], [program.name for program in config.programs], f"{where}: program")
        return
    if ("measure" in query) == ("result" in query):
        raise UsageError(f"{where} needs either a 'measure' or a 'result'")
    if "measure" in query and ("system" not in query or (query["measure"] == SPEED_UP and "over" not in query)):
        raise UsageError(f"{where} needs a 'system', and for a {SPEED_UP} also 'over'")
    if "result" in query and not {"over", "less", "factor"}.isdisjoint(query):
        raise UsageError(f"{where}: 'over', 'less' and 'factor' do not go with a 'result'")
    if not {"less", "factor"}.isdisjoint(query) and ("over" not in query or query["measure"] == SPEED_UP):
        raise UsageError(f"{where}: 'less' and 'factor' go with a measure that is 'over' another, but with no {SPEED_UP}")
    systems = [system.name for system in config.systems]
    for name, known in (
        ("system", systems),
        ("over", systems),
        ("less", systems),
        ("graph", [graph.name for graph in config.graphs]),
        ("algorithm", [algorithm.name for algorithm in config.algorithms]),
    ):
        if name in query:
            _known(query[name], known, f"{where}: {name}")


def _known(name: str, known: list[str], where: str) -> None:
    if name not in known:
        raise UsageError(f"{where} '{name}' is not among {', '.join(known) or 'any'}{suggestion(name, known)}")
