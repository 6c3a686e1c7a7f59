# SPDX-License-Identifier: Apache-2.0
"""Input files of runs: fetched data sets, and containers that are made before the first run needs them."""

import hashlib
import json
import os
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Sequence

from .config import GraphSpec
from .options import to_arguments
from .outcome import judge_conversion
from .process import run_process
from .programs import Programs
from .records import FAILED, UNAVAILABLE

_CONTAINER = ".grf"
_TEXTS = (".mtx", ".mtx.gz")
_WEIGHT_BYTES = 4
_MAGIC = b"\x89GRF\r\n\x1a\n"


class Missing(Exception):
    """A missing graph or program: the runs that need it become rows with this status and reason."""

    def __init__(self, status: str, reason: str):
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True)
class Graphs:
    """Returns graphrun's argument for a graph. Does not retry a failure. Runs with the option "ids": "64" have their own
    containers."""

    programs: Programs
    folder: Path
    datasets: Sequence[Path]
    time_limit_s: float
    say: Callable[[str], None]
    answers: dict[tuple[str, bool], str | Missing] = field(default_factory=dict)

    def path(self, graph: GraphSpec, wide: bool) -> str:
        """Returns a file, or a generator's name; containers have 64-bit ids where `wide`. Raises Missing."""
        question = (graph.name, wide)
        if question not in self.answers:
            try:
                source, path = find(graph, wide, self.folder, self.datasets)
                if path != source and not Path(path).exists():
                    self._make(graph, wide, source, Path(path))
                self.answers[question] = path
            except Missing as missing:
                self.answers[question] = missing
        answer = self.answers[question]
        if isinstance(answer, Missing):
            raise answer
        return answer

    def _make(self, graph: GraphSpec, wide: bool, source: str, target: Path) -> None:
        converter = self.programs.neighbour("graphconv")
        if converter is None:
            raise Missing(UNAVAILABLE, f"graphconv, which makes {target.name}, is not beside graphrun")
        self.say(f"making {target.name}")
        self.folder.mkdir(parents=True, exist_ok=True)
        how = [*to_arguments(graph.container_options), *(["--ids", "64"] if wide else []), "--quiet"]
        try:
            finished = run_process([str(converter), source, str(target), *how], self.time_limit_s)
        except OSError as error:
            raise Missing(FAILED, f"{converter} cannot be started: {error.strerror}") from error
        outcome = judge_conversion(finished, self.time_limit_s)
        if outcome.reason is not None:
            raise Missing(outcome.status, f"graphconv could not make {target.name}: {outcome.reason}")


def find(graph: GraphSpec, wide: bool, folder: Path, datasets: Sequence[Path]) -> tuple[str, str]:
    """Returns a file or a generator's name, and the input of runs: the same, or a container in the folder (of 64-bit ids where
    `wide`), which may have to be made. Raises Missing for a data set that is not here."""
    source = dataset_file(graph.source, datasets) if graph.is_dataset else graph.source
    if not graph.container or (source.endswith(_CONTAINER) and not graph.container_options and not wide):
        return source, source
    # Other sources, changed files and other options have other names, so a container is never confused with another.
    version = (os.stat(source).st_size, os.stat(source).st_mtime_ns) if os.path.exists(source) else ()
    how = json.dumps([graph.source, graph.container_options, *version], sort_keys=True)
    name = f"{graph.name.replace(os.sep, '_')}-{hashlib.sha256(how.encode()).hexdigest()[:8]}"
    return source, str(folder / f"{name}{'-64' if wide else ''}{_CONTAINER}")


def dataset_file(name: str, folders: Sequence[Path]) -> str:
    """Returns the file of a data set. Raises Missing."""
    for folder in folders:
        for suffix in (_CONTAINER, *_TEXTS):
            if (folder / (name + suffix)).is_file():
                return str(folder / (name + suffix))
    places = ", ".join(map(str, folders)) or "no folder"
    raise Missing(UNAVAILABLE, f"data set {name} is not here (looked in {places}): datasets/fetch.sh {name}")


def edge_bytes(path: str, with_weights: bool) -> int:
    """Returns the bytes of all neighbours in a container, and of their weights, from its header (docs/formats.md). Raises
    Missing."""
    try:
        with open(path, "rb") as file:
            header = file.read(48)
    except FileNotFoundError:
        header = b""  # a generator
    except OSError as error:
        raise Missing(FAILED, f"cannot open {path}: {error.strerror}") from error
    if len(header) < 48 or not header.startswith(_MAGIC):
        raise Missing(FAILED, f'a --cache in edges needs a container, and {path} is none: give its graph "container": true')
    vertex_bytes, edges = struct.unpack_from("<I", header, 16)[0], struct.unpack_from("<Q", header, 40)[0]
    return edges * (vertex_bytes + (_WEIGHT_BYTES if with_weights else 0))


def dataset_folders(named: str | None) -> list[Path]:
    """Returns the folders of data sets: a named one, GRAPHRUN_DATASETS, and datasets/data of this source tree."""
    named_folders = [Path(text) for text in (named, os.environ.get("GRAPHRUN_DATASETS")) if text]
    tree = Path(__file__).resolve().parents[2] / "datasets" / "data"
    return [folder for folder in (*named_folders, tree) if folder.is_dir()]
