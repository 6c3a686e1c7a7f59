"""The report as Markdown, for pages: what the HTML page says, without figures."""

from typing import Any, Sequence

from ..cells import Sweep
from ..measures import MEASURES, REQUEST_SIZES
from . import notes, numbers, view
from .published import published
from .traffic import traffic
from .view import Table

_SIGNS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_|<>[]~"} | {"\n": " "})


def as_markdown(found: list[tuple[Sweep, list[Table]]]) -> str:
    return "\n".join(line for sweep, tables in found for line in _sweep(sweep, tables))


def _sweep(sweep: Sweep, tables: list[Table]) -> list[str]:
    about = [_text(line) for line in (sweep.config.about, view.policy(sweep)) if line]
    warnings = [f"> {_text(warning)}" for warning in notes.warnings(sweep, tables)]
    lines = [f"# {_text(sweep.config.title)}", ""]
    for line in (*about, *warnings):
        lines += [line, ""]
    lines += _table(_left("", "environment"), view.environment(sweep))
    for table in tables:
        lines += _cells(table)
    return lines + _requests(sweep) + _published(sweep) + _programs(sweep) + _bad_runs(sweep)


def _cells(table: Table) -> list[str]:
    differing = [
        f"**answers differ**: {', '.join(_text(cell.cell.system) for cell in cells)}: {_text(answer)}"
        for answer, cells in table.differing
    ]
    lines = [f"## {_text(table.algorithm)} on {_text(table.graph)}", "", table.facts, ""]
    for line in differing:
        lines += [line, ""]
    measured = _right("median ms", "spread", "processes", "speed-up", "its interval", "moved", "moved / needed")
    body = [
        (
            line.result.cell.system,
            numbers.number(line.time.median if line.time else None) + "*" * bool(line.time and line.result.is_suspect("time")),
            numbers.spread(line.time, MEASURES["time"]),
            len(line.result.good),
            "baseline" if line.is_baseline else numbers.times(line.speedup),
            numbers.interval(line.speedup),
            numbers.amount(line.moved.median if line.moved else None, MEASURES["moved"]),
            numbers.number(line.amplification.median if line.amplification else None),
            ", ".join(line.marks),
            _ids(line.result.rows),
        )
        for line in table.lines
    ]
    return lines + _table([*_left("system"), *measured, *_left("marks", "rows")], body)


def _requests(sweep: Sweep) -> list[str]:
    found = traffic(sweep, sweep.baseline)
    if not found:
        return []
    sizes = [f"{size} B" for size in REQUEST_SIZES]
    columns = [
        *_left("graph", "algorithm", "system"),
        *_right("requests", "of baseline's", *sizes, "begin on a line", "asked", "asked / walks'", "asked / profiler's"),
        *_left("rows"),
    ]
    body = [
        (
            item.result.cell.graph,
            item.result.cell.algorithm,
            item.result.cell.system,
            numbers.number(item.requests),
            numbers.precise_percent(item.of_baseline),
            *(numbers.precise_percent(item.share(size)) for size in REQUEST_SIZES),
            numbers.precise_percent(item.on_line),
            numbers.amount(item.bytes, MEASURES["link-bytes"]),
            numbers.number(item.over_walks),
            numbers.number(item.over_profiler),
            _ids(item.result.good),
        )
        for item in found
    ]
    return ["## Requests over the link", "", *_table(columns, body)]


def _published(sweep: Sweep) -> list[str]:
    columns = [("what", "---"), *_right("published", "ours"), *_left("marks of ours", "ours is of", "their hardware", "source")]
    body = [
        (
            item.expected.what,
            numbers.with_unit(numbers.as_given(item.expected.value), item.expected.unit),
            numbers.NONE if item.ours is None else numbers.with_unit(numbers.number(item.ours), item.expected.unit),
            ", ".join(item.marks),
            _ids(item.rows),
            item.expected.hardware,
            item.expected.source,
        )
        for item in published(sweep)
    ]
    return ["## Published numbers, and ours", "", *_table(columns, body)] if body else []


def _programs(sweep: Sweep) -> list[str]:
    lines: list[str] = []
    for program in notes.programs(sweep):
        lines += [f"## {_text(program.name)}", "", f"Program: {_text(program.command)}", ""]
        columns = [(name.replace("_", " "), "--:" if name in program.numeric else "---") for name in program.columns]
        body = [(*(numbers.plain(line.get(name)) for name in program.columns), row["row"]) for row, line in program.lines]
        lines += _table([*columns, *_left("row")], body) if body else ["No run of it ended well.", ""]
    return lines


def _bad_runs(sweep: Sweep) -> list[str]:
    body = [(bad.status, bad.reason, "; ".join(bad.names), _ids(bad.rows)) for bad in notes.bad_runs(sweep)]
    columns = _left("status", "reason", "of", "rows")
    return ["## Runs that did not end well", "", *_table(columns, body)] if body else []


def _left(*names: str) -> list[tuple[str, str]]:
    return [(name, "---") for name in names]


def _right(*names: str) -> list[tuple[str, str]]:
    return [(name, "--:") for name in names]


def _table(columns: Sequence[tuple[str, str]], body: Sequence[Sequence[Any]]) -> list[str]:
    """Columns are names with the rule below them, which says where they are aligned."""
    lines = [[_text(name) for name, _ in columns], *([_text(str(cell)) for cell in cells] for cells in body)]
    head, *rest = ("| " + " | ".join(cells) + " |" for cells in lines)
    return [head, "|" + "|".join(rule for _, rule in columns) + "|", *rest, ""]


def _ids(rows: Sequence[dict[str, Any]]) -> str:
    return " ".join(row["row"] for row in rows)


def _text(text: str) -> str:
    """Without what Markdown, or HTML in it, would take for its own."""
    return text.translate(_SIGNS)
