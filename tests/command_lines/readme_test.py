"""The commands of README.md, as they stand there and in their order, in a scratch folder.

usage: readme_test.py FOLDER_OF_PROGRAMS
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_SOURCES = Path(__file__).resolve().parents[2]
_LIMIT_S = 60

# What begins a command that is not run, and why. A line that matches none of them is run, and each must match some line.
_EXCEPTIONS = {
    "bash tools/quickstart.sh": "builds everything",
    "bash tools/test.sh": "runs all tests, this one among them",
    "mpirun ": "names hosts that are not here",
    "python3 -m venv": "builds the Python module",
    "graphbench configs/smoke.json": "takes a minute: tests/graphbench runs sweeps",
}
# What is put in place of a part of a command, and why.
_REPLACED = {
    "datasets/fetch.sh --dir . NotreDame_www": ("graphconv web:10:4 NotreDame_www.grf", "needs the network"),
    "kron:25:16": ("kron:8:16", "a billion edges"),
    "kron:20:16": ("kron:8:16", "33 million edges"),
    "--device cuda:0-3": ("--device cpu", "needs four GPUs"),
}
# What the README takes for granted.
_BEFORE = ["graphconv web:10:4 web.mtx", "gzip web.mtx"]


def commands_of(text: str) -> list[str]:
    """Lines of fenced blocks behind "$ ", lines of blocks that are a script, and what stands in backquotes in a sentence and
    begins with the name of a program."""
    programs = r"(?:graphrun|graphconv|graphbench|graphmemd|python3 -m venv) "
    found = []
    for block, sentence in re.findall(r"^```\w*\n(.*?)^```|((?:(?!^```).)+)", text, re.MULTILINE | re.DOTALL):
        lines = block.splitlines()
        prompted = [line[2:] for line in lines if line.startswith("$ ")]
        found += prompted or [line.split("   #")[0] for line in lines if line.startswith("bash ")]
        found += re.findall(rf"`({programs}[^`]+)`", sentence)
    return found


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    """Returns why it did not end well, or nothing."""
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=_LIMIT_S)
    return f"{command}: exit code {done.returncode}\n{done.stderr}" if done.returncode != 0 else ""


def main(programs: Path) -> int:
    wrong, used = [], set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "XDG_CACHE_HOME": name}
        wrong += [why for command in _BEFORE if (why := run(command, folder, environment))]
        commands = commands_of((_SOURCES / "README.md").read_text(encoding="utf-8"))
        for command in commands:
            exception = next((begin for begin in _EXCEPTIONS if command.startswith(begin)), None)
            if exception:
                print(f"not run ({_EXCEPTIONS[exception]}): {command}")
                used.add(exception)
                continue
            for part, (other, reason) in _REPLACED.items():
                if part in command:
                    command = command.replace(part, other)
                    print(f"'{part}' replaced by '{other}' ({reason})")
                    used.add(part)
            print(command, flush=True)
            wrong += [why] if (why := run(command, folder, environment)) else []
        wrong += [f"README.md has no '{part}' any more" for part in [*_EXCEPTIONS, *_REPLACED] if part not in used]
        if len(commands) < 10:
            wrong.append(f"README.md has only {len(commands)} commands: they are found no more")
    print("\n".join(wrong) or f"{len(commands)} commands")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
