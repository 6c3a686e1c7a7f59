# SPDX-License-Identifier: Apache-2.0
"""graphrun and its neighbouring programs: their places and abilities."""

import hashlib
import json
import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .config import Config
from .errors import BenchError, Unavailable, UsageError
from .options import GATHER, edge_share, parse_bytes
from .plan import make_plan
from .process import run_process
from .schema import plain, spell, suggestion

_QUESTION_LIMIT_S = 60

KnownOptions = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Programs:
    """graphrun, and the folder of its neighbours."""

    graphrun: Path

    def neighbour(self, name: str) -> Path | None:
        """Returns a program of the same build or installation, or of the PATH; None where there is none."""
        folder = self.graphrun.parent
        places = [str(folder), str(folder / "bench"), os.environ.get("PATH", os.defpath)]
        found = str(self.graphrun) if name == "graphrun" else shutil.which(name, path=os.pathsep.join(places))
        return Path(found) if found else None

    def version(self) -> str:
        return self._ask("--version").split("\n", 1)[0]

    def digest(self) -> str:
        return hashlib.sha256(self.graphrun.read_bytes()).hexdigest()[:16]

    def check(self, config: Config) -> None:
        """Raises UsageError for a configuration that this graphrun would reject, by its description."""
        check_options(config, self.known_options())
        check_algorithms(config, self._described("algorithms"), self.known_options())
        check_gathers(config, [option["name"] for option in self._described("gather_options")])
        check_graphs(config, self.known_generators())

    def check_start(self, memory_limit: int, text: str) -> None:
        """Raises UsageError when this graphrun cannot even start within a limit, given as `text`."""
        try:
            answer = run_process([str(self.graphrun), "--version"], _QUESTION_LIMIT_S, memory_limit)
        except OSError as error:
            raise BenchError(f"{self.graphrun} cannot be started: {error.strerror}") from error
        if answer.exit_code != 0:
            raise UsageError(f"the memory limit of {text} is too small for {self.graphrun.name} to start")

    def known_options(self) -> KnownOptions:
        """Returns this graphrun's description of its options, also those of its command gather, by name."""
        return {option["name"]: option for kind in ("options", "gather_options") for option in self._described(kind)}

    def known_generators(self) -> list[str]:
        """Returns this graphrun's forms of generators, such as "kron:SCALE[:EDGEFACTOR[:SEED]]"."""
        return [generator["form"] for generator in self._described("generators")]

    def _described(self, what: str) -> list[dict[str, Any]]:
        try:
            return json.loads(self._ask("--describe"))[what]
        except (ValueError, KeyError, TypeError) as error:
            raise BenchError(f"{self.graphrun} --describe printed no description of {what}") from error

    def _ask(self, question: str) -> str:
        try:
            answer = run_process([str(self.graphrun), question], _QUESTION_LIMIT_S)
        except OSError as error:
            raise BenchError(f"{self.graphrun} cannot be started: {error.strerror}") from error
        if answer.exit_code != 0:
            raise BenchError(f"{self.graphrun} {question} did not work: {answer.errors.strip() or 'it says nothing'}")
        return answer.output


def find_programs(named: str | None, beside: Path) -> Programs:
    """Returns the named graphrun, else the one beside this program."""
    path = Path(named) if named is not None else beside / "graphrun"
    if path.is_file() and os.access(path, os.X_OK):
        return Programs(path.resolve())
    if named is not None:
        raise UsageError(f"--graphrun: {path} {'cannot be executed' if path.exists() else 'is not there'}")
    raise Unavailable(f"there is no graphrun in {beside}: build it, or name one with --graphrun")


def check_options(config: Config, known: KnownOptions) -> None:
    """Raises UsageError for an option that this graphrun does not have, or a value that it does not accept."""
    backends = known.get("backend", {}).get("names", [])
    for system in config.systems:
        name = system.backend
        if backends and spell(name, backends) not in backends:
            wrong = f"there is no backend '{name}'{suggestion(name, backends)}"
            raise UsageError(f"{config.name}, system '{system.name}': {wrong}")
    for place, options in config.all_options:
        for name, value in options.items():
            if name not in known:
                raise UsageError(f"{config.name}, {place}: graphrun has no option '{name}'{suggestion(name, list(known))}")
            if wrong := _what_is_wrong(known[name], value):
                raise UsageError(f"{config.name}, {place}: option '{name}' {wrong}")


