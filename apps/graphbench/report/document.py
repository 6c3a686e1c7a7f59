# SPDX-License-Identifier: Apache-2.0
"""The contents of a report on a sweep, for every form: sections of tables with cells of text, marks, or links to rows."""

import statistics
from dataclasses import dataclass, field
from typing import Any, Sequence

from ..cells import CellResult, Sweep
from ..config import Expected, ProgramSpec
from ..measures import MEASURES, REQUEST_SIZES, Row
from ..published import ours_of
from ..records import DONE
from ..sample import harmonic_error, quartiles
from . import facts, numbers
from .traffic import Traffic, traffic

_SHARES = [f"{size} B" for size in REQUEST_SIZES]


@dataclass(frozen=True)
class Marks:
    names: Sequence[str]
    text: str = ""  # after the links


@dataclass(frozen=True)
class Links:
    """Links to rows, by their number, or to one by a name."""

    rows: list[Row]
    name: Any = None


Cell = str | Marks | Links
Columns = list[tuple[str, str]]  # names, and classes: "n" is a number, aligned on the right


@dataclass(frozen=True)
class Table:
    columns: Columns
    body: list[list[Cell]]
    title: str = ""
    about: str = ""
    look: str = "wide"
    notes: list[Cell] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    anchor: str
    title: str
    tables: list[Table]
    note: str = ""
    figures: list[Any] = field(default_factory=list)


def sections(
    sweep: Sweep, baseline: str | None, bandwidths: dict[str, facts.Bandwidth], figures: Sequence[Any] = ()
) -> list[Section]:
    """Returns the sections that are not empty. Figures stand with their algorithm."""
    algorithms = [algorithm.name for algorithm in sweep.config.algorithms]
    tables = {name: _combinations(sweep, name, baseline, bandwidths) for name in algorithms}
    found = [
        Section("environment", "Environment", _environment(sweep, bandwidths)),
        *(Section(name, name, tables[name], figures=[f for f in figures if f.algorithm == name]) for name in algorithms),
        Section("roofline", "Roofline", [], figures=[figure for figure in figures if figure.algorithm is None]),
        _requests(sweep, baseline),
        Section("rates", "Rates over sources", _rates(sweep), _RATES_NOTE),
        Section("published", "Published numbers, and ours", _published(sweep), _PUBLISHED_NOTE),
        Section("programs", "Programs", [_program(sweep, program) for program in sweep.config.programs]),
        Section("rows", "Rows", _bad_runs(sweep) + _skipped(sweep)),
    ]
    return [section for section in found if section.tables or (section.figures and section.title not in algorithms)]


def _left(*names: str) -> Columns:
    return [(name, "") for name in names]


def _right(*names: str, look: str = "n") -> Columns:
    return [(name, look) for name in names]


_FACTS = [("", "th"), ("environment", "")]
_ROWS = [("rows", "rows")]
_OF_CELL = _left("graph", "algorithm", "system")


def _names(result: CellResult) -> list[Cell]:
    return [result.cell.graph, result.cell.algorithm, result.cell.system]


def _if_any(columns: Columns, body: list[list[Cell]], title: str = "", **more: Any) -> list[Table]:
    return [Table(columns, body, title, **more)] if body else []


def _environment(sweep: Sweep, bandwidths: dict[str, facts.Bandwidth]) -> list[Table]:
    links: dict[str, list[str]] = {}
    for system, known in bandwidths.items():
        links.setdefault(known.source, []).append(system)
    body = [*facts.environment(sweep), *(("link or disk", f"{source}: {'; '.join(names)}") for source, names in links.items())]
    rules = [[source, rule] for rule, source in sweep.config.rules]
    rule_columns = [("stated in", "th"), ("rule", "")]
    return [
        Table(_FACTS, [*map(list, body)], look="facts"),
        *_if_any(rule_columns, rules, "Rules that are followed", look="facts"),
    ]


