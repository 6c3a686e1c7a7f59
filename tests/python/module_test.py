# SPDX-License-Identifier: Apache-2.0
"""Graphs, algorithms, keywords, errors and lifetimes of the module graphrun."""

import array
import ast
import atexit
import copy
import ctypes
import gc
import inspect
import logging
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import graphrun
from graphrun import METHODS

# 0 - 1 - 2 - 0, 2 -> 3, and 4 alone
SOURCES = [0, 1, 1, 2, 2, 0, 2]
TARGETS = [1, 0, 2, 1, 0, 2, 3]
WEIGHTS = [5, 5, 2, 2, 1, 1, 10]


wide = pytest.mark.skipif(not hasattr(graphrun._core, "open64"), reason="built without 64-bit ids")


@pytest.fixture
def small():
    return graphrun.from_edges(SOURCES, TARGETS, WEIGHTS, vertices=5)


def test_a_graph_from_edges_has_their_rows(small):
    assert (small.num_vertices, small.num_edges, small.symmetric) == (5, 7, False)
    assert small.offsets.tolist() == [0, 2, 4, 7, 7, 7]
    assert small.neighbours.tolist() == [1, 2, 0, 2, 0, 1, 3]
    assert small.weights.tolist() == [5, 1, 5, 2, 1, 2, 10]
    assert not small.neighbours.flags.writeable


def test_answers_of_each_algorithm(small):
    search = small.bfs(source=1, verify=True)
    assert search.values.tolist() == [1, 0, 1, 2, graphrun.UNREACHED] and search.reached == 4 and search.verified
    assert search.parents[3] == 2 and search.parents[1] == 1
    paths = small.sssp(source=1, verify=True)
    assert paths.distances.dtype == np.uint64 and paths.values.tolist() == [3, 0, 2, 12, np.inf] and paths.verified
    assert small.cc(verify=True).components == 2
    assert small.pagerank(source=np.array([1, 2]), verify=True).verified
    ranks = small.pagerank(tolerance=1e-9, certify=True, verify=True)
    assert ranks.verified and ranks.converged and abs(ranks.values.sum() - 1) < 1e-9 and ranks.certificate["residual"] < 1e-9
    assert small.bc(source=[1], verify=True).values.tolist() == [0, 1, pytest.approx(1 / 3), 0, 0]
    assert small.bc(source=[1], definition="exact").values.tolist() == [0, 0, 1, 0, 0]
    both_ways = graphrun.from_edges(SOURCES, TARGETS, undirected=True)
    assert both_ways.symmetric and both_ways.triangles(verify=True).triangles == 1


def test_a_source_that_a_sequence_names_twice_counts_once(small):
    once = small.bc(source="0,1", verify="serial")
    for twice in ([1, 0, 1], np.array([1, 1, 0])):
        answer = small.bc(source=twice, verify="serial")
        assert answer.verified and answer.sources.tolist() == [0, 1] and answer.values.tolist() == once.values.tolist()


@pytest.mark.parametrize("backend", ["incore", "emogi", "bam", "gpuvm", "subway"])
def test_backends_agree(backend):
    graph = graphrun.open("kron:10")
    search = graph.bfs(backend=backend, cache="1MiB", device="cpu", verify=True)
    assert search.verified and (search.values == graph.bfs(device="cpu").values).all()
    assert search.record["backend"] == backend and search.trial.time_ms > 0 and search.trial.iterations > 0


# Random weights were drawn, and a notebook showed nothing of it: distances that networkx, igraph and SciPy do not have.
def test_a_graph_without_weights_has_weight_1_and_that_is_said(caplog):
    graph = graphrun.from_edges([0, 1, 2], [1, 2, 3])
    paths = graph.sssp(source=0, verify=True)
    assert paths.values.tolist() == [0, 1, 2, 3] and paths.record["graph"]["weight_source"] == "unit" and paths.verified
    graph.sssp(source=0)
    assert [line.levelname for line in caplog.records if "takes 1 for each edge" in line.message] == ["WARNING"]
    assert graph.sssp(source=0, weights="random").record["graph"]["weight_source"] == "random:1"


# Whole weights beyond 32 bits were refused, or floats.
def test_whole_weights_of_64_bits_are_exact(tmp_path):
    least = 2**53
    graph = graphrun.from_edges([0, 0, 1, 2], [1, 2, 3, 3], np.array([least, least + 1, 2, 0], np.int64))
    assert graph.weights.tolist() == [least, least + 1, 2, 0]
    assert graph.sssp(source=0, verify="serial").distances.tolist() == [0, least, least + 1, least + 1]
    for name in ("graph.grf", "graph.el"):
        graph.save(tmp_path / name)
        again = graphrun.open(tmp_path / name)
        assert again.weights.dtype == np.uint64 and again.weights.tolist() == graph.weights.tolist()
        assert again.sssp(source=0, weights="unit").distances.tolist() == [0, 1, 1, 2]
        assert again.sssp(source=0).distances.tolist() == [0, least, least + 1, least + 1]
    drawn = again.sample([0], [1], weighted=True, replace=True, seed=3)
    assert set(drawn.vertices.tolist()) <= {0, 1, 2}
    with pytest.raises(graphrun.UsageError, match="32 bits, and those of the graph have 64"):
        graph.save(tmp_path / "graph.wsg")
    with pytest.raises(graphrun.UsageError, match="from vertex 0 to vertex 2 is not below 18446744073709551614"):
        graphrun.from_edges([0, 1], [1, 2], [2**63, 2**63]).sssp(source=0)


