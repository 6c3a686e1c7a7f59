# SPDX-License-Identifier: Apache-2.0
"""The examples run and say what they are for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "apps" / "python" / "examples"


def output_of(name, *arguments):
    command = [sys.executable, "-B", EXAMPLES / name, *arguments]
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout


def test_ranks_of_a_crawl_as_a_table(tmp_path):
    pytest.importorskip("pandas")
    crawl = tmp_path / "crawl.csv"
    crawl.write_text("page,links to\nhome,news\nnews,home\nabout,home\nnews,about\n")
    lines = output_of("ranks_table.py", crawl, 2).splitlines()
    assert lines[2].startswith("home") and lines[3].startswith("news") and "true residual" in lines[-1]


def test_distances_on_a_road_map(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "map.png"
    assert "400 crossings" in output_of("road_map.py", picture, 20)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_search_through_a_small_cache():
    assert output_of("small_cache.py", "kron:12", "1MiB", "256KiB").count("reached") == 2


def test_epochs_of_a_graph_sage_are_timed_by_method():
    pytest.importorskip("torch")
    bench = EXAMPLES.parents[2] / "bench" / "train_sage.py"
    small = ("--graph", "kron:10:8", "--batch", 64, "--batches", 2, "--rounds", 1, "--widths", 8, "--fanouts", "3,3")
    lines = [json.loads(line) for line in output_of(bench, "--device", "cpu", "--methods", "staged,zero-copy", *small).splitlines()]
    assert [line["method"] for line in lines] == ["staged", "zero-copy"]
    assert all(line["verified"] and line["epoch_s"] > 0 and line["emulated"] for line in lines)
    assert lines[0]["loss"] == pytest.approx(lines[1]["loss"])


def test_a_graph_sage_learns_communities():
    pytest.importorskip("torch")
    lines = output_of("graph_sage.py", 4000).splitlines()
    assert len(lines) == 2 and float(lines[1].split(", ")[1].split("%")[0]) > 80
