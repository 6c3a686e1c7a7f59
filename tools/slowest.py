# SPDX-License-Identifier: Apache-2.0
"""Where the time of a build and of its tests went: seconds of one processor by target and by suite, and the slowest of each.

usage: slowest.py BUILD_FOLDER    (of Ninja; ctest.log in it is what ctest --output-log wrote)
"""

import re
import sys
from collections import Counter
from pathlib import Path


def compiled(log: Path) -> Counter[str]:
    """Returns seconds by Ninja's outputs, for their last build."""
    seconds: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        if line.startswith("#"):
            continue
        begin, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(begin)) / 1000
    return seconds


def tested(folder: Path) -> Counter[str]:
    """Returns seconds by test, for CTest's few processes a program by GoogleTest's reports."""
    ended = re.compile(r"Test +#\d+: (\S+) \.+.*? ([\d.]+) sec$", re.MULTILINE)
    tests = Counter({name: float(seconds) for name, seconds in ended.findall((folder / "ctest.log").read_text())})
    shard = re.compile(r"^\d+/\d+ Testing: (\S+)\.shard_\d+$")
    case = re.compile(r"^\[ +(?:OK|FAILED) +\] (\S+?)(?:,.*)? \((\d+) ms\)$")
    floor = ""
    for line in (folder / "Testing" / "Temporary" / "LastTest.log").read_text(errors="replace").splitlines():
        if " Testing: " in line:
            found = shard.match(line)
            floor = found[1] if found else ""
        elif floor and (found := case.match(line)):
            tests[f"{floor}.{found[1]}"] += int(found[2]) / 1000
    return Counter({name: seconds for name, seconds in tests.items() if ".shard_" not in name})


def grouped(seconds: Counter[str], group: re.Pattern[str]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for name, value in seconds.items():
        found = group.match(name)
        sums[found[1] if found else name] += value
    return sums


def show(title: str, seconds: Counter[str], most: int) -> None:
    slowest = ", ".join(f"{name} {value:.0f}" for name, value in seconds.most_common(most))
    print(f"  {title}: {slowest}")


def main(folder: Path) -> None:
    objects, tests = compiled(folder / ".ninja_log"), tested(folder)
    print(f"  compiling took {objects.total():.0f} s of one processor, testing {tests.total():.0f} s")
    show("compiled, by target", grouped(objects, re.compile(r"(?:.*/)?CMakeFiles/(\w+)\.dir/")), 12)
    show("compiled, by file", objects, 8)
    show("tested, by suite", grouped(tests, re.compile(r"([^.]+\.[^./]+(?:/[^./]+)?)")), 12)
    show("tested, by test", tests, 8)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