# A road of a million pieces of 0.1 was 1 % too long, in an array of float64, and verified.
def test_distances_of_float_weights_are_doubles_unless_floats_are_asked_for():
    n = 20001
    road = graphrun.from_edges(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 0.1))
    paths = road.sssp(source=0, verify="serial")
    assert paths.distances.dtype == np.float64 and paths.verified
    assert paths.values[-1] == pytest.approx(float(np.float32(0.1)) * (n - 1), rel=1e-12)
    floats = road.sssp(source=0, distances="f32", verify=True)
    assert floats.distances.dtype == np.float32 and floats.record["chosen"]["relative_error"] == (n - 1) * 2.0**-24


def test_bytes_moved_are_those_of_the_record():
    search = graphrun.open("kron:12").bfs(backend="bam", cache="64KiB", threads=2, device="cpu")
    assert search.trial.bytes_moved == search.record["trials"][0]["bytes_moved"] > 4 * 2**12


def test_keywords_are_the_options_of_the_command_line():
    graph = graphrun.open("kron:8", drop_self_loops=True)
    answer = graph.bfs(
        source="random:7", trials=3, variant="push", threads=1, backend="bam", page="512", queue_depth=8, device="cpu"
    )
    options = answer.record["options"]
    assert len(answer.trials) == 3 and answer.record["variant"] == "push"
    assert (options["source"], options["threads"], options["page_bytes"], options["queue_depth"]) == ("random:7", 1, 512, 8)
    assert graph.pagerank(max_iterations=2, tolerance=1e-12).converged is False
    assert {"delta", "weights", "backend"} <= set(graphrun.keywords("sssp")) and "columns" in graphrun.keywords()


@pytest.mark.parametrize("call, hint", [
    (lambda graph: graph.bfs(bakend="bam"), "did you mean 'backend'"),
    (lambda graph: graph.bfs(damping=0.5), "no keyword 'damping'"),
    (lambda graph: graphrun.open("kron:8", undirectd=True), "did you mean 'undirected'"),
    (lambda graph: graph.bfs(preload="yes"), "True or False"),
    (lambda graph: graph.bfs(backend=True), "takes a value"),
    (lambda graph: graph.bfs(source=2.5), "source is the name of a vertex, and no name is 2.5"),
    (lambda graph: graph.bfs(source=True), "no name is True"),
    (lambda graph: graph.sssp(source=np.True_), "no name is True"),
    (lambda graph: graph.bc(source=True), "no name is True"),
    (lambda graph: graph.bc(source=[[1]]), r"no name is \[1\]"),
    (lambda graph: graph.bfs(index="1"), "index is the number of a vertex, or a list of numbers, not '1'"),
    (lambda graph: graph.bfs(index=1.5), "index is a list or an array of whole numbers, not 1.5"),
    (lambda graph: graph.sample([True, 2], [1]), "seeds is a list or an array of whole numbers, not of bool"),
    (lambda graph: graph.sample([0], (1, np.True_)), "fanouts is a list or an array of whole numbers, not of bool"),
    (lambda graph: graph.sample([0.5], [1]), "whole numbers"),
    (lambda graph: graph.sample([0], [1], trials=2), "no keyword 'trials'"),
    (lambda graph: graph.sample([0], [1], xyz=2), r"no keyword 'xyz'; graphrun.keywords\('sample'\) has those"),
    (lambda graph: graph.sample([0], [1], weigthed=True), "did you mean 'weighted'"),
    (lambda graph: graph.sample([0], [1], replaces=True), "did you mean 'replace'"),
    (lambda graph: graph.bfs(sorce=1), "did you mean 'source'"),
    (lambda graph: graph.sample(0, [1]), "seeds is a list or an array of whole numbers, not 0"),
    (lambda graph: graph.sample([0], 2), "fanouts is a list or an array of whole numbers, not 2"),
    (lambda graph: graph.sample([0], [1], seed="x"), "seed is a whole number, not 'x'"),
    (lambda graph: graph.sample([0], [1], replace=2), "replace is True or False, not 2"),
    (lambda graph: graph.sample([0], [1], weighted="x"), "weighted is True or False"),
    (lambda graph: graph.bc(source=[2.5]), "no name is 2.5"),
    (lambda graph: graphrun.from_edges([0], [1], undirected="no"), "undirected is True or False"),
    (lambda graph: graphrun.from_edges([0], [1], vertices=2.5), "vertices is a whole number, not 2.5"),
    (lambda graph: graphrun.from_edges([0], [1], vertices=True), "vertices is a whole number, not True"),
    (lambda graph: graph.sample([0], [1], seed=np.True_), "seed is a whole number, not (np.)?True"),
    (lambda graph: graphrun.from_edges({0, 1}, [1, 2]), "sources is a list or an array of whole numbers, not {0, 1}"),
    (lambda graph: graphrun.from_edges([0], [1], frozenset([2.5])), "weights is a list or an array of numbers, not frozenset"),
    (lambda graph: graphrun.from_edges(b"01", [1, 2]), "sources is a list or an array of whole numbers, not b'01'"),
    (lambda graph: graphrun.from_edges([0.5], [1]), "sources is a list or an array of whole numbers, not of float64"),
    (lambda graph: graphrun.from_edges([[0], [1, 2]], [1]), "sources is a list"),
    (lambda graph: graphrun.from_edges([0], [1], 5), "weights is a list or an array of numbers, not 5"),
    (lambda graph: graphrun.from_edges([0], [1], [[1], [2, 3]]), "weights is a list"),
    (lambda graph: graphrun.from_edges([0], [1], labels=5), "labels is a list of names"),
    (lambda graph: graphrun.from_edges([0], [1], labels="ab"), "labels is a list of names"),
    (lambda graph: graphrun.from_edges([0], [1], labels=[[1], [2]]), "labels is a list of names"),
    (lambda graph: graphrun.from_edges([0], [1], labels={7, 8}), "labels is a list of names"),
    (lambda graph: graphrun.from_edges([0], [1], labels=frozenset("ab")), "labels is a list of names"),
    (lambda graph: graphrun.from_edges([0], [1], labels=b"ab"), "labels is a list of names"),
    (lambda graph: graphrun.open(np.eye(2)), "takes the name of a file, not ndarray: from_edges.., from_table"),
    (lambda graph: graphrun.from_scipy([[1]]), "matrix is a sparse matrix or array of SciPy, of two dimensions, not list"),
    (lambda graph: graphrun.from_scipy(np.eye(2)), "matrix is a sparse matrix .*, not ndarray"),
    (lambda graph: graphrun.from_networkx({1: 2}), "graph is one of networkx, not {1: 2}"),
])  # fmt: skip
def test_what_no_call_takes_is_a_type_error(small, call, hint):
    with pytest.raises(TypeError, match=hint):
        call(small)


