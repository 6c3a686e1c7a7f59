# SPDX-License-Identifier: Apache-2.0
"""bench/vs_gapbs.py beside programs that stand for those of GAP: from which of their trials, and of which sources, its figures are.
The environment variable GRAPHRUN_BENCH names the folder of measuring programs; graphrun is beside it.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "vs_gapbs.py"
_TIMES_S = {"bfs": "0.001 0.004 0.003", "cc": "0.02 0.01 0.03 0.04", "pr": "0.001 0.5 0.3 0.4 0.6"}
_EXPECTED_MS = {"bfs": 3.0, "cc": 10.0, "pagerank": 300.0}


def main(programs: Path) -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for program, times in _TIMES_S.items():
            (folder / program).write_text(f'#!/bin/sh\necho "$@" >> {folder}/{program}.log\nfor t in {times}; do echo "Trial Time:   $t"; done\n')
            (folder / program).chmod(0o755)
        command = [sys.executable, _SCRIPT, "--programs", programs, "--graphs", "kron:8:8", "--rounds", "2", "--dir", folder, folder]
        done = subprocess.run(command, capture_output=True, text=True)
        found = {words[1]: words[4] for line in done.stdout.splitlines() if len(words := line.split()) == 6}
        if done.returncode != 0 or {a: float(ms) for a, ms in found.items()} != _EXPECTED_MS:
            wrong.append(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        else:
            sources = re.findall(r"-r (\d+) -n 3$", (folder / "bfs.log").read_text(), re.MULTILINE)
            if len(sources) != 32 or sources[:16] != sources[16:]:
                wrong.append(f"GAP's bfs ran from {sources}, not twice from the same 16 sources")
        (folder / "bfs").write_text("#!/bin/sh\nexit 3\n")
        failed = subprocess.run(command, capture_output=True, text=True)
        if failed.returncode == 0 or "exit code 3" not in failed.stderr:
            wrong.append(f"a program that fails is not told: exit code {failed.returncode}\n{failed.stderr}")
    print("\n".join(wrong) or "right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ["GRAPHRUN_BENCH"]).resolve().parent))
