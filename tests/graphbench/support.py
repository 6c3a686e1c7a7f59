# SPDX-License-Identifier: Apache-2.0
"""What the tests of graphbench share: a stand-in for graphrun that answers at once, and configurations for it."""

import importlib.util
import json
import multiprocessing
import os
import stat
import subprocess
import sys
import tempfile
import textwrap
import traceback
import unittest
import warnings
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "apps"))
sys.dont_write_bytecode = True

if importlib.util.find_spec("jsonschema") is None:
    print("python3-jsonschema is not installed")
    sys.exit(77)

from graphbench.cli import main  # noqa: E402

# Its backend says how it ends. Times come from TIMES, a JSON object of backend -> ms, and are shaken a little.
_STAND_IN = """
import json, os, random, signal, sys, time
given = sys.argv[1:]
if given == ["--version"]:
    print("stand-in " + os.environ.get("STAND_IN_VERSION", "1")); sys.exit(0)
if given == ["--describe"]:
    kinds = {"ids": "text", "graph": "text", "algo": "text", "cache": "size", "page": "size", "device": "text", "source": "text", "sources": "whole",
             "delta": "real", "variant": "text", "access": "text", "count-requests": "flag"}
    forms = ["kron:SCALE[:EDGEFACTOR[:SEED]]", "grid:WIDTH:HEIGHT"]
    variants = {"bfs": ["direction-optimizing", "push"], "sssp": ["delta-stepping"], "cc": ["afforest", "hooking"],
                "pagerank": ["extrapolated", "pull", "push", "synchronous"], "bc": ["direction-optimizing", "push"]}
    reads = {"sources": {"read_by": {"algorithms": ["bfs", "sssp", "pagerank", "bc"]}}}
    print(json.dumps({"options": [{"name": name, "kind": kind, **reads.get(name, {})} for name, kind in kinds.items()],
                      "algorithms": [{"name": name, "variants": some, "starts_from_source": name in ("bfs", "sssp", "bc")}
                                     for name, some in variants.items()],
                      "gather_options": [{"name": name, "kind": "text"} for name in ("row-bytes", "hot-share", "fanouts")],
                      "generators": [{"form": form} for form in forms]}))
    sys.exit(0)
given += ["--algo", "gather"] * ("gather" in given)
value = lambda name: given[given.index(name) + 1]
backend = value("--backend")
def leave_pid():  # the file is whole as soon as it is there
    if "PID_FILE" in os.environ:
        open(os.environ["PID_FILE"] + ".new", "w").write(str(os.getpid()))
        os.replace(os.environ["PID_FILE"] + ".new", os.environ["PID_FILE"])
leave_pid()
time.sleep(float(os.environ.get("STAND_IN_SECONDS", "0")))
def end(code, sentence):
    print(sentence, file=sys.stderr); sys.exit(code)
if backend == "hang":
    if os.fork() == 0:
        leave_pid()
    time.sleep(600)
if backend == "crash": os.kill(os.getpid(), signal.SIGSEGV)
if backend == "refused": end(2, "error: there is no backend 'refused'")
if backend == "absent": end(77, "error: no GPU here")
if backend == "fails": end(1, "warning: something\\nerror: the disk is full")
if backend == "memory": end(1, "error: not enough memory")
if backend == "garbled": print("{not json"); sys.exit(0)
times = json.loads(os.environ.get("TIMES", "{}"))
trials = []
for i in range(int(value("--trials"))):
    shake = random.Random(f"{os.environ.get('SEED', '')} {given} {os.getpid()} {i}").uniform(0.95, 1.05)
    ms = times.get(backend, 10.0) * shake
    trials.append({"trial": i + 1, "source": 0, "time_ms": ms, "iterations": 3, "edges_examined": 1000, "input_edges": 500,
                   "gteps": 0.5e-6 / (ms / 1e3), "bytes_moved": 8000, "requests": 2, "moved_counted_by": "stand-in",
                   "amplification": 2.0, "verdict": "wrong" if backend == "wrong" else "not converged" if backend == "limited" else
                   "verified" if "--verify" in given else "unverified", "emulated": backend == "emulated"})
    if "--count-requests" in given:
        small, large = {"naive": (4000, 0), "merged": (600, 400), "aligned": (200, 500)}[value("--access")]
        trials[-1]["link_requests"] = {"32": small, "64": 0, "96": small // 4, "128": large, "aligned": large + small // 2,
                                       "misaligned": small - small // 2 + small // 4}
    if backend == "wrong": trials[-1]["reason"] = "vertex 3 has level 2 and should have 1"
ordered = sorted(t["time_ms"] for t in trials)
scale, factor = (int(part) for part in value("--graph").split(":")[1:])
cap = value("--cache") if "--cache" in given else None
print(json.dumps({
    "program": {"name": "graphrun", "version": "0", "commit": None, "compiler": "none", "build_type": "Release",
                "optimised": True, "sanitizers": "", "vertex_bits": 32},
    "machine": {"cpu": "stand-in", "cores": 1, "memory_bytes": 1, "kernel": "k", "gpu": None},
    "options": {"cache_bytes": 1024 if cap else None, "warm": "--warm" in given,
                "verify": "properties" if "--verify" in given else None},
    "graph": {"name": value("--graph"), "n": 2**scale, "m": factor * 2**scale, "symmetric": True},
    "algorithm": value("--algo"), "variant": "v", "backend": backend, "device": "cpu", "description": "stand-in",
    "fast_tier_bytes": 1024 if cap and backend == "bam" else 0, "emulated": backend == "emulated",
    "instrumented": "--count-requests" in given, "chosen": {"converged": False} if backend == "limited" else {},
    "phases_ms": {"read": 1.0, "build": 2.0, "prepare": 0.5, "place": 0.25, "verify": 1.0},
    "trials": trials, "summary": {"median_ms": ordered[len(ordered) // 2], "min_ms": ordered[0], "max_ms": ordered[-1],
                                  "harmonic_mean_gteps": 0.5},
    "verdict": trials[0]["verdict"], "result": {"source": 0, "reached": 99, "checksum": "5" if backend == "differs" else "4"}}))
sys.exit(1 if backend == "wrong" else 0)
"""