@pytest.mark.parametrize("call, kind, message", [
    (lambda graph: graph.bfs(index=5), graphrun.UsageError, "has 5 vertices"),
    (lambda graph: graph.bfs(index=-1), graphrun.UsageError, "vertex -1"),
    (lambda graph: graph.bfs(source=5), graphrun.UsageError, "the graph has vertices 0 to 4"),
    (lambda graph: graph.bfs(source=-1), graphrun.UsageError, "-1 is not a vertex"),
    (lambda graph: graph.bfs(backend="bram"), graphrun.UsageError, "bam"),
    (lambda graph: graph.bfs(source="nowhere"), graphrun.UsageError, "nowhere"),
    (lambda graph: graph.bc(source=[]), graphrun.UsageError, "no source"),
    (lambda graph: graph.triangles(), graphrun.UsageError, "load it with undirected, which takes arcs as edges"),
    (lambda graph: graph.sample([0, 5], [1]), graphrun.UsageError, r"seeds\[1\] is 5"),
    (lambda graph: graph.sample([-1], [1]), graphrun.UsageError, r"seeds\[0\] is -1"),
    (lambda graph: graph.sample([[0]], [1]), graphrun.UsageError, "2 dimensions"),
    (lambda graph: graph.sample([0], [2, -1]), graphrun.UsageError, "a fanout is from 1 to 65536, not -1"),
    (lambda graph: graph.sample([0], [0]), graphrun.UsageError, "a fanout is from 1 to 65536, not 0"),
    (lambda graph: graph.sample([0], [2**17]), graphrun.UsageError, "from 1 to 65536"),
    (lambda graph: graph.sample([0], [1], seed=-1), graphrun.UsageError, "seed is from 0 to 18446744073709551615, not -1"),
    (lambda graph: graph.sample([0], [1], seed=2**64), graphrun.UsageError, "seed is from 0"),
    (lambda graph: graphrun.from_edges([0], [1], vertices=2**70), graphrun.UsageError, "vertices is from 0 to"),
    (lambda graph: graphrun.from_edges([0], [1], vertices=-1), graphrun.UsageError, "vertices is from 0 to"),
    (lambda graph: graphrun.from_edges([0], [1], labels=["a", "a"]), graphrun.UsageError, "labels has 'a' twice"),
    (lambda graph: graphrun.from_edges([0], [1], labels=[1, "1"]), graphrun.UsageError, "has 1 and '1', which are the same name"),
    (lambda graph: graphrun.from_edges([0], [1], labels=["\udcc3\udca9", "é"]), graphrun.UsageError, "the same name"),
    (lambda graph: graphrun.from_edges([0], [1], labels=["a"]), graphrun.UsageError, "1 labels of 2 vertices"),
    (lambda graph: graphrun.from_edges([0], [1], labels=["\ud800", "b"]), graphrun.UsageError, r"has '\\ud800', which is no"),
    (lambda graph: graph.bfs(source="\ud800"), graphrun.UsageError, "source has"),
    (lambda graph: graph.bfs(backend="\ud800"), graphrun.UsageError, "backend has"),
    (lambda graph: graph.bfs(backend="\udc80"), graphrun.UsageError, "\udc80"),
    (lambda graph: graph.bfs(device="cuda:77"), graphrun.UnavailableError, "cuda:77 cannot be used"),
    (lambda graph: graphrun.open(f"{__file__}\0x"), graphrun.DataError, "has a null byte, and no file has such a name"),
    (lambda graph: graphrun.open("kron:8", format="mtx\0x"), graphrun.UsageError, r"format has a null byte, .*: 'mtx\\x00x'"),
    (lambda graph: graph.bfs(backend="bam\0x"), graphrun.UsageError, "backend has a null byte"),
    (lambda graph: graphrun.open("/nowhere/g.mtx"), graphrun.DataError, "nowhere"),
    (lambda graph: graphrun.from_edges([0], [1, 2]), graphrun.UsageError, "1 sources and 2 targets"),
    (lambda graph: graphrun.from_edges([0, -3], [1, 2]), graphrun.UsageError, r"sources\[1\] is -3"),
    (lambda graph: graphrun.from_edges([0, 3], [1, 2], vertices=3), graphrun.UsageError, "below 3"),
    (lambda graph: graphrun.from_edges([0, 1], [1, 2], [2**40, -1]), graphrun.UsageError, r"weights\[1\] is -1: weights that"),
    (lambda graph: graphrun.from_edges([0], [1], [2**64]), graphrun.UsageError, "weights has numbers that no type of 64 bits"),
    (lambda graph: graphrun.from_edges([0], [1], [1, 2]), graphrun.UsageError, "2 weights of 1"),
    (lambda graph: graphrun.from_edges([[0]], [1]), graphrun.UsageError, "2 dimensions"),
    (lambda graph: graphrun.from_edges([0], [1], [-1.0]).sssp(source=0), graphrun.UsageError, "negative"),
    pytest.param(lambda graph: graphrun.from_edges([0], [10**15]), graphrun.UnavailableError, "memory", marks=wide),
    pytest.param(lambda graph: graphrun.from_edges([0], [2**63]), graphrun.UnavailableError, "memory", marks=wide),
    (lambda graph: graphrun.keywords("dfs"), graphrun.UsageError, "no algorithm 'dfs': bfs, .*, triangles, .*sample"),
    (lambda graph: graphrun.keywords([]), graphrun.UsageError, r"no algorithm \[\]: bfs"),
])  # fmt: skip
def test_errors_are_typed_and_one_sentence(small, call, kind, message):
    with pytest.raises(kind, match=message) as caught:
        call(small)
    assert isinstance(caught.value, graphrun.Error) and "\n" not in str(caught.value)


