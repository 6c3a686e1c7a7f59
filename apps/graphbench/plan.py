# SPDX-License-Identifier: Apache-2.0
"""The product of a configuration as a list of runs, in the order of execution."""

import hashlib
import itertools
import json
from dataclasses import dataclass

from .config import ALWAYS, ONCE, AlgorithmSpec, Config, GraphSpec, ProgramSpec, SystemSpec
from .errors import UsageError
from .options import GATHER, Options, to_arguments

AUTO = "auto"  # of --backend: an answer names the chosen backend
SEARCHES_AT_ONCE = 64  # of --batch: kMostSearches


@dataclass(frozen=True)
class Cell:
    """A combination that is measured repeatedly. A program sets only `system`, to its name."""

    graph: str
    algorithm: str
    system: str

    def __str__(self) -> str:
        return " / ".join(part for part in (self.graph, self.algorithm, self.system) if part)


@dataclass(frozen=True)
class Question:
    """The question to graphrun, which its answer must repeat."""

    algo: str
    backend: str
    trials: int  # through all sources


@dataclass(frozen=True)
class Run:
    """One process. `arguments` lack the path of the graph: words() has it."""

    cell: Cell
    repeat: int  # from 1
    executable: str
    arguments: tuple[str, ...]
    options: Options
    question: Question | None  # None: a program
    graph: GraphSpec | None
    program: ProgramSpec | None

    @property
    def key(self) -> str:
        """Returns the stable name of the run: equal for the same configuration on every machine and day."""
        graph = [self.graph.source, self.graph.container, self.graph.container_options] if self.graph else None
        parts = [self.cell.graph, self.cell.algorithm, self.cell.system, self.repeat, self.executable, self.arguments, graph]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:10]

    @property
    def is_wide(self) -> bool:
        """Returns whether it reads containers of 64-bit ids."""
        return str(self.options.get("ids")) == "64"

    def words(self, path: str) -> list[str]:
        """Returns the arguments, for the path of the graph."""
        if self.program is None:
            return ["--graph", path, *self.arguments]
        return [word.replace("{graph}", path) for word in self.arguments]


def make_plan(config: Config) -> list[Run]:
    """Returns all runs. Compared systems follow each other directly, repeats are farthest apart, and the first system changes
    with the repeat: a machine that slows down during a sweep affects all alike."""
    runs: list[Run] = []
    for repeat in range(1, config.repeats + 1):
        runs += [_program_run(config, program, repeat) for program in config.programs]
        first = (repeat - 1) % max(1, len(config.systems))
        systems = [*config.systems[first:], *config.systems[:first]]
        for graph, algorithm, system in itertools.product(config.graphs, config.algorithms, systems):
            if not any(skip.covers(graph.name, algorithm.name, system.name) for skip in config.skips):
                runs.append(_graphrun_run(config, graph, algorithm, system, repeat))
    return runs


def make_plan_to_run(config: Config) -> list[Run]:
    """Returns the plan. Raises UsageError when it is empty."""
    plan = make_plan(config)
    if not plan:
        raise UsageError(f"{config.name}: 'only' and 'skip' leave nothing to run")
    return plan


def _graphrun_run(config: Config, graph: GraphSpec, algorithm: AlgorithmSpec, system: SystemSpec, repeat: int) -> Run:
    # More specific settings override general ones.
    options = {
        **config.options,
        **algorithm.options,
        **graph.options,
        **graph.options_for.get(algorithm.algo, {}),
        **system.options,
        **system.options_for.get(algorithm.algo, {}),
    }
    is_verified = config.verify == ALWAYS or (config.verify == ONCE and repeat == 1)
    what = [GATHER] if algorithm.algo == GATHER else ["--algo", algorithm.algo]
    arguments = [*what, "--backend", system.backend, *to_arguments(options)]
    trials = algorithm.trials or config.trials
    arguments += ["--trials", str(trials)]
    arguments += [flag for flag, given in (("--warm", config.warm), ("--verify", is_verified)) if given]
    cell = Cell(graph.name, algorithm.name, system.name)
    sources = str(options.get("sources", 1))
    count = int(sources) if algorithm.algo in ("bfs", "sssp") and sources.isdecimal() else 1
    if algorithm.algo == "bfs" and options.get("batch"):
        count = -(-count // SEARCHES_AT_ONCE)
    question = Question(algorithm.algo, system.backend, trials * count)
    return Run(cell, repeat, "graphrun", tuple(arguments), options, question, graph, None)


def _program_run(config: Config, program: ProgramSpec, repeat: int) -> Run:
    graph = next((graph for graph in config.graphs if graph.name == program.graph), None)
    return Run(Cell("", "", program.name), repeat, program.program[0], tuple(program.program[1:]), {}, None, graph, program)
