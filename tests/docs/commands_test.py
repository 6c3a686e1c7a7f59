# SPDX-License-Identifier: Apache-2.0
"""Runs the commands and the Python code that README.md and the pages below docs/ show, and compares what they print.

usage: commands_test.py FOLDER_OF_A_BUILD [PAGE...]

Blocks of a page run in their order, in an empty folder that looks like the root of the repository: build/ is the build, which is
also first on the PATH, and configs/, datasets/ and what else a command names are links. A ```bash block is a script that ends at
its first command that fails; ports of 127.0.0.1 are replaced by free ones. All ```python blocks of a page run in one interpreter,
as statements or as a session with ">>> ". A ```cpp block with a main() is compiled, up to its syntax and types.

A ```text block right after a block shows its output, standard error included. Lines are compared by these rules:
- a number with a unit of time, of bytes or of a rate ("1.5 ms", "16 MiB", "0.2 GTEPS", "/s") stands for any such number,
  and so does one with a decimal point in a line with the word "ms" or "GTEPS", or below it up to an empty line;
- "..." in a line stands for any characters, a line "..." for any number of lines;
- blanks are compared as one; lines of the log that begin with "[I]" are left out.

A block with a second word is not run: gpu, hosts, install and slow say what it would need. The test counts these, and looks up the
options that they name in --help, as it does with those in the text of a page. It also skips and counts what ends with exit code 77,
and Python where the build has no module (GRAPHRUN_PYTHON) or NumPy is missing.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pages

_LIMIT_S = 120
_KINDS = {"gpu", "hosts", "install", "slow"}
_PROGRAMS = ("graphrun", "graphconv", "graphmemd", "graphbench")
_UNITS = r"ns|us|ms|s|sec|min|minutes|seconds|B|KB|MB|GB|TB|KiB|MiB|GiB|TiB|bytes|[MG]TEPS|reads"
_VARYING = re.compile(rf"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)? ?(?:{_UNITS})\b(?:/s)?")
# Options in pages that belong to mpirun, pip, venv, CMake and CTest, and googletest.
_OF_MPIRUN_AND_PYTHON = {"--oversubscribe", "--hostfile", "--timeout", "--config-settings", "--system-site-packages"}
_OF_OTHERS = _OF_MPIRUN_AND_PYTHON | {"--preset", "--build", "--install", "--test-dir", "--gtest_filter"}
_DRIVER = r'''
import contextlib, doctest, io, json, sys, traceback
space = {"__name__": "__main__"}
def execute(code, mode):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(compile(code, "page", mode), space)
            failed = False
        except BaseException as error:
            said.write(traceback.format_exception_only(error)[-1])
            failed = True
    return said.getvalue(), failed
for line in sys.stdin:
    code = json.loads(line)
    if code.lstrip().startswith(">>>"):
        done = [(*execute(each.source, "single"), each.source, each.want) for each in doctest.DocTestParser().get_examples(code)]
    else:
        done = [(*execute(code, "exec"), code, None)]
    print(json.dumps(done), flush=True)
'''


def pattern_of(shown: str) -> re.Pattern[str]:
    """Returns what output must match for a page to show `shown`."""
    parts = []
    for line in plain(shown):
        if line == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(re.escape(line).replace(re.escape("..."), ".*") + r"\n")
    return re.compile("".join(parts) + r"\Z")


def plain(text: str) -> list[str]:
    """Returns the lines of a text, with single blanks and with # in place of numbers that vary."""
    lines = []
    in_table = False
    for line in text.splitlines():
        line = _VARYING.sub("#", re.sub(r"\s+", " ", line).strip())
        in_table = line != "" and (in_table or re.search(r"\b(ms|GTEPS)\b", line) is not None)
        if line and not line.startswith("[I]"):
            lines.append(re.sub(r"\b\d+\.\d+\b", "#", line) if in_table else line)
    return lines


