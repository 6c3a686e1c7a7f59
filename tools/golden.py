#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what two builds answer: records the results of 420 command lines of one, and runs these with the other.

usage: tools/golden.py record BUILD FOLDER     writes inputs, command lines and results to FOLDER
       tools/golden.py compare BUILD FOLDER    runs the recorded command lines and prints what differs
BUILD is a folder with graphrun and graphconv. Compares exit codes, logs without their numbers, tables, JSON, --output files
and converted graphs, but no times, speeds, program and machine. exit: 0 nothing differs, 1 something does, 2 usage
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GENERATORS = ["kron:10", "urand:10", "web:10", "grid:32:32"]
INPUTS = [
    *("kron:10 kron.grf --weights random --sort hubs-first", "kron:10 packed.grf --weights random --sort hubs-first --pack"),
    *("web:10 web.grf --weights random", "web:10 webpack.grf --weights random --pack", "grid:32:32 mesh.grf --weights random"),
    *("web:10 prefix.grf --weights random --sort weight", "kron:10 renamed.grf --relabel degree --balanced 64"),
    *("web:10 forward.grf --no-transpose", "web:8 a.gr --to galois --weights random:5:1:99", "web:8 a.csr --to gunrock"),
    *(f"web:8 a.{suffix} --weights random:5:1:99" for suffix in "mtx el wel bel sg wsg bcsr bwcsr".split()),
]
LINES = [
    ("kron:10 --algo bfs", "--source index:5|--source random:7 --sources 3|--batch --source random:7 --sources 70|--path-to 17|"
    "--path-to 17 --strict|--top 5|--trials 3|--layout csr|--chunk 32|--ids 64|--parents|--verify serial|--undirected"),
    ("web.grf --algo sssp", "--delta 8|--weights unit|--weights random:3:1:9|--weights truth|--path-to 9|--source index:4 --top 4|"
    "--float-weights --distances f32|--float-weights|--variant prefix --verify serial|--variant bellman-ford --ranks 2"),
    ("web.grf --algo pagerank", "--tolerance 1e-9|--stop largest|--certify|--damping 0.5|--max-iterations 2|--source 3,9|--top 7|"
    "--max-iterations 2 --strict|--source random:3 --sources 4|--variant push --certify|--variant pull --ranks 2 --stop largest"),
    ("kron:10 --algo bc", "--definition exact|--definition normalized|--source 3,17|--sources 8 --top 3|--variant push --ranks 2"),
    ("kron:10 --algo", "cc --top 3|cc --verify serial|tc --verify serial|cc --variant hooking --ranks 2"),
    ("web.grf --algo bfs --backend", "bam --page 512 --cache 16KiB|bam --hot prefix --cache 32KiB|bam --hot none --cache 32KiB|"
    "bam --warm --trials 2|bam --preload|bam --queues 2 --queue-depth 4|bam --storage ram:unlimited|bam --route page-cache|"
    "bam --route auto|gpuvm --page 4096 --cache 64KiB|gpuvm --preload|subway --subway-variant sync|incore --trust-file"),
    ("web.grf --algo cc --backend", "gpuvm --hot prefix --cache 64KiB|gpuvm --hot auto --cache 64KiB|bam --hot prefix --ranks 2"),
    ("packed.grf --algo bfs --hot prefix --cache 64KiB --backend", "bam|gpuvm|emogi"),
    ("packed.grf --algo pagerank --cache 64KiB --backend", "bam --hot prefix|gpuvm --hot prefix|bam --hot none|gpuvm --hot none"),
    ("prefix.grf --algo sssp --variant prefix --backend", "incore|emogi|bam|gpuvm|bam --hot prefix --cache 64KiB|gpuvm --hot prefix"),
    ("web.grf --plan --memory 1GiB --algo", "bfs|sssp|cc|pagerank --cache 32KiB|bc|tc|bfs --device cpu --hot none"),
    *((f"{g} --plan --memory {m} --algo", "bfs|sssp|cc|pagerank") for g in ("kron:18", "grid:512:512") for m in ("4GiB", "40MiB")),
    ("gather --row-bytes 520 --gathered 900 --verify", "--rows 1000|--rows 1000 --backend bam --cache 1MiB|web:10|web.grf --fanouts 3,2"),
    ("gather web.grf --backend bam --cache 256KiB --page 512 --hot-share 0.1", "--hot degree|--hot pagerank|"
    "--hot weighted --source index:9|--hot prefix|--hot weighted --fanouts 3,2 --source random:2 --sources 4"),
    ("", "|--help|--help all|help formats|--list|--list --json|--describe|no.grf --algo bfs|kron:10|kron:10 --algo bsf|"
    "web:10 --algo tc|kron:30:16 --algo bfs --memory 1GiB|gather --rows 0"),
    ("kron:10 --algo", "bfs --source 9999|bfs --cache 1parsec|bfs --backend subway --hot prefix|bfs --delta 3|cc --ranks 0|"
    "sssp --backend bam --page 100|bfs --backend incore --hot prefix"),
]
VARIES = re.compile(
    r"(^|\.)(program|machine|phases_ms|\w+_ms|\w*gteps|gb_s|\w*per_s|exchange|read_ahead)($|\.)|^plan\.memory_bytes$"
)
TRAFFIC = re.compile(r"\.(bytes_moved|requests|amplification|bytes_evicted|routed\.\w+|storage_bytes|host_bytes)$")
COLUMNS = {"time ms", "GTEPS"}
TRAFFIC_COLUMNS = {"moved", "amplification"}
TIMED_LINES = re.compile(r"phases ms|edges ms|exchange|read ahead|routes|last from")


