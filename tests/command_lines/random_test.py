# SPDX-License-Identifier: Apache-2.0
"""Random command lines and damaged files: each run ends in time, with an exit code that is documented, and says why in a sentence.

usage: random_test.py FOLDER_OF_PROGRAMS [LINES] [FILES] [SEED]
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

_LIMIT_S = 20
_NAMES = (
    "bfs SSSP cc pr pagerank bsf incore emogi csr balanced auto cpu CUDA gpu cuda:7 file unit truth random:1 "
    "random:3:1:9 random max-degree index:1 push pull afforest hooking delta-stepping prefix bellman-ford auto ram:unlimited ram:drum nvme:0000:99:00.0 memory "
    "ofi:tcp ofi:TPC proxy sm on off none keep compact 64 id hubs-first degree naive aligned sync async 127.0.0.1:1 out.grf out.el "
    "out.mtx out.bel out.csv grf mtx el metis gunrock - / . none/x.json /dev/full x,y 0,1 a|b"
).split()
_BACKENDS = "auto incore emogi uvm BaM bma gpuvm subway".split()
_NUMBERS = [*"0 1 2 3 7 -1 1.5 1e-4 0.85 nan 99999999999999999999 1x 4096 1k 4kb 64KiB 1.5GiB 12parsecs".split(), "1 GiB"]
_GRAPHS = (
    "path:9 star:5 grid:3:4 kron:5:4 URAND:4:2 web:5:3 kron:60:60 krn:3:4 kron: path:0 none.grf arcs.el arcs.mtx g.grf".split()
)
# What only takes longer when it is large.
_COUNTS = {"trials", "sources", "max-iterations", "threads", "queues", "queue-depth", "fabric-endpoints"}
_JUNK = [
    "",
    "--",
    "-",
    "-x",
    "--ouput",
    "--verify=1",
    "-h",
    "--algo",
    "\u0433\u0440\u0430\u0444",
    "a" * 5000,
    "{}",
    "%s%n",
    "info",
    "inof",
]


class Program:
    """A program, its options as its --help all lists them, and the algorithms of graphrun."""

    def __init__(self, path: Path):
        self.path = path
        text = subprocess.run([path, "--help", "all"], capture_output=True, text=True, check=True).stdout
        described = path.name.startswith("graphrun") and subprocess.run([path, "--describe"], capture_output=True, check=True).stdout
        self.algorithms = [each["name"] for each in json.loads(described)["algorithms"]] if described else []
        self.options = re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z0-9-]*)( [^ ]+)?", text, re.MULTILINE)


def value_of(option: str, chance: random.Random) -> str:
    if option in _COUNTS:
        return chance.choice(["1", "2", "3", "0", "-1", "two", "1.5"])
    return chance.choice(chance.choice([_NAMES, _NUMBERS, _GRAPHS]))


def random_line(program: Program, chance: random.Random) -> list[str]:
    line = [chance.choice(_GRAPHS)]
    if program.path.name.startswith("graphrun"):
        line += ["--algo", chance.choice(program.algorithms), "--backend", chance.choice(_BACKENDS)]
    else:
        line = chance.choice([[*line, chance.choice(["out.grf", "out.mtx", "out.bel"])], ["info", *line], ["check", *line]])
    for option, argument in chance.sample(program.options, chance.randint(0, 4)):
        line += [f"--{option}", value_of(option, chance)] if argument else [f"--{option}"]
    for _ in range(chance.choice([0, 0, 1, 2])):
        at = chance.randrange(len(line) + 1)
        line[at : at + chance.choice([0, 1])] = [chance.choice(_JUNK)]
    return line


def bench_line(chance: random.Random) -> list[str]:
    line = [
        chance.choice(["run", "report", "compare", "profile", "reprot"]),
        chance.choice(["config.json", "arcs.el", ".", "none"]),
    ]
    words = [
        "--dry-run",
        "--set",
        "graphs=kron:5:4",
        "--quite",
        "repeats=2",
        "--html",
        "--out",
        "out",
        "--threshold",
        "x",
        ".",
        *_JUNK,
    ]
    return [*line, *chance.sample(words, chance.randint(0, 3)), *(["--dry-run"] if line[0] == "run" else [])]


def check(command: list[str], folder: Path, ends: Counter[int]) -> str | None:
    """What is wrong with how a command ends; None when nothing is. Counts its exit code."""
    try:
        ended = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"did not end within {_LIMIT_S} s"
    said = ended.stderr.decode(errors="replace")
    ends[ended.returncode] += 1
    if ended.returncode not in (0, 1, 2, 3, 77):
        return f"ended with {ended.returncode}: {said[-500:]}"
    if ended.returncode != 0 and not re.search(r"^(error|usage): .+$", said, re.MULTILINE):
        return f"ended with {ended.returncode} and no sentence: {said[-500:]}"
    for word in ("Traceback", "terminate called", " 0x", "std::"):
        if word in said:
            return f"said {word}: {said[-500:]}"
    return None


def write_inputs(programs: Path, folder: Path, chance: random.Random) -> bytes:
    (folder / "arcs.el").write_text("0 1 5\n1 2 6\n2 0 7\n3 3 1\n", encoding="ascii")
    (folder / "arcs.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 0.5\n3 1 2\n", encoding="ascii")
    (folder / "config.json").write_text(
        '{"name": "x", "graphs": ["path:9"], "algorithms": ["bfs"], "systems": ["incore"]}', encoding="ascii"
    )
    (folder / "g.grf").unlink(missing_ok=True)
    convert = [programs / "graphconv", "kron:6:4", folder / "g.grf", "--weights", "random:1", "--quiet"]
    wide = chance.choice([False, True])
    if not wide or subprocess.run([*convert, "--ids", "64"], stderr=subprocess.DEVNULL).returncode != 0:  # built without them
        subprocess.run(convert, check=True)
    return (folder / "g.grf").read_bytes()


def damaged_run(program: Program, whole: bytes, folder: Path, chance: random.Random) -> list[str]:
    """A command on a container with some bytes changed, or cut, or longer."""
    content = bytearray(whole)
    for _ in range(chance.choice([0, 1, 1, 2, 8])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    end = chance.choice([len(content), len(content), chance.randrange(len(content)), len(content) + 512])
    (folder / "damaged.grf").write_bytes((bytes(content) + bytes(512))[:end])
    line = ["damaged.grf", "--algo", chance.choice(program.algorithms), "--backend", chance.choice(_BACKENDS)]
    return [str(program.path), *line, "--device", "cpu", *(["--trust-file"] if chance.random() < 0.3 else [])]


def main(folder: str, lines: str = "150", files: str = "50", seed: str = "1") -> int:
    programs = Path(folder).resolve()
    graphrun, graphconv = (Program(programs / name) for name in ("graphrun", "graphconv"))
    graphbench = programs / "graphbench"
    chance = random.Random(int(seed))
    wrong = 0
    ends: Counter[int] = Counter()
    with tempfile.TemporaryDirectory(prefix="command-lines-") as scratch:
        inside = Path(scratch)
        for i in range(int(lines) + int(files)):
            if i % 50 == 0:
                whole = write_inputs(programs, inside, chance)
            if i >= int(lines):
                command = damaged_run(graphrun, whole, inside, chance)
            elif i % 50 == 7 and graphbench.exists():
                command = [str(graphbench), *bench_line(chance)]
            else:
                program = chance.choice([graphrun, graphconv])
                command = [str(program.path), *random_line(program, chance)]
            found = check(command, inside, ends)
            if found is not None:
                wrong += 1
                print(f"{[part[:60] for part in command]}\n  {found}", flush=True)
    print(
        f"{lines} command lines and {files} damaged files, seed {seed}: exit codes {dict(sorted(ends.items()))}, {wrong} ended as they should not"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