def _combinations(sweep: Sweep, algorithm: str, baseline: str | None, bandwidths: dict[str, facts.Bandwidth]) -> list[Table]:
    """Returns a table for each graph with times of some system."""
    extra = [MEASURES[name] for name in sweep.config.columns]
    columns = [
        ("system", "th"), ("median ms", "n main"), ("spread ms", "n soft"), ("processes", "n"), ("speed-up", "n"),
        ("its interval", "n soft"), *_right("moved", "moved / needed", "GB/s"), *_right(*["share of link"] * bool(bandwidths)),
        *_right(*(f"{m.title} {m.unit if m.unit not in ('bytes', 'x') else ''}".strip() for m in extra)), ("marks", "marks"), *_ROWS,
    ]  # fmt: skip
    tables: list[Table] = []
    for graph in (graph.name for graph in sweep.config.graphs):
        cells = sweep.cells_of(graph, algorithm)
        if any(cell.values("time") for cell in cells):
            base = sweep.timed_base_of(cells[0], baseline)
            body = [_line(cell, base, bandwidths, sweep.config.columns) for cell in cells if cell.rows]
            notes: list[Cell] = []
            if base and baseline and base.cell.system != baseline:
                notes.append(f"{baseline} has no times here: speed-ups are over {base.cell.system}.")
            notes += [
                Marks(["answers differ"], f" {', '.join(cell.cell.system for cell in same)}: {answer}")
                for answer, same in sweep.differing_answers(graph, algorithm)
            ]
            tables.append(Table(columns, body, f"{algorithm} on {graph}", _size(cells), "wide cells", notes))
    return tables


def _line(
    cell: CellResult, base: CellResult | None, bandwidths: dict[str, facts.Bandwidth], columns: Sequence[str]
) -> list[Cell]:
    def median(name: str) -> str:
        found = cell.estimate(name)
        return numbers.amount(found.value if found else None, MEASURES[name])

    time, bandwidth, known = cell.estimate("time"), cell.estimate("bandwidth"), bandwidths.get(cell.cell.system)
    speedup = None if cell is base else cell.speedup(base)
    share = bandwidth.value / known.gb_per_s if bandwidth and known and not cell.is_instrumented else None
    return [
        cell.cell.system,
        median("time") + "*" * bool(time and cell.is_suspect("time")),
        numbers.spread(time, MEASURES["time"]),
        str(len(cell.good)),
        "baseline" if cell is base else numbers.times(speedup),
        numbers.interval(speedup),
        *map(median, ("moved", "amplification", "bandwidth")),
        *[numbers.percent(share, 0)] * bool(bandwidths),
        *map(median, columns),
        Marks(cell.marks()),
        Links(cell.rows),
    ]


def _size(cells: list[CellResult]) -> str:
    graph = next(row["result"]["graph"] for cell in cells for row in cell.good)
    return f"{graph['n']:,} vertices, {graph['m']:,} stored edges, {'undirected' if graph['symmetric'] else 'directed'}"


def _requests(sweep: Sweep, baseline: str | None) -> Section:
    found = traffic(sweep, baseline)
    counts = [("requests", "n main"), *_right("of baseline's", *_SHARES, "begin on a line")]
    columns = [*_OF_CELL, *counts, *_right("asked", "asked / walks'", "asked / profiler's"), *_ROWS]
    profilers = [f"Profiler: {name}." for name in dict.fromkeys(item.profiler for item in found) if name]
    note = " ".join([_REQUESTS_NOTE, *profilers])
    return Section("traffic", "Requests over the link", _if_any(columns, [*map(_request_line, found)]), note)


def _request_line(item: Traffic) -> list[Cell]:
    shares = (item.of_baseline, *map(item.share, REQUEST_SIZES), item.on_line)
    return [
        *_names(item.result),
        numbers.number(item.requests),
        *map(numbers.percent, shares),
        numbers.amount(item.bytes, MEASURES["link-bytes"]),
        numbers.number(item.over_walks),
        numbers.number(item.over_profiler),
        Links(item.result.good),
    ]


