"""`graphbench report`: reads sweeps and writes what was asked for."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ..cells import Sweep, read_sweep
from ..config_reader import read_config
from ..errors import BenchError, UsageError
from ..packages import require
from ..schema import suggestion
from ..store import find_sweeps
from . import view
from .markdown import as_markdown
from .tables import as_csv

_PACKAGES = {"matplotlib": "python3-matplotlib", "jinja2": "python3-jinja2"}


@dataclass(frozen=True)
class Wanted:
    """Files to write; None for those that are not wanted."""

    html: Path | None = None
    csv: Path | None = None
    markdown: Path | None = None
    png: Path | None = None


def make_report(results: Path, wanted: Wanted, baseline: str | None, given_bandwidths: dict[str, float]) -> list[Path]:
    """Returns the files that were written. Raises Unavailable when what draws them is not installed."""
    if wanted.html or wanted.png:
        require("--html and --png need", _PACKAGES, " (--csv and --markdown do without)")
    sweeps = [read_sweep(folder, read_config(folder.config_path)) for folder in find_sweeps(results)]
    found = []
    for sweep in sweeps:
        bandwidths = view.bandwidths(sweep, given_bandwidths)
        base = _baseline(sweep, baseline)
        found.append((sweep, base, view.tables(sweep, base, bandwidths), bandwidths))
    written: list[Path] = []
    for path, make in ((wanted.csv, as_csv), (wanted.markdown, as_markdown)):
        if path:
            written.append(_write(path, make([(sweep, made) for sweep, _, made, _ in found]).encode()))
    if wanted.html or wanted.png:
        written += _draw(found, wanted)
    return written


def _draw(found: list[tuple[Sweep, str | None, list[view.Table], dict[str, view.Bandwidth]]], wanted: Wanted) -> list[Path]:
    from .figures import figures  # these need what make_report() has looked for
    from .page import Material, as_html

    material = [Material(sweep, base, made, *figures(sweep, base, known), known) for sweep, base, made, known in found]
    for item in material:
        for sentence in item.not_drawn:
            print(f"graphbench: {item.sweep.config.name}: {sentence}", file=sys.stderr)
    written: list[Path] = []
    if wanted.html:
        written.append(_write(wanted.html, as_html(material).encode()))
    if wanted.png:
        for item in material:
            for figure in item.figures:
                name = f"{item.sweep.config.name}-{figure.name}".replace("/", "_").replace(" ", "_")
                written.append(_write(wanted.png / f"{name}.png", figure.png()))
    return written


def _baseline(sweep: Sweep, named: str | None) -> str | None:
    systems = [system.name for system in sweep.config.systems]
    if named is not None and named not in systems:
        raise UsageError(f"--baseline: {sweep.config.name} has no system '{named}'{suggestion(named, systems)}")
    return named or sweep.baseline


def _write(path: Path, content: bytes) -> Path:
    """Under its name the file is whole, or the one that was there before. A symbolic link stays one, what it leads to is
    replaced; what is no regular file (a pipe, a device) is written into."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            with open(os.open(path, os.O_WRONLY), "wb") as special:
                special.write(content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except FileExistsError as error:
        raise BenchError(f"{path} cannot be written: {path.parent} is not a folder") from error
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _replace(target: Path, content: bytes) -> None:
    scratch = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
