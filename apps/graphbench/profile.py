# SPDX-License-Identifier: Apache-2.0
"""Compares a profiler's bytes with those that rows have counted (--count-requests).

For each combination that counted requests, one row's command is run again under Nsight Compute, without counting: the kernels that
others time are looked at, and not those that count. What the profiler adds up goes to profiles.jsonl under the row's id.
"""

import csv
import io
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Iterator

from .environment import now
from .cells import CellResult, read_sweep
from .config import read_config
from .errors import BenchError, Unavailable, UsageError
from .process import run_process
from .options import format_bytes
from .store import SweepFolder, find_sweeps

# Sectors that loads wanted of host memory and that missed the second-level cache.
METRIC = "lts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss.sum"
# Kernels of the operators, which alone read edges; excludes the measurement of the link at placement.
_KERNELS = "regex:^(push|pull|pull_rest|all|leading|reduce|relax)_kernel"
_BYTES_IN = {"sector": 32, "byte": 1}
_VERSION_LIMIT_S = 60


def profile_sweeps(results: Path, ncu: str, metric: str) -> Iterator[str]:
    """Yields a line for each finished combination. Raises Unavailable without a profiler, or without its permissions."""
    program = shutil.which(ncu)
    if program is None:
        raise Unavailable(f"there is no {ncu} here: install Nsight Compute, or name it with --ncu")
    done = 0
    for folder in find_sweeps(results):
        folder.lock()
        config = read_config(folder.config_path)
        sweep = read_sweep(folder, config)
        for cell in sweep.cells.values():
            looked_at = any(sweep.profiles.get(row["row"], {}).get("metric") == metric for row in cell.good)
            if looked_at or not cell.values("link-requests"):
                continue
            yield _profile(cell, folder, program, metric, config.time_limit_s)
            done += 1
    if done == 0:
        raise UsageError(f"nothing in {results} is left to profile: no runs with --count-requests, or all have been looked at")


def _profile(cell: CellResult, folder: SweepFolder, ncu: str, metric: str, time_limit_s: float) -> str:
    row = cell.good[0]
    command = [word for word in row["command"] if word != "--count-requests"]
    with tempfile.TemporaryDirectory(prefix="graphbench-ncu-") as scratch:
        log = Path(scratch) / "ncu.csv"
        started = now()
        how = ["--csv", "--print-units", "base", "--metrics", metric, "--kernel-name", _KERNELS, "--log-file", str(log)]
        finished = run_process([ncu, *how, *command], time_limit_s)
        said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        if finished.timed_out:
            raise BenchError(f"{cell.cell}: the profiler was killed at the sweep's limit of {time_limit_s:g} s")
        lines = (said + finished.output + finished.errors).splitlines()
        if any("ERR_NVGPUCTRPERM" in line for line in lines):
            why = "its driver allows that to root only"
            raise Unavailable(f"the profiler may not read the counters of this GPU (ERR_NVGPUCTRPERM): {why}")
        if finished.exit_code != 0:
            error = next(
                (line.strip() for line in lines if "==ERROR==" in line or line.startswith("error:")), "it says nothing"
            )
            raise BenchError(f"{cell.cell}: the profiler ended with {finished.exit_code}: {error}")
        seen = read_metric(said, metric)
    lines = run_process([ncu, "--version"], _VERSION_LIMIT_S).output.splitlines()
    version = next((line for line in lines if line.startswith("Version")), "version unknown")
    profiler = {"profiler": f"Nsight Compute, {version}", "command": command, "started": started}
    profile = {"row": row["row"], **seen, **profiler}
    folder.profiles.append(profile)
    return f"{cell.cell}: {format_bytes(seen['bytes'])} in {seen['kernels']} kernels (row {row['row']})"


def read_metric(text: str, metric: str) -> dict[str, Any]:
    """Returns the sum over all kernels of a table of `ncu --csv --print-units base`, which follows other output."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    kernels, total_bytes = 0, 0
    for line in csv.DictReader(io.StringIO("\n".join(lines))):
        if line.get("Metric Name") != metric:
            continue
        unit, value = line.get("Metric Unit", ""), line.get("Metric Value", "")
        if unit not in _BYTES_IN:
            raise BenchError(f"{metric} is in '{unit}', and not in sectors or bytes: choose another --metric")
        if not re.fullmatch(r"[\d,]+(\.\d*)?(e[+-]?\d+)?", value, re.IGNORECASE):
            raise BenchError(f"{metric} is '{value}' for a kernel: this GPU does not have it; choose another --metric")
        total_bytes += round(float(value.replace(",", ""))) * _BYTES_IN[unit]
        kernels += 1
    if kernels == 0:
        raise BenchError(f"the profiler has not measured {metric} in any kernel: does this GPU have it?")
    return {"bytes": total_bytes, "metric": metric, "kernels": kernels}
