# SPDX-License-Identifier: Apache-2.0
"""Files as other tools write them: each is read as the graph that was written, or refused with a sentence.

usage: read_test.py FOLDER_OF_PROGRAMS [FILES]
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_DEBIANS = "/usr/bin/python3"  # which has the packages python3-networkx and python3-scipy


def _with_networkx():
    """Starts anew in Debian's Python where that alone has networkx."""
    try:
        import networkx  # noqa: F401
    except ImportError:
        if sys.executable == _DEBIANS or not os.path.exists(_DEBIANS):
            return
        if subprocess.run([_DEBIANS, "-c", "import networkx"], capture_output=True).returncode == 0:
            os.execv(_DEBIANS, [_DEBIANS, "-B", *sys.argv])


def _number(text):
    return None if text is None else float(text)


def _counted(arcs):
    return Counter((u, v, _number(w)) for u, v, w in arcs)


def _read(program, path, options):
    """Exit code, arcs and standard error of graphconv."""
    ran = subprocess.run([program, path, "-", "--to", "csv", *options], capture_output=True, text=True, timeout=60)
    rows = list(csv.reader(io.StringIO(ran.stdout)))
    arcs = [(*row, *[None] * (3 - len(row))) for row in rows[1:]]
    return ran.returncode, arcs, ran.stderr


def _verdict(program, folder, number, file):
    """Of "read" and "refused", or a sentence about what is wrong."""
    place = folder / str(number)
    place.mkdir()
    path = place / file.name
    path.write_bytes(file.content)
    code, arcs, said = _read(program, str(path), file.options)
    if code in (1, 2) and not file.must:
        return "refused" if said.strip() else f"{path.name}: refused without a sentence"
    if code != 0:
        return f"{path.name}: exit code {code}: {said.strip()}\n{file.content[:300]}"
    wrong, right = _counted(arcs), _counted(file.arcs)
    if wrong == right:
        return "read"
    return f"{path.name}: read as another graph: {sorted((wrong - right).items(), key=str)[:3]} for {sorted((right - wrong).items(), key=str)[:3]}\n{said.strip()}\n{file.content[:300]}"


def main():
    _with_networkx()
    sys.path.insert(0, str(Path(__file__).parent))
    import collections_of_graphs  # noqa: F401
    import libraries  # noqa: F401
    from graphs import WRITERS, seeded

    program = str(Path(sys.argv[1]) / "graphconv")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    files = []
    for seed in range(10 * count):
        if len(files) == count:
            break
        file = WRITERS[seed % len(WRITERS)](seeded(seed))
        if file is not None:
            files.append((WRITERS[seed % len(WRITERS)].__name__, seed, file))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as threads:
        verdicts = list(threads.map(lambda i: _verdict(program, Path(folder), i, files[i][2]), range(len(files))))
    failures = [f"{name} {seed}: {said}" for (name, seed, _), said in zip(files, verdicts) if said not in ("read", "refused")]
    for failure in failures:
        print(failure, end="\n\n")
    tally = Counter(said if said in ("read", "refused") else "wrong" for said in verdicts)
    print(f"{len(files)} files: {tally['read']} read, {tally['refused']} refused, {tally['wrong']} wrong")
    return 1 if failures or tally["read"] < len(files) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
