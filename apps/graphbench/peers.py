# SPDX-License-Identifier: Apache-2.0
"""`graphbench peers`: other systems' programs in turn with graphrun, on the same generated files, their answers compared."""

import json
import math
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import environment
from .errors import BenchError, Unavailable, UsageError
from .graphs import Missing, dataset_file, dataset_folders
from .options import ALGORITHM, OPTIONS, to_arguments
from .outcome import Outcome, judge, judge_conversion
from .plan import Question
from .process import Finished, run_process
from .programs import Programs
from .records import DONE, FAILED, UNAVAILABLE, WRONG
from .schema import FLAG, OBJECT, TEXT, Schema, check, fields, list_of, load_object, one_of, suggestion

OURS = "graphrun"
_DRAW = "random:1"
_SUFFIXES = {"sg": ".sg", "wsg": ".wsg", "gbbs": ".bin", "galois": ".gr", "bcsr": ".bcsr", "bel": ".bel"}  # of formats
_UNIT_MS = {"s": 1000.0, "ms": 1.0, "us": 0.001}


def _what_is_wrong_with_pattern(text: str) -> str | None:
    try:
        return None if re.compile(text).groups == 1 else "needs one group: the number"
    except re.error as error:
        return f"is no regular expression: {error}"


_WHOLE: Schema = {"type": "integer", "minimum": 0, "title": "a whole number"}
_COUNT: Schema = {"type": "integer", "minimum": 1, "title": "a whole number above 0"}
_NUMBER: Schema = {"type": "number", "exclusiveMinimum": 0, "title": "a number above 0"}
_PATTERN: Schema = TEXT | {"wrong": _what_is_wrong_with_pattern}
# A number that the program prints, and the field of graphrun's "result" that it must equal.
_ANSWER = fields({"pattern": _PATTERN, "field": TEXT}, {"within": _NUMBER})
# `says` is a text that the program prints when its own check passes.
_COMMAND = fields(
    {"command": list_of(TEXT, 1), "times": _PATTERN}, {"unit": one_of(_UNIT_MS), "skip": _WHOLE, "answer": _ANSWER, "says": TEXT}
)
_COMMANDS = OBJECT | {"minProperties": 1, "propertyNames": ALGORITHM, "additionalProperties": _COMMAND, "title": "an object with something in it"}
_PEER = fields({"name": TEXT, "algorithms": _COMMANDS}, {"source": TEXT})
_ALGORITHM = fields({}, {"options": OPTIONS, "from_sources": FLAG})
_OF_GRAPH = {"algorithms": list_of(ALGORITHM, 1)}
_GRAPH = {
    "if": {"type": "object", "required": ["dataset"]},
    "then": fields({"dataset": TEXT, **_OF_GRAPH}, {"options": OPTIONS}),
    "else": fields({"graph": TEXT, **_OF_GRAPH}, {"options": OPTIONS}),
}
_TABLE = fields(
    {"name": TEXT, "graphs": OBJECT | {"additionalProperties": _GRAPH}, "peers": list_of(_PEER, 1)},
    {
        "about": TEXT,
        "algorithms": OBJECT | {"propertyNames": ALGORITHM, "additionalProperties": _ALGORITHM},
        "environment": OBJECT | {"additionalProperties": TEXT},
        **dict.fromkeys(("threads", "rounds", "sources", "trials"), _COUNT),
        "time_limit_s": _NUMBER,
    },
)


@dataclass
class Cell:
    """The times of one program for an algorithm on a graph: the median of each run's trials in ms, by source."""

    graph: str
    algorithm: str
    program: str
    times_ms: dict[int | None, list[float]] = field(default_factory=dict)
    is_checked: bool = True
    status: str = DONE
    reason: str = ""

    def ms(self) -> float | None:
        """Returns the mean over sources of the medians over rounds; None without a right answer."""
        if self.status != DONE or not self.times_ms:
            return None
        return statistics.mean(map(statistics.median, self.times_ms.values()))

    def fail(self, outcome: Outcome) -> None:
        self.status, self.reason = outcome.status, outcome.reason or ""

    def row(self) -> dict[str, Any]:
        samples = [{"source": source, "times_ms": times} for source, times in self.times_ms.items()]
        return {
            **{name: getattr(self, name) for name in ("graph", "algorithm", "program", "status", "reason")},
            "ms": self.ms(),
            "is_checked": self.is_checked,
            "samples": samples,
        }