@pytest.mark.parametrize("call, words", [
    (lambda graph: graph.bfs(sources=0), "sources must be a whole number from 1"),
    (lambda graph: graph.bfs(threads=5000), "threads must be"),
    (lambda graph: graph.pagerank(max_iterations=0), "max_iterations must be"),
    (lambda graph: graph.sssp(delta=-1), "delta: '-1'"),
    (lambda graph: graph.bfs(hot="weighted", backend="bam"), "hot weighted chooses rows of features"),
    (lambda graph: graph.bfs(backend="subway", ranks=2), "choose subway_variant sync"),
    (lambda graph: graph.bfs(backend="uvm", device="cpu", cache=1000), "smaller uvm_block and uvm_prefetch"),
    (lambda graph: graphrun.FeatureTable(np.zeros((4, 4)), threads=5000), "threads is from 0 to 1024"),
])  # fmt: skip
def test_errors_name_keywords_and_no_options(small, call, words):
    with pytest.raises(graphrun.UsageError) as caught:
        call(small)
    assert words in str(caught.value) and "--" not in str(caught.value) and "::" not in str(caught.value)


def test_build_info_has_the_ids_that_open_takes():
    if 64 in graphrun.build_info()["vertex_bits"]:
        assert graphrun.open("path:4", ids=64).num_vertices == 4
    else:
        with pytest.raises(graphrun.Error, match="64-bit"):
            graphrun.open("path:4", ids=64)


def test_the_log_and_the_help_name_keywords(small, caplog):
    small.bfs(backend="incore", device="cpu", queue_depth=8)
    assert "queue_depth has no effect on backend incore" in caplog.text and "--" not in caplog.text
    helps = [text for name in (None, "bfs", "sample", "pagerank") for text in graphrun.keywords(name).values()]
    assert not any("--" in text.replace("graphrun --p", "") or "exit code" in text or "names below" in text for text in helps)
    said = graphrun._options.in_keywords
    command = "make a container by graphconv a OUT.grf --ids 64 --columns 1,2"
    assert said(f"{command}, and run over that with --backend bam") == f"{command}, and run over that with backend bam"
    assert said("x--cache.npy and --no-such") == "x--cache.npy and --no-such"


