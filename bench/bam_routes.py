#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times bam by each --route, beside reading in place (emogi), over a file of which the page cache holds nothing, all, or
random halves. The ways take turns, and another one begins each round; each run is a process of its own that finds the page cache as
it was prepared.

usage: bench/bam_routes.py GRAPH.grf [--algos LIST] [--rounds N] [--states LIST] [--cache SHARE] [--iterations N] [--threads N]
                           [--device cpu|cuda] [--beside FILE] [--json FILE]
  GRAPH.grf     a container, with weights where sssp is to run
  --algos       default: bfs,pagerank
  --states      cold, warm, half:SIZE (stretches of so many KiB, each cached or not by a draw); default: cold,warm,half:1024,half:64
  --cache       what bam may keep, as a share of the edges (default 8: an eighth)
  --iterations  of pagerank (default 5)
  --threads     of a run (default: all processors)
  --device      what runs the algorithm (default: cpu); on a GPU emogi copies the file to pinned memory before the clock starts
  --beside      another process reads this file through the page cache again and again; each row is followed by one that says what
                share of its rate alone it had beside each way. Where memory is short, a way that fills the page cache slows it.
environment: GRAPHRUN (default: build/graphrun)
"""
import argparse
import functools
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import time

WAYS = {"direct": ["bam", "--route", "direct"], "page-cache": ["bam", "--route", "page-cache"], "auto": ["bam", "--route", "auto"],
        "emogi": ["emogi"]}


def prepare(path, state, seed):
    """Makes the page cache hold what `state` says of the file; returns the share that it was told to hold."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        size = os.fstat(descriptor).st_size
        if state == "cold":
            return 0
        if state != "warm":  # the kernel reads ahead and takes large pages where a file is read in order, as most programs do
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        stretch = 1 << 20 if state == "warm" else int(state.split(":")[1]) << 10
        draw = random.Random(seed)
        held = 0
        for begin in range(0, size, stretch):
            if state == "warm" or draw.random() < 0.5:
                os.pread(descriptor, stretch, begin)
                held += stretch
        return min(1.0, held / size)
    finally:
        os.close(descriptor)


class Beside:
    """A process that reads a file from its beginning to its end, and again, until the program ends."""

    def __init__(self, path):
        if os.path.getsize(path) == 0:
            sys.exit(f"--beside {path}: the file is empty")
        self._read = multiprocessing.Value("Q", 0)
        self._process = multiprocessing.Process(target=self._run, args=(path, self._read), daemon=True)
        self._process.start()
        while self._read.value < os.path.getsize(path):  # its first pass fills the page cache
            if not self._process.is_alive():
                sys.exit(f"--beside {path}: the file cannot be read")
            time.sleep(0.1)

    @staticmethod
    def _run(path, read):
        buffer = bytearray(1 << 20)
        with open(path, "rb", buffering=0) as file:
            while True:
                count = file.readinto(buffer)
                read.value += count
                if count == 0:
                    file.seek(0)

    def rate(self, seconds):
        """Bytes a second, alone."""
        return self.rate_during(lambda: time.sleep(seconds))[0]

    def rate_during(self, work):
        before, began = self._read.value, time.monotonic()
        result = work()
        return (self._read.value - before) / (time.monotonic() - began), result


def run(program, graph, algorithm, way, options, cache):
    command = [program, graph, "--trust-file", "--warm", "--device", options.device, "--algo", algorithm, "--quiet", "--json", "-", "--backend",
               *WAYS[way]]
    if way != "emogi":
        command += ["--cache", str(cache)]
    if options.threads:
        command += ["--threads", str(options.threads)]
    if algorithm == "pagerank":
        command += ["--variant", "pull", "--max-iterations", str(options.iterations)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)["trials"][0]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("graph")
    parser.add_argument("--algos", default="bfs,pagerank")
    parser.add_argument("--states", default="cold,warm,half:1024,half:64")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cache", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--beside")
    parser.add_argument("--json")
    options = parser.parse_args()
    program = os.environ.get("GRAPHRUN", "build/graphrun")
    records = []
    beside = Beside(options.beside) if options.beside else None
    print(f"{'algorithm':<10}{'cached':<11}" + "".join(f"{way + ' ms':>15}" for way in WAYS) + f"{'direct/auto':>13}{'auto/emogi':>12}")
    for algorithm in options.algos.split(","):
        prepare(options.graph, "warm", 0)
        edges = json.loads(subprocess.run([program, options.graph, "--trust-file", "--algo", "bfs", "--backend", "emogi", "--device", "cpu",
                                           "--quiet", "--json", "-"], capture_output=True, text=True, check=True).stdout)["graph"]["m"]
        cache = edges * (8 if algorithm == "sssp" else 4) // options.cache
        for state in options.states.split(","):
            times = {way: [] for way in WAYS}
            kept = {way: [] for way in WAYS}
            for turn in range(options.rounds):
                for way in (list(WAYS) * 2)[turn % len(WAYS):][:len(WAYS)]:
                    share = prepare(options.graph, state, turn)
                    work = functools.partial(run, program, options.graph, algorithm, way, options, cache)
                    if beside:
                        alone = beside.rate(1)
                        rate, trial = beside.rate_during(work)
                        kept[way].append(rate / alone)
                    else:
                        trial = work()
                    times[way].append(trial["time_ms"])
                    records.append({"algorithm": algorithm, "state": state, "cached": share, "way": way, "time_ms": trial["time_ms"],
                                    "bytes_moved": trial["bytes_moved"], "routed": trial["routed"],
                                    "beside": kept[way][-1] if beside else None})
            middle = {way: statistics.median(each) for way, each in times.items()}
            print(f"{algorithm:<10}{state:<11}" + "".join(f"{middle[way]:>15.1f}" for way in WAYS) +
                  f"{middle['direct'] / middle['auto']:>13.2f}{middle['auto'] / middle['emogi']:>12.2f}", flush=True)
            if beside:
                print(f"{'':<10}{'beside':<11}" + "".join(f"{statistics.median(each):>15.2f}" for each in kept.values()), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=1)


main()