def is_like(output: str, shown: str) -> bool:
    """Is this what a page shows?"""
    return pattern_of(shown).match("".join(f"{line}\n" for line in plain(output))) is not None


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Runner:
    """Runs the blocks of one page in a folder of its own."""

    def __init__(self, folder: Path, build: Path, interpreter: str) -> None:
        self._folder = folder
        self._interpreter = interpreter
        self._python: subprocess.Popen | None = None
        folders = {name: pages.SOURCES / name for name in ("apps", "bench", "configs", "datasets", "tools")} | {"build": build}
        for name, source in folders.items():
            (folder / name).mkdir()
            for child in source.iterdir():
                (folder / name / child.name).symlink_to(child)
        self._environment = os.environ | {
            "PATH": f"{folder / 'build'}:{os.environ['PATH']}",
            "PYTHONPATH": str(build / "python"),
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / ".cache"),
            "TMPDIR": str(folder),
            "TERM": "dumb",
        }
        self._environment.pop("GRAPHRUN_DATASETS", None)

    def bash(self, text: str) -> tuple[str, int]:
        """Returns what a script printed, and its exit code."""
        for port in set(re.findall(r"127\.0\.0\.1:(\d+)", text)):
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free_port()}")
        with subprocess.Popen(
            ["bash", "-eo", "pipefail", "-c", text],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                output, _ = process.communicate(timeout=_LIMIT_S)
            except subprocess.TimeoutExpired:
                return f"took longer than {_LIMIT_S} s", 124
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # also servers that it has left
                except ProcessLookupError:
                    pass
        return output, process.returncode

    def cpp(self, text: str) -> tuple[str, int]:
        """Returns what the compiler said, and its exit code."""
        command = [os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{pages.SOURCES / 'include'}", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_LIMIT_S)
        return done.stderr, done.returncode

    def python(self, text: str) -> list[tuple[str, bool, str, str | None]]:
        """Returns what a block, or each statement of a session, printed, whether it raised, its text, and what it should print."""
        if self._python is None:
            command = [self._interpreter, "-c", _DRIVER]
            self._python = subprocess.Popen(
                command, cwd=self._folder, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert self._python.stdin and self._python.stdout
        self._python.stdin.write(json.dumps(text) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        return json.loads(answer) if answer else [("the interpreter has ended", True, text, None)]

    def close(self) -> None:
        if self._python is not None:
            self._python.kill()
            self._python.communicate()


def shown_after(block: pages.Block, after: pages.Block | None) -> str | None:
    """Returns the output that a page shows right after a block, with blank lines at most between them."""
    if after is None or after.words != ["text"] or after.line - block.line - block.text.count("\n") > 3:
        return None
    return after.text


def check_block(runner: Runner, block: pages.Block, shown: str | None) -> tuple[list[str], bool]:
    """Returns what is wrong with a block, and whether this machine lacks what it needs."""
    if block.words[0] == "python":
        is_session = block.text.lstrip().startswith(">>>")
        wrong = []
        for output, raised, statement, want in runner.python(block.text):
            want = want if is_session else shown
            if raised and not (is_session and want and is_like(output, want)):
                wrong.append(f"failed:\n{statement}{output}")
            elif want is not None and not is_like(output, want):
                wrong.append(f"prints something else:\n{statement}--- shown\n{want}--- printed\n{output}")
        return wrong, False
    output, code = runner.cpp(block.text) if block.words[0] == "cpp" else runner.bash(block.text)
    if code != 0:
        return ([], True) if code == 77 else ([f"exit code {code}:\n{block.text}{output}"], False)
    if shown is not None and not is_like(output, shown):
        return [f"prints something else:\n{block.text}--- shown\n{shown}--- printed\n{output}"], False
    return [], False


def check_page(page: Path, build: Path, interpreter: str, lacks: str) -> tuple[list[str], Counter[str]]:
    """Returns what is wrong with a page, and its blocks that ran or were skipped, by reason; `lacks` says why no Python runs."""
    blocks = pages.blocks_of(page.read_text(encoding="utf-8"))
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        runner = Runner(Path(name), build, interpreter)
        for block, after in zip(blocks, [*blocks[1:], None]):
            language, reason = [*block.words, "", ""][:2]
            if language not in ("bash", "python") and not (language == "cpp" and "int main(" in block.text):
                continue
            where = f"{page.relative_to(pages.SOURCES)}:{block.line}"
            if reason and reason not in _KINDS:
                wrong.append(f"{where}: '{reason}' is no reason to skip a block")
            if language == "python" and not reason:
                reason = lacks
            if not reason:
                found, is_unavailable = check_block(runner, block, shown_after(block, after))
                wrong += [f"{where}: {each}" for each in found]
                reason = "not available here" if is_unavailable else ""
            counts[reason] += 1
        runner.close()
    return wrong, counts


def unknown_options(page: Path, known: set[str]) -> list[str]:
    """Returns a line for each option in a command, or in backquotes, that no program has."""
    text = page.read_text(encoding="utf-8")
    named = [(block.line, block.text) for block in pages.blocks_of(text) if block.words and block.words[0] == "bash"]
    prose = pages.prose_of(text)
    named += [
        (prose.count("\n", 0, found.start()) + 1, found[1])
        for found in re.finditer(r"`([^`\n]+)`", prose)
        if found[1].startswith(("--", *_PROGRAMS))
    ]
    wrong = []
    for line, command in named:
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]+", command):
            if option not in known and option not in _OF_OTHERS:
                wrong.append(f"{page.relative_to(pages.SOURCES)}:{line}: no program has {option}")
    return wrong


def known_options(build: Path) -> set[str]:
    said = ""
    for program in _PROGRAMS[:3]:
        said += subprocess.run([build / program, "--help", "markdown"], capture_output=True, text=True, check=True).stdout
    for command in ("run", "report", "compare", "profile", "paper"):
        said += subprocess.run([build / "graphbench", command, "--help"], capture_output=True, text=True, timeout=60).stdout
    for folder in ("bench", "datasets", "tools"):  # of their programs and scripts, what the sources name
        for source in (pages.SOURCES / folder).rglob("*.*"):
            if source.suffix in (".cpp", ".py", ".sh"):
                text = source.read_text(encoding="utf-8")
                said += text + " ".join(f"--{name}" for name in re.findall(r'"([a-z][\w-]+)"', text))
    return set(re.findall(r"--[a-z][\w-]+", said))


def what_python_lacks(build: Path, interpreter: str) -> str:
    if not (build / "python" / "graphrun").is_dir():
        return "no Python module"
    return "" if subprocess.run([interpreter, "-c", "import numpy"], capture_output=True).returncode == 0 else "no NumPy"


def main(build: Path, names: list[str]) -> int:
    interpreter = os.environ.get("GRAPHRUN_PAGES_PYTHON", sys.executable)
    lacks = what_python_lacks(build, interpreter)
    chosen = [Path(name).resolve() for name in names] or pages.pages()
    known = known_options(build)
    counts: Counter[str] = Counter()
    wrong = [line for page in chosen for line in unknown_options(page, known)]
    with ThreadPoolExecutor(2) as pool:
        for found, by_reason in pool.map(lambda page: check_page(page, build, interpreter, lacks), chosen):
            wrong += found
            counts += by_reason
    if not names and counts[""] < 20:
        wrong.append(f"only {counts['']} blocks ran: they are found no more")
    skipped = [f"{number} {reason}" for reason, number in sorted(counts.items()) if reason]
    print(f"{counts['']} blocks ran; skipped: {', '.join(skipped) or 'none'}")
    print("\n".join(wrong) or f"{len(chosen)} pages are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