@pytest.mark.parametrize("weight", [np.inf, -1.0])
def test_no_sample_is_drawn_by_weights_that_are_none(weight):
    graph = graphrun.from_edges([0, 0, 1], [1, 2, 2], [1.0, weight, 2.0])
    for _ in range(2):
        with pytest.raises(graphrun.UsageError, match="from 0 to 2 has weight .* finite numbers and not negative"):
            graph.sample([0], [1], weighted=True)
    assert graph.sample([0], [2]).hops[0].targets.tolist() == [1, 2]


def test_what_was_not_checked_is_neither_right_nor_wrong(small):
    answer = small.bfs(source=1)
    assert answer.verified is None and answer.trial.reason is None
    answer = small.bfs(source=1, verify=True)
    assert answer.verified is True and answer.trial.reason is None
    assert small.pagerank(max_iterations=1, tolerance=1e-12).verified is None
    assert small.pagerank(max_iterations=1, tolerance=1e-12, verify=True).verified is False


def test_a_sample_is_of_edges_that_there_are(small):
    drawn = small.sample([2, 1, 2], [2, 9], seed=4)
    assert drawn.vertices[:2].tolist() == [2, 1] and drawn.counts[0] == 2 and len(drawn.hops) == 2
    arcs = set(zip(SOURCES, TARGETS))
    for hop in drawn.hops:
        assert set(zip(hop.sources.tolist(), hop.targets.tolist())) <= arcs
        assert (drawn.vertices[hop.source_places] == hop.sources).all()
        assert (drawn.vertices[hop.target_places] == hop.targets).all()
    assert drawn.hops[0].sources.tolist() == [2, 2, 1, 1]
    ends = drawn.hops[1].targets
    del drawn
    assert not ends.flags.owndata and ends.max() < 5
    always = small.sample([2], [50], replace=True, weighted=True)
    assert always.hops[0].sources.size == 50 and (always.hops[0].targets == 3).sum() > 25  # 10 of 13
    assert "50 edges" in repr(always) and always.trial.edges_examined == 50


@pytest.mark.parametrize("backend", ["emogi", "bam", "gpuvm", "subway"])
def test_samples_are_the_same_from_every_backend(backend):
    graph = graphrun.open("kron:10")
    for way in ({}, {"replace": True}, {"weighted": True}):
        one = graph.sample(range(0, 1000, 50), [5, 5], seed=3, backend="incore", threads=1, **way)
        other = graph.sample(np.arange(0, 1000, 50, dtype=np.int16), [5, 5], seed=3, backend=backend,
                             cache="1MiB", device="cpu", warm=True, **way)  # fmt: skip
        assert (one.vertices == other.vertices).all() and one.counts == other.counts
        assert all((a.targets == b.targets).all() for a, b in zip(one.hops, other.hops))
    drawn = [graph.sample(range(100), [5], seed=seed).hops[0].targets for seed in (4, 5)]
    assert drawn[0].size == drawn[1].size > 0 and (drawn[0] != drawn[1]).any()


def test_an_array_outlives_answer_graph_and_engine():
    graph = graphrun.open("kron:10")
    answer = graph.pagerank()
    ranks, neighbours, expected = answer.values, graph.neighbours, answer.values.sum()
    assert not ranks.flags.owndata and ranks.__array_interface__ == answer.values.__array_interface__
    del answer, graph
    gc.collect()
    for _ in range(3):
        graphrun.open("kron:10").pagerank()  # would take freed memory
    assert ranks.sum() == expected and neighbours.max() < 2**10
    assert np.shares_memory(np.from_dlpack(ranks), ranks)  # what torch.from_dlpack() and others take
    ranks[0] = 1  # it is the caller's


def test_an_engine_is_kept_for_the_same_placement(caplog):
    graph = graphrun.open("kron:8")
    graph.bfs(backend="bam", cache="1MiB")
    engine = graph._engine
    graph.bfs(source=3, cache="1MiB", backend="bam", trials=2)
    assert graph._engine is engine
    graph.bfs(backend="bam", cache="2MiB")
    assert graph._engine is not engine
    graph.close()
    assert graph._engine is None and graph.bfs().reached > 1


def test_labels_are_what_the_input_calls_vertices(tmp_path):
    table = tmp_path / "payments.csv"
    table.write_text("payer,payee,amount\nann,bob,30\nbob,cy,12.5\ncy,ann,7\ncy,dée,1\n")
    graph = graphrun.open(table, columns=["payer", "payee", "amount"])
    assert graph.labels.tolist() == ["ann", "bob", "cy", "dée"] and graph.index("dée") == 3
    assert graph.sssp(source="bob").values.tolist() == [19.5, 0, 12.5, 13.5]
    with pytest.raises(KeyError):
        graph.index("zoe")
    assert graphrun.from_edges([0], [1], labels=[70, 7]).labels.tolist() == [70, 7]
    assert graphrun.from_edges([0], [1]).labels.tolist() == [0, 1]


