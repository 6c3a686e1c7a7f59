"""`graphbench report`: reads sweeps and writes what was asked for."""

import os
import sys
from pathlib import Path

from ..cells import read_sweeps
from ..errors import BenchError, require
from .document import sections
from .facts import bandwidths, named_system
from .text import as_csv, as_markdown

_PACKAGES = {"matplotlib": "python3-matplotlib", "jinja2": "python3-jinja2"}


def make_report(results: Path, wanted: dict[str, Path], baseline: str | None, given_bandwidths: dict[str, float]) -> list[Path]:
    """Returns the files that were written: "html", "csv", "markdown", and in the folder "png". Raises Unavailable when what draws
    them is not installed."""
    is_drawn = "html" in wanted or "png" in wanted
    if is_drawn:
        require("--html and --png need", _PACKAGES, " (--csv and --markdown do without)")
    found = []
    for sweep in read_sweeps(results):
        base = named_system(sweep, baseline, "--baseline") if baseline else sweep.baseline
        found.append((sweep, base, bandwidths(sweep, given_bandwidths)))
    files: dict[Path, bytes] = {}
    if "csv" in wanted:
        files[wanted["csv"]] = as_csv([(sweep, base) for sweep, base, _ in found]).encode()
    if "markdown" in wanted:
        files[wanted["markdown"]] = "".join(as_markdown(sweep, sections(sweep, *how)) for sweep, *how in found).encode()
    if is_drawn:
        from .figures import figures  # these need what was looked for above
        from .page import as_html

        drawn = [(sweep, how, *figures(sweep, *how)) for sweep, *how in found]
        for sweep, _, _, missing in drawn:
            for sentence in missing:
                print(f"graphbench: {sweep.config.name}: {sentence}", file=sys.stderr)
        if "html" in wanted:
            parts = [(sweep, sections(sweep, *how, shown), missing) for sweep, how, shown, missing in drawn]
            files[wanted["html"]] = as_html(parts).encode()
        for sweep, _, shown, _ in drawn if "png" in wanted else ():
            for figure in shown:
                name = f"{sweep.config.name}-{figure.name}".replace("/", "_").replace(" ", "_")
                files[wanted["png"] / f"{name}.png"] = figure.png()
    for path, content in files.items():
        _write(path, content)
    return list(files)


def _write(path: Path, content: bytes) -> None:
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


def _replace(target: Path, content: bytes) -> None:
    scratch = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
