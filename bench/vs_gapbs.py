#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times BFS, CC and PageRank on the CPU beside the GAP Benchmark Suite (github.com/sbeamer/gapbs), on the same files and sources.

usage: bench/vs_gapbs.py [--graphs LIST] [--rounds N] [--threads N] [--programs FOLDER] [--dir FOLDER] GAPBS
  GAPBS       a folder in which `make` made bfs, cc and pr
  --graphs    default: kron:20:16,urand:20:16,web:20:16,grid:1024:1024
  --rounds    in which the programs take turns (default 3)
  --threads   default 2
  --programs  where graphrun and graphconv are (default build)
  --dir       where the graphs are made, in a folder that is deleted (default: the system's)

Prints medians of the rounds in ms, ours / GAP's (GAP's over ours). Graphs have no self loops and no parallel edges. A search runs
once from each of 16 sources; GAP's runs three times, of which the first is left out and the better one of the rest taken. CC is
the best of four, PageRank of four after the first, to a sum of changes of 1e-4. GAP allocates memory within its clock, graphrun
before.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

_SEEDS = ("random:1", "random:2")  # each draws 8 sources


def output_of(command: list[str], threads: int) -> str:
    done = subprocess.run(command, env=os.environ | {"OMP_NUM_THREADS": str(threads)}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def gap_ms(gapbs: Path, words: list[str], threads: int) -> list[float]:
    """Returns the times of the trials of a program of GAP."""
    found = re.findall(r"^Trial Time:\s*([\d.]+)", output_of([str(gapbs / words[0]), *words[1:]], threads), re.MULTILINE)
    if not found:
        sys.exit(f"{gapbs / words[0]} printed no times of trials")
    return [1000 * float(seconds) for seconds in found]


def our_trials(programs: Path, graph: Path, words: list[str], threads: int) -> list[dict]:
    command = [str(programs / "graphrun"), str(graph), "--backend", "incore", "--device", "cpu", "--threads", str(threads), "--trust-file"]
    return json.loads(output_of([*command, *words, "--json", "--quiet"], threads))["trials"]


def measure(graph: Path, asked: argparse.Namespace) -> dict[str, tuple[float, float]]:
    """Returns medians of the rounds, ours and GAP's, of each algorithm."""
    ours: dict[str, list[float]] = {}
    gap: dict[str, list[float]] = {}
    searches: dict[int, tuple[list[float], list[float]]] = {}
    file = ["-f", str(graph)]
    for _ in range(asked.rounds):
        words = ["--algo", "bfs", "--sources", "8", "--source"]
        for trial in [t for seed in _SEEDS for t in our_trials(asked.programs, graph, [*words, seed], asked.threads)]:
            times = gap_ms(asked.gapbs, ["bfs", *file, "-r", str(trial["source"]), "-n", "3"], asked.threads)
            both = searches.setdefault(trial["source"], ([], []))
            both[0].append(trial["time_ms"])
            both[1].append(min(times[1:]))
        for name, words in {"cc": ["cc", *file, "-n", "4"], "pagerank": ["pr", *file, "-i", "1000", "-t", "1e-4", "-n", "5"]}.items():
            trials = our_trials(asked.programs, graph, ["--algo", name, "--trials", "4"], asked.threads)
            ours.setdefault(name, []).append(min(t["time_ms"] for t in trials))
            gap.setdefault(name, []).append(min(gap_ms(asked.gapbs, words, asked.threads)[-4:]))
    of_bfs = [statistics.mean(statistics.median(times[i]) for times in searches.values()) for i in (0, 1)]
    return {"bfs": (of_bfs[0], of_bfs[1]), **{name: (statistics.median(ours[name]), statistics.median(gap[name])) for name in ours}}


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0], add_help=False)
    parser.add_argument("gapbs", type=Path, nargs="?")
    parser.add_argument("--graphs", default="kron:20:16,urand:20:16,web:20:16,grid:1024:1024")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--programs", type=Path, default=Path("build"))
    parser.add_argument("--dir")
    parser.add_argument("-h", "--help", action="store_true")
    asked = parser.parse_args()
    if asked.help or asked.gapbs is None:
        print(__doc__, file=sys.stdout if asked.help else sys.stderr)
        return 0 if asked.help else 2
    with tempfile.TemporaryDirectory(dir=asked.dir) as folder:
        for name in asked.graphs.split(","):
            graph = Path(folder) / "graph.sg"
            output_of([str(asked.programs / "graphconv"), name, str(graph), "--drop-self-loops", "--drop-duplicates", "--quiet"], asked.threads)
            for algorithm, (ours, gap) in measure(graph, asked).items():
                print(f"{name:16} {algorithm:9} {ours:8.2f} / {gap:8.2f} ({gap / ours:.2f})", flush=True)
            graph.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