@pytest.mark.parametrize("labels", [None, [70, 7], ["a", "b"], [(1, 2), "b"]])
def test_labels_are_read_only(labels):
    graph = graphrun.from_edges([0], [1], labels=labels)
    with pytest.raises(ValueError):
        graph.labels[0] = graph.labels[1]
    assert graph.labels.tolist() == (labels or [0, 1])


def test_labels_need_not_be_utf8():
    graph = graphrun.from_edges([0], [1], labels=["\udc80", "b"])
    assert graph.labels.tolist() == ["\udc80", "b"] and graph.index("\udc80") == 0
    search = graph.bfs(source="\udc80")
    assert search.values.tolist() == [0, 1] and search.trial.source == 0
    for name in ("\udc81", "\ud800"):
        with pytest.raises(KeyError):
            graph.index(name)
    with pytest.raises(graphrun.UsageError, match="\udc81"):
        graph.bfs(source="\udc81")


def test_names_of_files_need_not_be_utf8(tmp_path):
    file = tmp_path / os.fsdecode(b"\x80.txt")
    file.write_text("0 1\n")
    assert graphrun.open(file).num_edges == 1 and os.path.basename(graphrun.open(os.fsencode(file)).name).startswith("\udc80")
    with pytest.raises(graphrun.DataError, match="\udc80"):
        graphrun.open(file.with_suffix(".none"))


class Array:
    """What NumPy takes by its interface alone."""

    held = np.arange(2)
    __array_interface__ = held.__array_interface__


class Tensor:
    """What is elsewhere, as tensors of PyTorch may be."""

    def __init__(self, error):
        self.error = error

    def __array__(self, *_):
        raise self.error

    def __iter__(self):
        return iter([0])


@pytest.mark.parametrize("error", [TypeError("use Tensor.cpu()"), RuntimeError("use tensor.detach()"), ValueError("x")], ids=repr)
def test_what_arrays_themselves_raise_is_told(error):
    with pytest.raises(type(error)) as caught:
        graphrun.from_edges(Tensor(error), [1])
    assert caught.value is error


@pytest.mark.parametrize("ends", [Array(), array.array("i", [0, 1]), (ctypes.c_int * 2)(0, 1), bytearray(b"\0\1"), {0: 0, 1: 0},
                                  {0: 0, 1: 0}.keys(), range(2), (v for v in (0, 1))], ids=lambda ends: type(ends).__name__)  # fmt: skip
def test_columns_of_any_make(ends):
    assert graphrun.from_edges(ends, [1, 0]).neighbours.tolist() == [1, 0]


def test_what_ended_a_column_is_its_cause():
    with pytest.raises(TypeError, match="sources is a list") as caught:
        graphrun.from_edges((int(text) for text in ["1", "x"]), [1, 0])
    assert "invalid literal" in str(caught.value.__cause__)


@wide
def test_ids_of_64_bits(tmp_path):
    wide = graphrun.open("kron:8", ids="64")
    assert wide.neighbours.dtype == np.uint64
    (tmp_path / "arcs.txt").write_text("0 2\n1 2\n")
    assert graphrun.open(tmp_path / "arcs.txt", ids="64").degrees("in").tolist() == [0, 0, 2]  # NumPy counts no uint64
    search = wide.bfs(source=1, verify=True)
    assert search.verified and search.parents.dtype == np.uint64
    assert (search.values == graphrun.open("kron:8").bfs(source=1).values).all()


def test_a_batch_has_a_row_a_source():
    answer = graphrun.open("kron:8").bfs(sources=5, batch=True, verify=True)
    assert answer.values.shape == (5, 2**8) and answer.verified
    assert all(answer.values[i, source] == 0 for i, source in enumerate(answer.sources))


def test_small_graphs():
    empty = graphrun.from_edges([], [])
    assert (empty.num_vertices, empty.labels.tolist(), empty.cc().components) == (0, [], 0)
    with pytest.raises(graphrun.UsageError):
        empty.bfs()
    alone = graphrun.from_edges([], [], vertices=1)
    assert alone.bfs(source=0).values.tolist() == [0]