def check_algorithms(config: Config, described: list[dict[str, Any]], known: KnownOptions) -> None:
    """Raises UsageError for a variant that the algorithm does not have, or more sources than it can have."""
    algorithms = {algorithm["name"]: algorithm for algorithm in described}
    readers = known.get("sources", {}).get("read_by", {}).get("algorithms", [])
    for run in make_plan(config):
        if run.question is None or (algorithm := algorithms.get(run.question.algo)) is None:
            continue
        where, variants = f"{config.name}, {run.cell}", algorithm["variants"]
        variant, source, sources = (str(run.options.get(name, "")) for name in ("variant", "source", "sources"))
        if variant and spell(variant, variants) not in variants:
            choice = f"choose among {', '.join(variants)}"
            raise UsageError(f"{where}: {algorithm['name']} has no variant '{variant}'{suggestion(variant, variants)}: {choice}")
        is_random = plain(source.partition(":")[0]) == "random"
        is_needed = source or not algorithm["starts_from_source"]
        if algorithm["name"] in readers and sources not in ("", "1") and is_needed and not is_random:
            found = f"not with '{source}'" if source else f"without which {algorithm['name']} restarts everywhere"
            raise UsageError(f"{where}: option 'sources' draws at random and goes with \"source\": \"random:SEED\", {found}")


def check_gathers(config: Config, names: list[str]) -> None:
    """Raises UsageError for options of gather (`names`) without gather, and for its cache in shares of edges."""
    for run in make_plan(config):
        gathers = run.question is not None and run.question.algo == GATHER
        name = next((name for name in run.options if name in names and not gathers), None)
        if name is not None:
            raise UsageError(f"{config.name}, {run.cell}: option '{name}' goes with the algorithm '{GATHER}'")
        if gathers and edge_share(str(run.options.get("cache", ""))) is not None:
            raise UsageError(f"{config.name}, {run.cell}: the cache holds rows, and is a size, not '{run.options['cache']}'")


def check_graphs(config: Config, forms: list[str]) -> None:
    """Raises UsageError for a graph that looks like a generator to graphrun, and has none of these forms."""
    by_name = {form.partition(":")[0]: form for form in forms}
    for graph in config.graphs:
        word, *numbers = graph.source.split(":")
        name = spell(word, by_name)
        reads_like_one = name in by_name or (word.isalpha() and numbers and "/" not in graph.source)
        if graph.is_dataset or not reads_like_one or os.path.exists(graph.source):
            continue
        wrong = f"{config.name}, graph '{graph.name}': '{graph.source}'"
        if name not in by_name:
            raise UsageError(f"{wrong} names no generator{suggestion(word, by_name)}: there are {', '.join(by_name)}")
        most = by_name[name].count(":")
        least = most - by_name[name].count("[")
        if not least <= len(numbers) <= most or not all(number.isdecimal() for number in numbers):
            raise UsageError(f"{wrong} is not {by_name[name]}")


def _what_is_wrong(option: dict[str, Any], value: Any) -> str:
    """Returns the error of a value that graphrun would reject; empty when none is known."""
    names = option.get("names", [])  # forms for a text: "cuda:N"
    if option["kind"] == "name" and spell(str(value), names) not in names:
        return f"is one of {', '.join(names)}, not '{value}'{suggestion(str(value), names)}"
    if option["kind"] == "flag" and not isinstance(value, bool):
        return f"is true or false, not '{value}'"
    least, most = option.get("least", 0), option.get("most", math.inf)
    if option["kind"] == "whole" and not (str(value).isdecimal() and least <= int(value) <= most):
        return f"is a whole number from {least}{f' to {most}' if 'most' in option else ' on'}, not '{value}'"
    try:
        if option["kind"] == "size" and edge_share(str(value)) is None:
            parse_bytes(str(value))
        if option["kind"] == "real" and not 0 < float(value) < math.inf:
            raise ValueError
    except (UsageError, ValueError):
        return f"is {'a size, such as 8GiB' if option['kind'] == 'size' else 'a number above 0'}, not '{value}'"
    return ""
