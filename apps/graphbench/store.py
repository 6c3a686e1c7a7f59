# SPDX-License-Identifier: Apache-2.0
"""The folder of a sweep. Rows are lines that are on the disk before the next run begins: a kill loses the running row alone.

    config.json     the configuration as it was given
    sessions.jsonl  a line for each start: when, on which machine, with which graphrun
    rows.jsonl      a line for each run
    profiles.jsonl  a line for each row whose command a profiler has looked at
    graphs/         containers that runs read
    lock            held while a sweep runs
"""

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import Any, Callable, Iterator, TextIO

from .errors import BenchError, UsageError
from .records import SESSION, misfit_of_row
from .schema import misfit
from .schema import NotJson, parse_json


class JsonLines:
    """An append-only file of one JSON object a line. Ignores a last line that a kill or a crash of the machine tore; reports
    other text that is not JSON as damage."""

    def __init__(self, path: Path):
        self.path = path

    def read(self) -> list[dict[str, Any]]:
        return self._read()[0]

    def append(self, value: dict[str, Any]) -> None:
        """Appends a line, and returns when it is on the disk. Raises ValueError for one that could not be read again."""
        line = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n"
        parse_json(line.decode())
        with _writing(self.path, ". Its last line is lost; the same command goes on from there"):
            is_new = not self.path.exists()
            _write(self.path, "ab", line)
            if is_new:
                _sync_folder(self.path.parent)

    def torn_bytes(self) -> int:
        """Returns the bytes of a torn last line."""
        return self.path.stat().st_size - self._read()[1] if self.path.exists() else 0

    def drop_torn_line(self) -> int:
        """Cuts a torn last line off; returns its bytes."""
        torn = self.torn_bytes()
        if torn:
            with _writing(self.path), open(self.path, "r+b") as file:
                file.truncate(self.path.stat().st_size - torn)
                os.fsync(file.fileno())
        return torn

    def _read(self) -> tuple[list[dict[str, Any]], int]:
        """Returns the objects, and the end of the last whole line."""
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else [b""]
        values: list[dict[str, Any]] = []
        for i, line in enumerate(lines[:-1]):  # the last is whole only with its newline: the next append would continue it
            try:
                value = parse_json(line.decode())
                if not isinstance(value, dict):
                    raise NotJson("it is something else")
            except ValueError as error:
                if not any(rest.strip(b"\0\r\n") for rest in lines[i + 1 :]):
                    break
                why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error
                raise BenchError(
                    f"{self.path} is damaged: line {i + 1} is no JSON object ({why}), and whole lines follow it: "
                    "remove that line to go on without it"
                ) from error
            values.append(value)
        return values, sum(len(line) + 1 for line in lines[: len(values)])


class SweepFolder:
    """Reads and extends one sweep's results."""

    def __init__(self, path: Path):
        self.path = path
        self.row_lines = JsonLines(path / "rows.jsonl")
        self.session_lines = JsonLines(path / "sessions.jsonl")
        self.profiles = JsonLines(path / "profiles.jsonl")
        self.config_path = path / "config.json"
        self.graphs = path / "graphs"
        self._lock: TextIO | None = None

    def exists(self) -> bool:
        return self.config_path.exists()

    def read_rows(self) -> list[dict[str, Any]]:
        """Returns the rows. Raises BenchError for rows in another format."""
        return _checked(self.row_lines, misfit_of_row)

    def read_sessions(self) -> list[dict[str, Any]]:
        """Returns the sessions. Raises BenchError, as read_rows() does."""
        return _checked(self.session_lines, lambda session, where: misfit(session, SESSION, where))

    def lock(self) -> None:
        """Locks the folder until the process ends. Raises UsageError when another process has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.path / "lock", "w", encoding="ascii")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(f"another graphbench writes to {self.path}: wait for it, or take another --out") from error

    def write_config(self, raw: dict[str, Any]) -> None:
        with _writing(self.config_path):
            scratch = self.config_path.with_suffix(".tmp")
            _write(scratch, "wb", (json.dumps(raw, indent=2, ensure_ascii=False) + "\n").encode())
            scratch.replace(self.config_path)
            _sync_folder(self.path)


@contextlib.contextmanager
def _writing(path: Path, more: str = "") -> Iterator[None]:
    """Adds the file's name to the system's errors of writing."""
    try:
        yield
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}{more}") from error


def _checked(lines: JsonLines, misfit_of: Callable[[dict[str, Any], str], str | None]) -> list[dict[str, Any]]:
    values = lines.read()
    for i, value in enumerate(values):
        if (found := misfit_of(value, f"{lines.path}, line {i + 1}")) is not None:
            raise BenchError(f"{found}: another version of graphbench wrote it, or it was changed since")
    return values


def latest_rows(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Returns the last row of each run, by its key: the last repetition counts."""
    return {row["key"]: row for row in rows}


def find_sweeps(path: Path) -> Iterator[SweepFolder]:
    """Yields the sweep in a folder, or those in its folders, sorted by name. Raises UsageError when there is none."""
    if not path.is_dir():
        raise UsageError(f"there is no folder {path}")
    found = [folder for folder in map(SweepFolder, (path, *sorted(path.iterdir()))) if folder.exists()]
    if not found:
        raise UsageError(f"{path} holds no results of a sweep: no config.json in it or in a folder of it")
    return iter(found)


def _write(path: Path, mode: str, content: bytes) -> None:
    """Writes, and returns when the disk has it."""
    with open(path, mode) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