def test_strided_columns_of_any_type():
    table = np.array([[0, 1, 9], [1, 2, 8]], dtype=np.int64)
    for kind in (np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        graph = graphrun.from_edges(table[:, 0].astype(kind), table[:, 1].astype(kind), table[:, 2].astype(kind))
        assert graph.neighbours.tolist() == [1, 2] and graph.weights.tolist() == [9, 8]
    assert graphrun.from_edges(table[:, 0].astype(">i4"), table[:, 1], table[:, 2].astype(">f8")).weights.tolist() == [9, 8]


def test_a_rounded_weight_is_a_warning_in_the_log(caplog):
    with caplog.at_level(logging.WARNING, logger="graphrun"):
        graph = graphrun.from_edges([0, 1], [1, 2], [0.5, 0.1])
    assert graph.weights.dtype == np.float32 and "weights[1], which is 0.1" in caplog.text


def test_a_weight_too_large_is_an_error():
    with pytest.raises(graphrun.UsageError, match=r"weights\[1\] is 1e\+39, and weights are 32-bit floats"):
        graphrun.from_edges([0, 1], [1, 2], [0.5, 1e39])
    with pytest.raises(graphrun.UsageError, match=r"weights\[0\] is -1e\+39"):
        graphrun.from_edges([0, 1], [1, 2], [-1e39, 1])
    assert np.isinf(graphrun.from_edges([0, 1], [1, 2], [0.5, np.inf]).weights[1])
    with pytest.raises(graphrun.UsageError, match=r"weights\[1\] is NaN"):
        graphrun.from_edges([0, 1], [1, 2], [0.5, np.nan])


def test_whole_numbers_from_2_to_63_up_are_no_floats():
    for weights in ([1, 2**63 + 1], [np.uint64(2**63), 1]):
        graph = graphrun.from_edges([0, 1], [1, 2], weights)
        assert graph.weights.dtype == np.uint64 and graph.weights.tolist() == [int(weight) for weight in weights]
    for ids in ([1, 2**64], [-1, 2**63]):
        with pytest.raises(graphrun.UsageError, match="sources has numbers that no type of 64 bits holds"):
            graphrun.from_edges(ids, [1, 2])
    assert graphrun.from_edges([np.uint64(3), np.int64(1)], [1, 2]).num_vertices == 4
    with pytest.raises(graphrun.UsageError, match=r"sources\[1\] is -1: vertices from 0"):
        graphrun.from_edges([np.uint64(5), -1], [1, 2])


def test_other_threads_run_while_a_call_works():
    graph = graphrun.from_edges(range(1000), [*range(1, 1000), 0])  # a ring, around which ranks take long to settle
    done, ticks = threading.Event(), []

    def tick():
        while not done.wait(0.001):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    begun = time.monotonic()
    graph.pagerank(source=0, damping=0.9999999, tolerance=1e-12, max_iterations=20000, variant="pull", threads=1, device="cpu")
    ended = time.monotonic()
    done.set()
    other.join()
    third = (ended - begun) / 3
    assert sum(begun + third < tick < ended - third for tick in ticks) > 3, f"in {ended - begun} s"


def test_threads_share_a_graph():
    graph = graphrun.open("kron:12")
    expected, answers = graph.bfs(source=1).values, []
    threads = [threading.Thread(target=lambda: answers.append(graph.bfs(source=1).values)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4 and all((answer == expected).all() for answer in answers)


def test_a_source_that_a_sequence_names_twice_counts_once(small):
    once = small.bc(source="0,1", verify="serial")
    for twice in ([1, 0, 1], np.array([1, 1, 0])):
        answer = small.bc(source=twice, verify="serial")
        assert answer.verified and answer.sources.tolist() == [0, 1] and answer.values.tolist() == once.values.tolist()


@pytest.mark.parametrize("backend", ["incore", "emogi", "uvm", "bam", "gpuvm", "subway"])
def test_a_child_process_goes_on_with_the_graphs_of_its_parent(in_child, backend):
    graph = graphrun.open("kron:8")
    if (backend, "cpu", False) in {(each["backend"], each["device"], each["available"]) for each in graphrun.build_info()["backends"]}:
        pytest.skip(f"no {backend} here")
    expected = graph.bfs(source=1, backend=backend, device="cpu", threads=2).reached
    assert in_child(lambda: graph.bfs(source=1, backend=backend, device="cpu", threads=2).reached == expected)
    assert graph.bfs(source=1, backend=backend, device="cpu", threads=2).reached == expected


def test_a_child_made_within_a_call_ends():
    graph = graphrun.from_edges(range(1000), [*range(1, 1000), 0])
    child = []

    def fork(*_):
        child.append(os.fork())
        if child[-1] == 0:
            signal.alarm(20)
            raise SystemExit(7)

    before = signal.signal(signal.SIGALRM, fork)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            while not child:
                graph.pagerank(trials=20, threads=1)
        except SystemExit:
            atexit._run_exitfuncs()
            os._exit(7)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert os.waitstatus_to_exitcode(os.waitpid(child[0], 0)[1]) == 7


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("algorithm", [name for name in METHODS if name != "sample"])
def test_answers_can_be_pickled(algorithm, protocol):
    graph = graphrun.from_edges([0, 0, 1], [1, 2, 2]) if algorithm == "topo" else graphrun.open("kron:6:4")
    answer = getattr(graph, algorithm)(verify=True)
    again = pickle.loads(pickle.dumps(answer, protocol))
    assert repr(again) == repr(answer) and again.record == answer.record and again.verified is True
    if algorithm != "triangles":
        assert np.array_equal(again.values, answer.values)


def test_walks_are_rows_of_vertices():
    answer = graphrun.from_edges([0, 1], [1, 2]).walks(length=3)
    none = graphrun.UNREACHED
    assert answer.values.tolist() == [[0, 1, 2, none], [1, 2, none, none], [2, none, none, none]]
    assert answer.walks is answer.values and answer.visits.tolist() == [1, 2, 3] and answer.dead_ends == 3
    assert graphrun.from_edges([], [], vertices=0).walks(length=3).walks.shape == (0, 4)
    assert graphrun.open("kron:6:4").walks(source=[3, 1], walks=2, length=5, node2vec_p=2).walks[:, 0].tolist() == [1, 1, 3, 3]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_graph_is_not_copied(small, copied):
    with pytest.raises(graphrun.UsageError, match="a graph of arrays is not copied or pickled"):
        copied(small)


def test_what_help_shows():
    assert "hops from vertex 7" in graphrun.__doc__ and "cache:" in graphrun.Graph.bfs.__doc__
    assert "damping:" in graphrun.Graph.pagerank.__doc__ and "damping:" not in graphrun.Graph.bfs.__doc__
    assert graphrun.keywords("triangles") == graphrun.keywords("tc")
    for function in (graphrun.open, graphrun.Graph.bfs, graphrun.Graph.sample):
        keywords = inspect.getdoc(function).split("\nKeywords:\n")[1].split("\nOthers")[0]
        assert all(line.startswith("    ") for line in keywords.rstrip().split("\n"))
    info = graphrun.build_info()
    assert info["version"] == graphrun.__version__ and set(info["missing"]) <= {"cuda", "libfabric"}
    assert "bfs" in repr(graphrun.open("kron:8").bfs()) and "kron:8" in repr(graphrun.open("kron:8"))


STUBS = ast.parse(Path(graphrun.__file__).with_name("__init__.pyi").read_text())
CLASSES = {each.name: each for each in STUBS.body if isinstance(each, ast.ClassDef)}


def stubs_of(body):
    """Names that a body of stubs defines."""
    named = {each.name for each in body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    return named | {each.target.id for each in body if isinstance(each, ast.AnnAssign)}


def parameters_of(stub):
    """Names of what a function takes with their defaults, and the keywords of its options."""
    names = [each.arg for each in stub.args.args]
    defaults = [ast.literal_eval(each) for each in stub.args.defaults]
    options = {each.arg for each in stub.args.kwonlyargs}
    return [*names[: len(names) - len(defaults)], *zip(names[len(names) - len(defaults) :], defaults)], options


def test_stubs_have_the_functions_with_their_arguments():
    functions = [(each, getattr(graphrun, each.name)) for each in STUBS.body if isinstance(each, ast.FunctionDef)]
    for owner in (graphrun.Graph, graphrun.FeatureTable):
        body = CLASSES[owner.__name__].body
        stubs = [each for each in body if isinstance(each, ast.FunctionDef) and not each.decorator_list]  # no properties
        functions += [(each, getattr(owner, each.name)) for each in stubs]
    for stub, function in functions:
        taken = [each for each in inspect.signature(function).parameters.values() if each.kind == each.POSITIONAL_OR_KEYWORD]
        expected = [each.name if each.default is each.empty else (each.name, each.default) for each in taken]
        assert parameters_of(stub)[0] == expected, stub.name


def test_stubs_have_the_keywords_and_no_others():
    stubs = {each.name: each for each in (*STUBS.body, *CLASSES["Graph"].body) if isinstance(each, ast.FunctionDef)}
    for name in ("open", *METHODS):
        options = parameters_of(stubs[name])[1]
        assert options == set(graphrun.keywords(None if name == "open" else name)) - {"source"}, name


def test_stubs_have_the_names_and_no_others(small):
    assert stubs_of(STUBS.body) == {*graphrun.__all__, "open", "__version__"}
    both_ways = graphrun.from_edges(SOURCES, TARGETS, undirected=True)
    table = graphrun.FeatureTable(np.zeros((4, 4)))
    runs = small.bfs(), small.sssp(), small.cc(), small.pagerank(), small.bc(), both_ways.triangles()
    public = {}
    for thing in (small, table, small.sample([0], [1]), *runs, small.bfs(sources=2, batch=True), small.sssp(sources=2)):
        public.setdefault(type(thing).__name__, set()).update(name for name in dir(thing) if name[0] != "_")
    public["Answer"] = {name for name in public["Answer"] if name in dir(graphrun.Answer) or name in ("columns", "verified")}
    for name, found in public.items():
        stubs = stubs_of(CLASSES[name].body).union(*(stubs_of(CLASSES[base.id].body) for base in CLASSES[name].bases))
        assert {each for each in stubs if each[0] != "_"} == found, name


def test_numbers_and_columns_are_attributes(small):
    search = small.bfs(index=0)
    assert search.reached == search.record["result"]["reached"] and search.levels is search.columns["level"] is search.values
    several = small.sssp(index=[0, 1], weights="unit")
    assert several.max_distance.tolist() == [each["max_distance"] for each in several.record["results"]]
    assert several.distances.shape == (2, small.num_vertices) and small.cc().components == small.cc().record["result"]["components"]
    with pytest.raises(AttributeError, match="an answer of cc has no parents: it has components, largest, sizes"):
        small.cc().parents
    with pytest.raises(AttributeError, match="an answer of tc has no values"):
        graphrun.from_edges(SOURCES, TARGETS, undirected=True).triangles().values
    with pytest.raises(AttributeError, match="an answer of cc has no levels"):
        small.cc().hops()