def _rates(sweep: Sweep) -> list[Table]:
    """Returns rates of all trials, as Graph500 reports them, for each cell with several sources."""
    body: list[list[Cell]] = []
    for cell in sweep.cells.values():
        trials = [trial for row in cell.good for trial in row["result"]["trials"]]
        rates = sorted(trial["gteps"] for trial in trials if trial["gteps"])
        if rates and len({trial["source"] for trial in trials}) > 1:
            first, third = quartiles(rates)
            means = (statistics.harmonic_mean(rates), harmonic_error(rates))
            shown = map(numbers.number, (rates[0], first, statistics.median(rates), third, rates[-1], *means))
            body.append([*_names(cell), str(len(rates)), *shown, Marks(cell.marks()), Links(cell.good)])
    spread = _right("trials", "lowest", "first quartile", "median", "third quartile", "highest")
    columns = [*_OF_CELL, *spread, ("harmonic mean", "n main"), ("its error", "n soft"), *_left("marks"), *_ROWS]
    return _if_any(columns, body)


def _published(sweep: Sweep) -> list[Table]:
    columns = [("what", ""), ("published", "n"), ("ours", "n main"), *_left("marks of ours"), ("ours is of", "rows")]
    body = [_published_line(sweep, item) for item in sweep.config.expected]
    return _if_any([*columns, *_left("their hardware", "source")], body)


def _published_line(sweep: Sweep, item: Expected) -> list[Cell]:
    """Returns a published number beside ours, the mean over the combinations it stands for; no test compares them."""
    found = ours_of(sweep, item)
    ours = numbers.number(found.value) if found.value is not None else None
    return [
        item.what,
        numbers.with_unit(f"{item.value:,.10g}", item.unit),
        numbers.with_unit(ours, item.unit) if ours else numbers.NONE,
        Marks(list(dict.fromkeys(mark for row in found.rows for mark in sweep.marks_of(row)))),
        Links(found.rows),
        item.hardware,
        item.source,
    ]


def _program(sweep: Sweep, program: ProgramSpec) -> Table:
    """Returns the output of a program's runs."""
    lines = [(row, line) for row in sweep.programs[program.name] if row["status"] == DONE for line in row["result"]]
    names = list(dict.fromkeys(name for _, line in lines for name in line))
    numeric = {name for name in names if all(type(line[name]) in (int, float) for _, line in lines if name in line)}
    columns = [(name.replace("_", " "), "n" if name in numeric else "") for name in names]
    body = [[*(numbers.plain(line.get(name)) for name in names), Links([row], row["repeat"])] for row, line in lines]
    notes = [] if body else ["No run of it ended well: see under 'Rows'."]
    return Table([*columns, ("row", "rows")], body, program.name, " ".join(program.program), notes=notes)


def _bad_runs(sweep: Sweep) -> list[Table]:
    """Returns the failed rows, grouped by reason."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in sweep.rows:
        if row["status"] != DONE:
            groups.setdefault((row["status"], row["reason"]), []).append(row)
    names = {key: list(dict.fromkeys(map(facts.name_of, rows))) for key, rows in groups.items()}
    body = [
        [
            Marks([key[0]]),
            key[1],
            "; ".join(names[key][:3]) + f" and {len(names[key]) - 3} more" * (len(names[key]) > 3),
            Links(rows),
        ]
        for key, rows in groups.items()
    ]
    return _if_any([*_left("status", "reason", "of"), *_ROWS], body, "Runs that did not end well")


def _skipped(sweep: Sweep) -> list[Table]:
    body = [
        [" / ".join(part or "all" for part in (skip.graph, skip.algorithm, skip.system)), skip.reason]
        for skip in sweep.config.skips
    ]
    return _if_any([("combination", "th"), ("reason", "")], body, "Left out by the configuration", look="facts")


_REQUESTS_NOTE = (
    "What loads of kernels asked of the link, counted load by load in instrumented kernels. Requests and bytes are medians of "
    "a trial; shares are of all requests of all trials. The walks count bytes by the lists that are read, and a profiler the "
    "sectors that missed the GPU's second-level cache: the ratios say how far these counts lie apart, over the same rows."
)
_RATES_NOTE = (
    "GTEPS of all trials of all processes; the mean is harmonic, as rates are averaged, with its standard error (Graph500)."
)
_PUBLISHED_NOTE = (
    "Theirs were measured on the hardware that is named, with other programs, and often on other graphs of a kind: the columns "
    "stand beside each other to be looked at, and nothing in this report is computed from theirs. Ours are medians; where a "
    "number stands for several graphs or algorithms, the mean over those that this sweep has."
)
