"""The command line."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Any, Sequence

from .config import read_config
from .errors import BenchError, UsageError
from .graphs import dataset_folders
from .outcome import DONE, UNAVAILABLE
from .programs import find_programs
from .store import SweepFolder
from .sweep import SweepOptions, describe_plan, run_sweep

_COMMANDS = ("run", "report", "compare")


def main(arguments: Sequence[str], beside: Path) -> int:
    """Runs a command line; `beside` is the folder of this program, where graphrun is looked for. Returns the exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
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


def _interrupt(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _with_command(arguments: list[str]) -> list[str]:
    """`graphbench CONFIG.json ...` is short for `graphbench run CONFIG.json ...`."""
    if arguments and not arguments[0].startswith("-") and arguments[0] not in _COMMANDS and arguments[0].endswith(".json"):
        return ["run", *arguments]
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="graphbench", description="Sweeps of graphrun from a configuration, and reports of what came out (docs/sweeps.md).",
        epilog="exit codes: 0 done, 1 a run failed or was wrong, or a regression, 2 usage, 77 not available on this machine")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run what a configuration describes; the word 'run' may be left out")
    run.add_argument("config", type=Path, metavar="CONFIG.json")
    run.add_argument("--out", type=Path, default=Path("results"), metavar="DIR",
                     help="results go to DIR/NAME, NAME being the configuration's (default: results)")
    run.add_argument("--graphrun", metavar="PROGRAM", help="instead of the graphrun beside this program")
    run.add_argument("--datasets", metavar="DIR", help="where fetched data sets are (also: GRAPHRUN_DATASETS, datasets/data)")
    run.add_argument("--retry", action="store_true", help="run again what did not end well")
    run.add_argument("--extend", action="store_true", help="go on although the configuration or graphrun has changed")
    run.add_argument("--dry-run", action="store_true", help="only say what would be run, in which order")
    run.add_argument("--quiet", action="store_true", help="no progress")
    run.set_defaults(call=_run)
    return parser


def _run(given: argparse.Namespace, beside: Path) -> int:
    config = read_config(given.config)
    if given.dry_run:
        print(describe_plan(config))
        return 0
    folder = SweepFolder(given.out / config.name)
    if given.out.exists() and not given.out.is_dir():
        raise UsageError(f"--out: {given.out} is not a folder")
    options = SweepOptions(given.extend, given.retry, given.quiet, tuple(dataset_folders(given.datasets)))
    rows = run_sweep(config, folder, find_programs(given.graphrun, beside), options)
    return _conclude(rows, folder, given.quiet)


def _conclude(rows: list[dict[str, Any]], folder: SweepFolder, quiet: bool) -> int:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["status"]] = counts.get(row["status"], 0) + 1
    if not quiet:
        print(f"{folder.rows.path}: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    if set(counts) == {UNAVAILABLE}:
        print(f"error: nothing of this sweep is available here: {rows[0]['reason']}", file=sys.stderr)
        return 77
    return 0 if set(counts) <= {DONE, UNAVAILABLE} else 1