class Peers:
    """Runs a table of peers. Leaves out programs that `folder` lacks, and data sets that are not here, and says so."""

    def __init__(self, path: Path, folder: Path, programs: Programs, quiet: bool):
        self.table = {"threads": 2, "rounds": 3, "sources": 4, "trials": 3, "time_limit_s": 600} | load_object(path)
        check(self.table, _TABLE, str(path))
        self.folder = folder.resolve()
        self.programs = programs
        self.quiet = quiet
        self.algorithms = self.table.get("algorithms", {})
        names = [OURS, *(peer["name"] for peer in self.table["peers"])]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"{path}: '{twice}' names two programs")
        known = {name for peer in self.table["peers"] for name in peer["algorithms"]}
        for name in [name for graph in self.table["graphs"].values() for name in graph["algorithms"]] + list(self.algorithms):
            if name not in known:
                raise UsageError(f"{path}: no peer has '{name}'{suggestion(name, known)}: they have {', '.join(sorted(known))}")
        self.peers = [peer | {"algorithms": self._present(peer)} for peer in self.table["peers"]]
        if not any(peer["algorithms"] for peer in self.peers):
            raise Unavailable(f"no program of {path} is in {folder}: it would have {self._program(self.table['peers'][0])}")

    def _program(self, peer: dict[str, Any]) -> str:
        return next(iter(peer["algorithms"].values()))["command"][0]

    def _present(self, peer: dict[str, Any]) -> dict[str, Any]:
        found = {name: each for name, each in peer["algorithms"].items() if (self.folder / each["command"][0]).is_file()}
        for name in peer["algorithms"].keys() - found.keys():
            self._say(f"{peer['name']} has no {peer['algorithms'][name]['command'][0]} in {self.folder}: {name} runs without it")
        return found

    def measure(self) -> Iterator[list[Cell]]:
        """Yields the cells of one graph after the other."""
        present = {name for peer in self.peers for name in peer["algorithms"]}
        for graph, how in self.table["graphs"].items():
            names = [name for name in how["algorithms"] if name in present]
            try:
                source = how["graph"] if "graph" in how else dataset_file(how["dataset"], dataset_folders(None))
            except Missing as missing:
                self._say(f"{graph} is left out: {missing.reason}")
                continue
            with tempfile.TemporaryDirectory(prefix="graphbench-peers-") as folder:
                files = {"grf": Path(folder) / "graph.grf"}
                self._convert(source, files["grf"], to_arguments(how.get("options", {})))
                sources = self._draw_sources(files["grf"])
                yield [cell for name in names for cell in self._measure(graph, name, files, sources)]

    def _measure(self, graph: str, name: str, files: dict[str, Path], sources: list[int]) -> list[Cell]:
        self._say(f"{graph}, {name}")
        rivals = {peer["name"]: peer["algorithms"][name] for peer in self.peers if name in peer["algorithms"]}
        cells = [Cell(graph, name, OURS), *(Cell(graph, name, rival) for rival in rivals)]
        asked = sources if self.algorithms.get(name, {}).get("from_sources", False) else [None]
        for round_ in range(self.table["rounds"]):
            for at, source in enumerate(asked):
                answer = None
                turn = (round_ + at) % len(cells)
                outputs: dict[str, Finished] = {}
                for cell in cells[turn:] + cells[:turn]:
                    if cell.status != DONE:
                        continue
                    if cell.program == OURS:
                        answer = self._run_ours(cell, files["grf"], source)
                    else:
                        outputs[cell.program] = self._run_peer(cell, rivals[cell.program], files, source)
                for cell in cells[1:]:
                    if cell.status == DONE:
                        self._read_peer(cell, rivals[cell.program], outputs[cell.program], answer, source)
        return cells

    def _run_ours(self, cell: Cell, file: Path, source: int | None) -> dict[str, Any] | None:
        """Returns the result of graphrun."""
        trials = self.table["trials"] + 1
        options = {"device": "cpu", "threads": self.table["threads"], "trials": trials, "backend": "incore"}
        options |= self.algorithms.get(cell.algorithm, {}).get("options", {}) | ({} if source is None else {"source": source})
        command = [str(self.programs.graphrun), str(file), "--trust-file", "--algo", cell.algorithm, *to_arguments(options)]
        finished = run_process([*command, "--json", "--quiet"], self.table["time_limit_s"])
        outcome = judge(finished, self.table["time_limit_s"], Question(cell.algorithm, options["backend"], trials))
        if outcome.status != DONE:
            cell.fail(outcome)
            return None
        times = [trial["time_ms"] for trial in outcome.result["trials"]][1:]
        cell.times_ms.setdefault(source, []).append(statistics.median(times))
        return outcome.result["result"]

    def _run_peer(self, cell: Cell, how: dict[str, Any], files: dict[str, Path], source: int | None) -> Finished:
        def value(match: re.Match[str]) -> str:
            if match[1] in _SUFFIXES:
                return str(self._file(match[1], files))
            given = {"source": source, "threads": self.table["threads"], "trials": self.table["trials"] + how.get("skip", 0)}
            if given.get(match[1]) is None:
                raise UsageError(f"{cell.program}, {cell.algorithm}: '{match[0]}' is none of {{{'}, {'.join([*_SUFFIXES, *given])}}}")
            return str(given[match[1]])

        fill = lambda text: re.sub(r"\{(\w+)\}", value, text)
        variables = [f"{name}={fill(text)}" for name, text in self.table.get("environment", {}).items()]
        program, *words = how["command"]
        command = ["env", "--chdir", str(files["grf"].parent), *variables, str(self.folder / program), *map(fill, words)]
        return run_process(command, self.table["time_limit_s"])

    def _read_peer(self, cell: Cell, how: dict[str, Any], finished: Finished, answer: dict[str, Any] | None, source: int | None) -> None:
        outcome = judge_conversion(finished, self.table["time_limit_s"])
        if outcome.status != DONE:
            return cell.fail(outcome)
        try:
            times = [float(text) * _UNIT_MS[how.get("unit", "s")] for text in re.findall(how["times"], finished.output, re.MULTILINE)]
            wrong = self._wrong(how, finished.output, answer)
        except ValueError as error:
            return cell.fail(Outcome(FAILED, str(error)))
        times = times[how.get("skip", 0) :]
        if not times:
            return cell.fail(Outcome(FAILED, f"it printed no more times than the {how.get('skip', 0)} that are left out"))
        if wrong is not None:
            return cell.fail(Outcome(WRONG, wrong))
        cell.is_checked = "answer" in how and answer is not None
        cell.times_ms.setdefault(source, []).append(statistics.median(times))
        return None

    def _wrong(self, how: dict[str, Any], output: str, ours: dict[str, Any] | None) -> str | None:
        """Returns how a printed answer differs from ours; None where it does not, or nothing can be compared. Raises ValueError for
        an answer that is not there, or no number."""
        if (text := how.get("says", "")) not in output:
            raise ValueError(f"it did not print '{text}'")
        if "answer" not in how:
            return None
        wanted = how["answer"]
        found = re.findall(wanted["pattern"], output, re.MULTILINE)
        if not found:
            raise ValueError(f"it did not print '{wanted['pattern']}'")
        if ours is None:
            return None
        value: Any = ours
        try:
            for part in wanted["field"].split("."):
                value = value[int(part)] if isinstance(value, list) else value[part]
            value = float(value)
        except (KeyError, ValueError, IndexError, TypeError):
            raise UsageError(f"graphrun's result has no field '{wanted['field']}', only {', '.join(ours)}") from None
        is_near = math.isclose(float(found[-1]), value, rel_tol=wanted.get("within", 0.0))
        return None if is_near else f"its answer is {found[-1]} where graphrun's {wanted['field']} is {value:.12g}"

    def _draw_sources(self, file: Path) -> list[int]:
        """Returns the vertices from which searches begin, the same for all."""
        count = self.table["sources"]
        command = [str(self.programs.graphrun), str(file), "--trust-file", "--algo", "bfs", "--backend", "incore", "--device", "cpu"]
        finished = run_process([*command, "--source", _DRAW, "--sources", str(count), "--json", "--quiet"], self.table["time_limit_s"])
        outcome = judge(finished, self.table["time_limit_s"], Question("bfs", "incore", count))
        if outcome.status != DONE:
            raise BenchError(f"no sources could be drawn: {outcome.reason}")
        return [trial["source"] for trial in outcome.result["trials"]]

    def _file(self, form: str, files: dict[str, Path]) -> Path:
        if form not in files:
            files[form] = files["grf"].with_suffix(_SUFFIXES[form])
            self._convert(str(files["grf"]), files[form], ["--to", form])
        return files[form]

    def _convert(self, source: str, target: Path, options: list[str]) -> None:
        converter = self.programs.neighbour("graphconv")
        if converter is None:
            raise Unavailable("graphconv, which makes the files, is not beside graphrun")
        finished = run_process([str(converter), source, str(target), *options, "--quiet"], self.table["time_limit_s"])
        outcome = judge_conversion(finished, self.table["time_limit_s"])
        if outcome.status != DONE:
            raise BenchError(f"graphconv could not make {target.name} of {source}: {outcome.reason}")

    def _say(self, text: str) -> None:
        if not self.quiet:
            print(f"graphbench: {text}", file=sys.stderr, flush=True)


