# SPDX-License-Identifier: Apache-2.0
"""The command line."""

import argparse
import math
import os
import re
import shlex
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Callable, NoReturn, Sequence

from .compare import compare, describe
from .config import read_config
from .errors import BenchError, UsageError
from .graphs import dataset_folders
from .paper.make import QUICK_S, make_paper
from .paper.table import FULL, QUICK, read_table
from .peers import is_right, measure_peers
from .profile import METRIC, profile_sweeps
from .programs import find_programs
from .records import DONE, UNAVAILABLE
from .report.make import make_report
from .schema import suggestion
from .store import SweepFolder
from .sweep import SweepOptions, describe_plan, run_sweep

_COMMANDS = ("run", "report", "compare", "profile", "paper", "peers")
_known = [*_COMMANDS]  # and the options of all of them


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one sentence, with the closest known word."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"(?:arguments: |choice: ')([^ '=]+)", message)
        meant = suggestion(wrong[1], _known) if wrong else ""
        raise UsageError(f"{message.split(' (choose', 1)[0]}{meant}: see graphbench --help")


def main(arguments: Sequence[str], beside: Path) -> int:
    """Runs a command line; `beside` is the folder of this program, which may have graphrun. Returns the exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.stdout.reconfigure(errors="backslashreplace")  # as standard error does: names may be in scripts that a terminal lacks
    if not arguments:
        _parser().print_usage(sys.stderr)
        return 2
    try:
        if arguments in (["--version"], ["-V"]):
            _print("graphbench " + find_programs(None, beside).version().removeprefix("graphrun "))
            return 0
        given = _parser().parse_args(_with_command(list(arguments)))
        return given.call(given, beside)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("error: interrupted; the same command goes on from here", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"error: {error.filename or 'the system'}: {error.strerror}", file=sys.stderr)
        return 1


def _print(text: str) -> None:
    """Prints a text. Raises BenchError when standard output fails, because the system's error names no file."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is written once more at the end
        raise BenchError(f"standard output cannot be written: {error.strerror}") from error


def _with_command(arguments: list[str]) -> list[str]:
    """Returns the arguments with the command: `graphbench CONFIG.json ...` is short for `graphbench run CONFIG.json ...`."""
    first = arguments[0] if arguments else "-"
    is_config = first not in _COMMANDS and not first.startswith("-") and (first.endswith(".json") or Path(first).exists())
    return ["run", *arguments] if is_config else arguments


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="graphbench",
        description="Sweeps of graphrun from a configuration, and reports of what came out (docs/sweeps.md).",
        epilog="--version prints the version; exit codes: 0 done, 1 a run failed or was wrong, or a regression, 2 usage, "
        "77 not available on this machine",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, call: Callable[[argparse.Namespace, Path], int], about: str) -> Callable[..., argparse.Action]:
        one = commands.add_parser(name, help=about)
        one.set_defaults(call=call)
        return one.add_argument

    def option(add: Callable[..., argparse.Action], name: str, metavar: str, about: str, **more: Any) -> None:
        """Adds an option with a value; without a metavar a flag."""
        more |= {"metavar": metavar} if metavar else {"action": "store_true"}
        _known.append(name)
        add(name, help=about, **more)

    def how_to_run(add: Callable[..., argparse.Action]) -> None:
        option(add, "--graphrun", "PROGRAM", "instead of the graphrun beside this program")
        option(add, "--datasets", "DIR", "where fetched data sets are (also: GRAPHRUN_DATASETS, datasets/data)")
        option(add, "--retry", "", "run again what did not end well")
        option(add, "--extend", "", "go on although the configuration, graphrun or the machine has changed")
        option(add, "--quiet", "", "no progress")

    add = command("run", _run, "run what a configuration describes; the word 'run' may be left out")
    add("config", type=Path, metavar="CONFIG.json")
    out = "results go to DIR/NAME, NAME being the configuration's (default: results)"
    option(add, "--out", "DIR", out, type=Path, default=Path("results"))
    settings = (
        "another value than the configuration has: graphs, algorithms, systems (names that are kept, with commas between; "
        "graphs also generators, such as kron:20:16, and .grf files), repeats, trials, verify, warm, time_limit_s, memory_limit, "
        "baseline, option.NAME; may be repeated"
    )
    option(add, "--set", "NAME=VALUE", settings, action="append", default=[])
    option(add, "--dry-run", "", "only say what would be run, in which order")
    how_to_run(add)

    add = command("report", _report, "a page, tables and figures of results")
    add("results", type=Path, metavar="DIR", help="what --out named, or one sweep's folder in it")
    option(add, "--html", "FILE", "one page with everything in it", type=Path)
    option(add, "--csv", "FILE", "a line for each graph, algorithm and system", type=Path)
    option(add, "--markdown", "FILE", "the tables", type=Path)
    option(add, "--png", "DIR", "the figures", type=Path)
    option(add, "--baseline", "SYSTEM", "what speed-ups are over, instead of what the configuration says")
    measured = "what a system's link or disk gives, where the sweep has not measured it"
    option(add, "--bandwidth", "SYSTEM=GB/s", measured, action="append", default=[])

    add = command("compare", _compare, "what became faster or slower; exit code 1 on a regression")
    add("before", type=Path, metavar="BEFORE", help="results, as for report")
    add("after", type=Path, metavar="AFTER")
    same = "what is not known to have changed by more than this counts as the same (default 0.1: 10 %%)"
    option(add, "--threshold", "SHARE", same, type=float, default=0.1)
    option(add, "--all", "", "list what stayed the same, too")

    add = command("profile", _profile, "what NVIDIA's profiler says of the bytes that --count-requests counted")
    add("results", type=Path, metavar="DIR", help="results, as for report; the next report shows both")
    option(add, "--ncu", "PROGRAM", "Nsight Compute (default: ncu of the PATH)", default="ncu")
    added = f"what is added up over all kernels that read edges, in sectors or bytes (default: {METRIC})"
    option(add, "--metric", "NAME", added, default=METRIC)

    add = command("paper", _paper, "every figure and table of the papers beside ours, on a page")
    table = "what the papers say and which runs give ours (default: configs/paper/figures.json)"
    add("table", type=Path, nargs="?", metavar="TABLE.json", default=Path("configs/paper/figures.json"), help=table)
    option(add, "--out", "DIR", "runs and the page go there (default: results/paper)", type=Path, default=Path("results/paper"))
    option(add, "--quick", "", f"what {QUICK_S // 60} minutes of a CPU can show")
    option(add, "--hours", "N", "begin no run later; the same command goes on (default: no limit)", type=float, default=None)
    how_to_run(add)

    add = command("peers", _peers, "other systems' programs in turn with graphrun; exit code 1 on a wrong answer")
    add("folder", type=Path, metavar="FOLDER", help="has the programs, built")
    table = "their commands, graphs and rounds (default: configs/peers.json)"
    add("table", type=Path, nargs="?", metavar="TABLE.json", default=Path("configs/peers.json"), help=table)
    option(add, "--out", "DIR", "peers.md and peers.json go there (default: results/peers)", type=Path, default=Path("results/peers"))
    option(add, "--graphrun", "PROGRAM", "instead of the graphrun beside this program")
    option(add, "--quiet", "", "no progress")
    return parser