def command_lines(run):
    """Returns all lines, with the algorithms, variants and backends of the program that records."""
    described = json.loads(run("graphrun", "--describe")[1])
    names = [a["name"] for a in described["algorithms"]]
    for algorithm in described["algorithms"]:
        runs = [f"--algo {algorithm['name']} --variant {variant} --verify" for variant in algorithm["variants"]]
        yield from (f"{graph} --backend incore {each}" for graph in GENERATORS for each in runs)
    for backend in (b["name"] for b in described["backends"]):
        small = {"uvm": " --cache 64KiB --uvm-block 16KiB --uvm-prefetch 4KiB", "subway": " --subway-variant sync"}
        how = f"--backend {backend}" + small.get(backend, " --cache 64KiB" if backend in ("bam", "gpuvm") else "")
        yield from (f"{g} {how} --verify --algo {a}" for g in ("kron.grf", "packed.grf", "webpack.grf", "mesh.grf") for a in names)
        yield from (f"kron.grf {how} --verify --algo {a} --ranks {ranks}" for a in names for ranks in (2, 3))
    for name in (line.split()[1] for line in INPUTS):
        yield f"{name} --algo sssp --verify" + (" --format gunrock" if name == "a.csr" else "")
    yield from (f"{first} {rest}".strip() for first, rests in LINES for rest in rests.split("|"))