def measure_peers(path: Path, folder: Path, out: Path, programs: Programs, quiet: bool) -> list[Cell]:
    """Writes peers.json and peers.md to `out`, after each graph what there is. Returns the cells."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out: {out} is not a folder")
    peers = Peers(path, folder, programs, quiet)
    out.mkdir(parents=True, exist_ok=True)
    cells: list[Cell] = []
    facts = {"name": peers.table["name"], "made": environment.now(), "graphrun": programs.version(), "machine": environment.describe()}
    for more in peers.measure():
        cells += more
        result = facts | {"table": peers.table, "cells": [cell.row() for cell in cells]}
        (out / "peers.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (out / "peers.md").write_text(page(peers.table, facts, cells), encoding="utf-8")
    return cells


def page(table: dict[str, Any], facts: dict[str, Any], cells: list[Cell]) -> str:
    """Returns a table in Markdown: times in ms, and in brackets the peer's over graphrun's."""
    names = [peer["name"] for peer in table["peers"] if any(cell.program == peer["name"] for cell in cells)]
    lines = [
        f"{facts['graphrun']}, {facts['machine']['cpu']}, {table['threads']} threads, {facts['made'][:10]}. Medians in ms of {table['rounds']} "
        "rounds in turn; in brackets the peer's time over graphrun's. *: its own check alone passed on its answer, or none.",
        "",
        f"| graph | algorithm | graphrun | {' | '.join(names)} | best of them |",
        f"|---|---|--:|{'--:|' * len(names)}--:|",
    ]
    best: dict[str, list[float]] = {}
    for cell in cells:
        if cell.program != OURS:
            continue
        rivals = {each.program: each for each in cells if (each.graph, each.algorithm) == (cell.graph, cell.algorithm)}
        ours = cell.ms()
        ratios = [ms / ours for name in names if name in rivals and ours and (ms := rivals[name].ms())]
        if ratios:
            best.setdefault(cell.algorithm, []).append(min(ratios))
        shown = [_shown(rivals.get(name), ours) for name in names]
        own = f"{ours:.3g}" if ours else cell.status
        lines.append(f"| {cell.graph} | {cell.algorithm} | {own} | {' | '.join(shown)} | {f'{min(ratios):.2f}' if ratios else ''} |")
    lines += ["", "Geometric means over graphs of the best peer's time over graphrun's:", ""]
    lines += [f"- {algorithm}: {statistics.geometric_mean(ratios):.2f}" for algorithm, ratios in best.items()]
    return "\n".join(lines) + "\n"


def _shown(cell: Cell | None, ours: float | None) -> str:
    if cell is None:
        return ""
    ms = cell.ms()
    if ms is None:
        return cell.status
    return f"{ms:.3g}{'' if cell.is_checked else '*'}" + (f" ({ms / ours:.2f})" if ours else "")


def is_right(cells: list[Cell]) -> bool:
    return all(cell.status in (DONE, UNAVAILABLE) for cell in cells)