def _run(given: argparse.Namespace, beside: Path) -> int:
    config = read_config(given.config, given.set)
    folder = SweepFolder(given.out / config.name)
    datasets = tuple(dataset_folders(given.datasets))
    if given.dry_run:
        _print(describe_plan(config, folder, datasets))
        find_programs(given.graphrun, beside).check(config)
        return 0
    if given.out.exists() and not given.out.is_dir():
        raise UsageError(f"--out: {given.out} is not a folder")
    options = SweepOptions(given.extend, given.retry, given.quiet, datasets)
    rows = run_sweep(config, folder, find_programs(given.graphrun, beside), options)
    counts = Counter(row["status"] for row in rows)
    if not given.quiet:
        _print(f"{folder.row_lines.path}: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
        _print(f"graphbench report {shlex.quote(str(given.out))} --html report.html   # makes a page of it")
    if set(counts) == {UNAVAILABLE}:
        print(f"error: nothing of this sweep is available here: {rows[0]['reason']}", file=sys.stderr)
        return 77
    return 0 if set(counts) <= {DONE, UNAVAILABLE} else 1


def _paper(given: argparse.Namespace, beside: Path) -> int:
    if given.hours is not None and not 0 < given.hours <= 24 * 365:
        raise UsageError("--hours must lie above 0, at most 8760")
    limit_s = given.hours * 3600 if given.hours is not None else QUICK_S if given.quick else math.inf
    options = SweepOptions(given.extend, given.retry, given.quiet, tuple(dataset_folders(given.datasets)))
    form = QUICK if given.quick else FULL
    made = make_paper(read_table(given.table), given.out, find_programs(given.graphrun, beside), form, limit_s, options)
    if not given.quiet:
        _print(f"{given.out / 'README.md'}: {made.done} of {made.total} runs done, {made.bad} went wrong, {made.left} had no time")
    if made.left:
        print("error: the time is over; the same command goes on from here", file=sys.stderr)
    if made.left == 0 and made.done == 0:
        print("error: nothing of the table is available here", file=sys.stderr)
        return 77
    return 1 if made.left or made.bad else 0


def _peers(given: argparse.Namespace, beside: Path) -> int:
    cells = measure_peers(given.table, given.folder, given.out, find_programs(given.graphrun, beside), given.quiet)
    _print((given.out / "peers.md").read_text(encoding="utf-8").rstrip())
    for cell in cells:
        if cell.reason:
            print(f"graphbench: {cell.program}, {cell.algorithm} on {cell.graph}: {cell.status}: {cell.reason}", file=sys.stderr)
    return 0 if is_right(cells) else 1


def _report(given: argparse.Namespace, _beside: Path) -> int:
    wanted = {name: path for name in ("html", "csv", "markdown", "png") if (path := getattr(given, name))}
    if not wanted:
        raise UsageError("nothing to write: give --html, --csv, --markdown or --png")
    if Path("-") in wanted.values():
        raise UsageError("a report goes to a file: '-' is none")
    files = [path.resolve() for name, path in wanted.items() if name != "png"]
    if len(set(files)) < len(files):
        raise UsageError("two of --html, --csv and --markdown name the same file")
    for path in make_report(given.results, wanted, given.baseline, dict(map(_bandwidth, given.bandwidth))):
        _print(str(path))
    return 0


def _bandwidth(text: str) -> tuple[str, float]:
    system, _, value = text.rpartition("=")
    try:
        gb_per_s = float(value)
    except ValueError:
        gb_per_s = 0.0
    if not system or not 0 < gb_per_s < float("inf"):
        raise UsageError(f"--bandwidth: '{text}' is not SYSTEM=GB/s, such as emogi=25.3")
    return system, gb_per_s


def _profile(given: argparse.Namespace, _beside: Path) -> int:
    for line in profile_sweeps(given.results, given.ncu, given.metric):
        _print(line)
    return 0


def _compare(given: argparse.Namespace, _beside: Path) -> int:
    if not 0 <= given.threshold < 100:
        raise UsageError("--threshold must lie from 0 to 100: 0.1 stands for 10 %")
    found = compare(given.before, given.after, given.threshold)
    _print(describe(found, given.all))
    return int(found.has_regression)
