"""Files that runs read: data sets that were fetched, and containers that are made before the first run needs them."""

import hashlib
import json
import os
from pathlib import Path

from .config import GraphSpec
from .options import to_arguments
from .outcome import judge_conversion
from .process import run_process
from .programs import Programs
from .records import FAILED, UNAVAILABLE

_SUFFIXES = (".grf", ".mtx", ".mtx.gz")


class Missing(Exception):
    """A graph or a program that cannot be had: the runs that need it become rows with this status and reason."""

    def __init__(self, status: str, reason: str):
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Graphs:
    """Answers what graphrun is to be given for a graph. What failed once is not tried again."""

    def __init__(self, programs: Programs, folder: Path, datasets: list[Path], time_limit_s: float):
        self._programs = programs
        self._folder = folder
        self._datasets = datasets
        self._time_limit_s = time_limit_s
        self._answers: dict[str, str | Missing] = {}

    def path(self, graph: GraphSpec) -> str:
        """A file, or a generator's name. Raises Missing."""
        if graph.name not in self._answers:
            try:
                self._answers[graph.name] = self._find_or_make(graph)
            except Missing as missing:
                self._answers[graph.name] = missing
        answer = self._answers[graph.name]
        if isinstance(answer, Missing):
            raise answer
        return answer

    def _find_or_make(self, graph: GraphSpec) -> str:
        source = self._dataset(graph.source) if graph.is_dataset else graph.source
        return self._container(graph, source) if graph.container else source

    def _dataset(self, name: str) -> str:
        for folder in self._datasets:
            for suffix in _SUFFIXES:
                if (folder / (name + suffix)).is_file():
                    return str(folder / (name + suffix))
        places = ", ".join(str(folder) for folder in self._datasets) or "no folder"
        raise Missing(UNAVAILABLE, f"data set {name} is not here (looked in {places}): datasets/fetch.sh {name}")

    def _container(self, graph: GraphSpec, source: str) -> str:
        # Another source or other options have another name, so that a container is never taken for one it is not.
        how = json.dumps([graph.source, graph.container_options], sort_keys=True)
        target = self._folder / f"{graph.name.replace(os.sep, '_')}-{hashlib.sha256(how.encode()).hexdigest()[:8]}.grf"
        if target.exists():
            return str(target)
        converter = self._programs.neighbour("graphconv")
        if converter is None:
            raise Missing(UNAVAILABLE, f"graphconv, which makes {target.name}, is not beside graphrun")
        self._folder.mkdir(parents=True, exist_ok=True)
        command = [str(converter), source, str(target), *to_arguments(graph.container_options), "--quiet"]
        try:
            finished = run_process(command, self._time_limit_s)
        except OSError as error:
            raise Missing(FAILED, f"{converter} cannot be started: {error.strerror}") from error
        outcome = judge_conversion(finished, self._time_limit_s)
        if outcome.reason is not None:
            raise Missing(outcome.status, f"graphconv could not make {target.name}: {outcome.reason}")
        return str(target)


def dataset_folders(named: str | None) -> list[Path]:
    """Where data sets are looked for: a folder that was named, GRAPHRUN_DATASETS, and datasets/data of this source tree."""
    named_folders = [Path(text) for text in (named, os.environ.get("GRAPHRUN_DATASETS")) if text]
    tree = Path(__file__).resolve().parents[2] / "datasets" / "data"
    return [folder for folder in (*named_folders, tree) if folder.is_dir()]
