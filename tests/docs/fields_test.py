# SPDX-License-Identifier: Apache-2.0
"""Compares docs/results.md with the JSON of real runs, and docs/formats.md with `graphconv info` and the environment that is read.

usage: fields_test.py FOLDER_OF_A_BUILD

A field stands in backquotes anywhere on the page. A name that begins with a dot belongs to the object of the name before it in its
line. Each field of a run must be on the page, in full or by its last part; each dotted name of the page must be in some run. The
line on the header of CSV has the columns of all algorithms, and no others.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pages

# Objects that hosts without a GPU do not have.
_ON_GPUS = {"machine.gpu", "link_requests"}
_RUNS = [
    "kron:6:4 --algo bfs --sources 2 --source random:1 --verify --top 3",
    "kron:6:4 --algo bfs --path-to index:1 --source max-degree",
    "kron:6:4 --algo bfs --batch --sources 2 --source random:1",
    "k.grf --algo sssp --variant prefix --backend bam --device cpu --cache 256KiB --route auto --verify",
    "k.grf --algo sssp --ranks 2 --device cpu",
    "kron:6:4 --algo cc --top 2 --backend subway --device cpu",
    "kron:6:4 --algo pagerank --certify --top 2",
    "kron:6:4 --algo bc --top 2",
    "path:1 --algo topo",
]


def paths_of(value: Any, before: str = "") -> set[str]:
    """Returns the dotted names of all fields of a JSON value; lists are transparent."""
    if isinstance(value, list):
        return {path for each in value for path in paths_of(each, before)}
    if not isinstance(value, dict):
        return set()
    paths: set[str] = set()
    for name, each in value.items():
        paths |= {before + name} | paths_of(each, f"{before}{name}.")
    return paths


def names_on(page: str) -> set[str]:
    """Returns the fields that a page names, dotted ones in full."""
    names: set[str] = set()
    for line in pages.prose_of(page).splitlines():
        parent = ""
        for name in re.findall(r"`(\.?[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)`", line):
            if name.startswith("."):
                name = parent + name
            elif "." in name:
                parent = name.rpartition(".")[0]
            names.add(name)
    return names


def main(build: Path) -> int:
    page = (pages.SOURCES / "docs/results.md").read_text(encoding="utf-8")
    named = names_on(page)
    options = (pages.SOURCES / "docs/options.md").read_text(encoding="utf-8")
    found: set[str] = set()
    asked: set[str] = set()
    columns: set[str] = set()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        made = ["kron:6:4", "k.grf", "--weights", "random:1", "--sort", "weight", "--quiet"]
        subprocess.run([build / "graphconv", *made], cwd=folder, check=True)
        known = json.loads(subprocess.run([build / "graphrun", "--describe"], capture_output=True, check=True).stdout)
        names = [f"--algo {algorithm['name']}" for algorithm in known["algorithms"]]
        others = [f"kron:6:4 {name}" for name in names if not any(name in run for run in _RUNS)]
        for run in _RUNS + others:
            values = [] if "--algo tc" in run or "--sources" in run else ["--output", "values.csv"]
            command = [str(build / "graphrun"), *run.split(), "--quiet", "--json", *values]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append(f"{run}: {done.stderr}")
                continue
            if values:
                header = (Path(folder) / "values.csv").read_text(encoding="utf-8").splitlines()[0]
                columns |= {name for name in header.split(",") if not re.fullmatch("vertex|step_[0-9]+", name)}
            result = json.loads(done.stdout)
            asked |= set(result["options"])
            # The fields of all trials, and of an entry of a list, stand by their own names.
            found |= paths_of(result | {"options": 0, "results": 0, "trials": 0}) | paths_of(result["trials"])
        info = [str(build / "graphconv"), "info", "k.grf", "--json"]
        described = json.loads(subprocess.run(info, cwd=folder, capture_output=True, check=True).stdout)
    short = {part for name in named for part in name.split(".")}
    wrong += [f"docs/results.md does not name {path}" for path in sorted(found) if path.rpartition(".")[2] not in short]
    [listed] = re.findall(r"^- `\.csv`.*: header `vertex,COLUMN...`: (.*?);", page, re.MULTILINE)
    if (of_page := set(re.findall(r"`(\w+)`", listed))) != columns:
        wrong.append(f"docs/results.md lists the columns {sorted(of_page)}, and runs write {sorted(columns)}")
    objects = {path.rpartition(".")[0] for path in found if "." in path}
    unknown = sorted(name for name in named - found if name.rpartition(".")[0] in objects - _ON_GPUS)
    wrong += [f"docs/results.md names {name}, which no run has" for name in unknown]
    for name in sorted(asked):
        option = re.sub(r"_(bytes|edges|ms)$", "", name).replace("_", "-")
        if not re.search(rf"--(?:{re.escape(option)}|{re.escape(name.replace('_', '-'))})\b", options):
            wrong.append(f"docs/options.md has no option for the field options.{name}")

    formats = (pages.SOURCES / "docs/formats.md").read_text(encoding="utf-8")
    shown = {name.rpartition(".")[2] for name in names_on(formats)}
    backends = {backend["name"] for backend in known["backends"]}
    for path in sorted(paths_of(described)):
        if path.rpartition(".")[2] not in shown | {"out", "in", "backends"} | backends:
            wrong.append(f"docs/formats.md does not name the field {path} of graphconv info --json")
    sources = [each for folder in ("src", "apps") for each in (pages.SOURCES / folder).rglob("*.*")]
    for source in [each for each in sources if each.suffix in (".cpp", ".cu", ".py")]:
        for variable in re.findall(r"""(?:getenv\(|environ\.get\(|environ\[)"([A-Z_]+)\"""", source.read_text(encoding="utf-8")):
            if f"`{variable}`" not in formats and variable not in ("HOME", "PATH"):
                wrong.append(f"docs/formats.md does not name {variable}, which {source.relative_to(pages.SOURCES)} reads")
    print("\n".join(wrong) or f"{len(found)} fields of runs, {len(asked)} options, {len(paths_of(described))} fields of graphs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
