"""The ```bash blocks of README.md, as they stand there and in their order, in a scratch folder. Blocks with a second word (install,
gpu) are not run.

usage: readme_test.py FOLDER_OF_PROGRAMS
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_README = Path(__file__).resolve().parents[2] / "README.md"
_LIMIT_S = 60


def main(programs: Path) -> int:
    blocks = re.findall(r"^```bash\n(.*?)^```", _README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    wrong = [] if blocks else ["README.md has no commands: they are found no more"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "build").symlink_to(programs)
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "XDG_CACHE_HOME": folder}
        for block in blocks:
            print(block, flush=True)
            done = subprocess.run(["bash", "-ec", block], cwd=folder, env=environment, capture_output=True, text=True, timeout=_LIMIT_S)
            if done.returncode != 0:
                wrong.append(f"{block}exit code {done.returncode}\n{done.stderr}")
    print("\n".join(wrong) or f"{len(blocks)} blocks")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