_LAUNCHER = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, {apps!r})
from pathlib import Path
from graphbench.cli import main
sys.exit(main(sys.argv[1:], Path({folder!r})))
"""


def _run_graphbench(arguments: list[str], folder: Path, out: int, err: int, environment: dict[str, str]) -> None:
    """Ends this process with graphbench's exit code."""
    os.dup2(out, 1)
    os.dup2(err, 2)
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1, errors="backslashreplace")
    os.environ.update(environment)
    warnings.simplefilter("ignore")  # as outside tests
    try:
        code = main(arguments, folder)
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


class BenchTest(unittest.TestCase):
    """A folder of its own with a stand-in for graphrun and a launcher of graphbench beside it."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory(prefix="graphbench-test-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self._program("graphrun", textwrap.dedent(_STAND_IN))
        self._program("graphbench", _LAUNCHER.format(apps=str(TREE / "apps"), folder=str(self.folder)))
        self.out = self.folder / "results"

    def _program(self, name: str, text: str) -> None:
        path = self.folder / name
        path.write_text(
            f"#!{sys.executable} -S\n{text}" if name == "graphrun" else f"#!{sys.executable}\n{text}", encoding="utf-8"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def config(self, **changes: Any) -> Path:
        raw = {
            "name": "test",
            "graphs": ["kron:4:4"],
            "algorithms": ["bfs"],
            "systems": ["incore"],
            "repeats": 2,
            "time_limit_s": 30,
        }
        path = self.folder / "config.json"
        path.write_text(json.dumps(raw | changes), encoding="utf-8")
        return path

    def command(self, *arguments: Any) -> list[str]:
        return [str(self.folder / "graphbench"), *map(str, arguments)]

    def bench(self, *arguments: Any, **environment: str) -> subprocess.CompletedProcess[str]:
        """What command() does, in a copy of this process: it need not read graphbench and what draws its figures again."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = multiprocessing.get_context("fork").Process(
                target=_run_graphbench, args=([*map(str, arguments)], self.folder, out.fileno(), err.fileno(), environment)
            )
            child.start()
            child.join(120)
            if child.exitcode is None:
                child.kill()
                raise subprocess.TimeoutExpired(self.command(*arguments), 120)
            out.seek(0), err.seek(0)
            return subprocess.CompletedProcess(self.command(*arguments), child.exitcode, out.read(), err.read())

    def sweep(self, out: Path | None = None, **changes: Any) -> subprocess.CompletedProcess[str]:
        environment = changes.pop("environment", {})
        return self.bench("run", self.config(**changes), "--out", out or self.out, **environment)

    def rows(self, out: Path | None = None) -> list[dict[str, Any]]:
        text = ((out or self.out) / "test" / "rows.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]


def is_config(path: Path) -> bool:
    """Returns whether a file of configs/ is a configuration, not a base of others, or a table of figures or of peers."""
    return path.parent.name != "base" and path.name not in ("figures.json", "peers.json")


def wait_until_dead(pid: int, seconds: float = 10) -> bool:
    """Whether a process whose parent may be gone ends in time."""
    import time

    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