class Runner:
    def __init__(self, build, folder):
        self.build, self.inputs = Path(build).resolve(), folder / "inputs"
        # Plans use the built-in rates where no calibration is found.
        self.environment = {**os.environ, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent", "LC_ALL": "C"}

    def run(self, program, line, folder=None):
        done = subprocess.run([self.build / program, *line.split()], capture_output=True, stdin=subprocess.DEVNULL, timeout=100,
                              cwd=folder or self.inputs, env=self.environment)  # fmt: skip
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def convert(self, folder):
        folder.mkdir()
        made = {f"graphconv {line}": self.run("graphconv", f"{line} --threads 1", folder)[0] for line in INPUTS}
        return {**made, **{f.name: digest(f) for f in sorted(folder.iterdir())}}

    def result(self, line):
        words = set(line.split())
        with tempfile.TemporaryDirectory() as scratch:
            options, runs = "", bool({"--algo", "gather"} & words)
            if runs:
                options = " --threads " + ("3" if "--ranks" in words else "1")
            if runs and "--plan" not in words:
                options += f" --json {scratch}/json"
            if "--algo" in words and not {"--plan", "--sources", "tc"} & words:
                options += f" --output {scratch}/values.csv"
            code, out, err = self.run("graphrun", line + options)
            shown = out.replace(scratch, "@")
            got = {"exit": code, "log": masked(err.replace(scratch, "@"))}
            values = {}
            if Path(scratch, "json").exists():
                values = dict(flat(json.loads(Path(scratch, "json").read_text())))
            elif {"--json", "--describe"} & words and code == 0:
                values, shown = dict(flat(json.loads(out))), ""
            values = {k: v for k, v in values.items() if not VARIES.search(k)}
            if counted := {"bam", "emogi", "uvm"} & words:  # their reads depend on the page cache and on timing
                values = {k: v for k, v in values.items() if not TRAFFIC.search(k)}
            if {"pagerank", "--ranks"} <= words:  # ranks read what others have sent by then, so scores differ within the tolerance
                values = {k: v for k, v in values.items() if not re.match(r"result|trials.*(moved|requests|ampl|edges|iter)", k)}
                shown = ""
            got |= {"json": values, "table": table(shown, COLUMNS | (TRAFFIC_COLUMNS if counted else set()))}
            if shown and Path(scratch, "values.csv").exists():
                got["output"] = digest(Path(scratch, "values.csv"))
            return got


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def masked(text):
    return sorted(re.sub(r"\d[\d.,e+-]*( [KMGT]iB| B)?", "N", line) for line in text.splitlines())


def flat(value, name=""):
    """Yields each plain value within `value` with its name, such as trials.0.iterations."""
    if isinstance(value, (dict, list)) and value:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(each, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def table(text, hidden):
    """Returns the lines without times, speeds, and columns that are `hidden`."""
    lines, without = [], set()
    for line in text.splitlines():
        cells = re.split(r" {2,}", re.sub(r"\d[\d.e+-]* (ms|GB/s)\b", r"N \1", line).strip())
        if COLUMNS & set(cells):
            without = {i for i, cell in enumerate(cells) if cell in hidden}
        elif not line:
            without = set()
        if line and not TIMED_LINES.match(line):
            lines.append(" | ".join(cell for i, cell in enumerate(cells) if i not in without))
    return lines


def differences(old, new, name=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key, "absent"), new.get(key, "absent"), f"{name} {key}".strip())
    elif isinstance(old, list) and isinstance(new, list):
        yield from (f"{name} - {line}" for line in old if line not in new)
        yield from (f"{name} + {line}" for line in new if line not in old)
    elif old != new:
        yield f"{name}: {old!r}, now {new!r}"


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("record", "compare"):
        print(__doc__, file=sys.stderr)
        return 2
    build, folder = sys.argv[2], Path(sys.argv[3]).resolve()
    if sys.argv[1] == "compare" and not (folder / "results.json").exists():
        print(f"golden: nothing was recorded in {folder}", file=sys.stderr)
        return 2
    runner = Runner(build, folder)
    old = {}
    if sys.argv[1] == "record":
        shutil.rmtree(runner.inputs, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        new = {"conversions": runner.convert(runner.inputs)}
        lines = list(dict.fromkeys(command_lines(runner.run)))
    else:
        old = json.loads((folder / "results.json").read_text())
        with tempfile.TemporaryDirectory() as scratch:
            new = {"conversions": runner.convert(Path(scratch) / "inputs")}
        lines = [line for line in old if line != "conversions"]
    with ThreadPoolExecutor() as pool:
        new |= zip(lines, pool.map(runner.result, lines))
    if not old:
        (folder / "results.json").write_text(json.dumps(new, indent=1))
        print(f"{len(lines)} command lines recorded, {sum(new[line]['exit'] == 0 for line in lines)} with exit code 0")
        return 0
    changed = {line: what for line in new if (what := list(differences(old[line], new[line])))}
    often = {what: n for what, n in Counter(what for each in changed.values() for what in each).items() if n >= 10}
    for what, n in often.items():
        print(f"in {n} of them:\n    {what}")
    for line, what in changed.items():
        if rest := [each for each in what if each not in often]:
            print(line or "(no argument)", *rest, sep="\n    ")
    print(f"{len(changed)} of {len(new)} differ")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
