# SPDX-License-Identifier: Apache-2.0
"""Calls that end early, answers of several sources, graphs that go elsewhere: into files, pickles and other processes."""

import asyncio
import inspect
import os
import pickle
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import graphrun

LONG = dict(index=0, damping=1 - 1e-9, tolerance=1e-15, max_iterations=10**9, variant="pull")


@pytest.fixture
def ring():
    """Ranks around it, against the order of a sweep, take hours to settle."""
    return graphrun.from_edges([*range(1, 1000), 0], range(1000))


def test_a_call_ends_at_its_timeout(ring):
    begun = time.monotonic()
    with pytest.raises(graphrun.TimedOut, match="timeout of 0.3 s") as caught:
        ring.pagerank(timeout=0.3, **LONG)
    assert time.monotonic() - begun < 10 and isinstance(caught.value, TimeoutError)
    assert ring.bfs(index=1, verify=True, timeout=60).verified
    with pytest.raises(TypeError, match="timeout is a number of seconds"):
        ring.bfs(timeout="1")
    with pytest.raises(graphrun.UsageError, match="timeout is a number of seconds from 0, not -1"):
        ring.bfs(timeout=-1)


def test_cancel_ends_calls_of_other_threads_and_those_that_wait(ring):
    ended = []

    def call():
        with pytest.raises(graphrun.Cancelled):
            ring.pagerank(**LONG)
        ended.append(1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    while len(ring._calls) < 3:
        time.sleep(0.01)
    ring.cancel()
    for thread in threads:
        thread.join(20)
    assert len(ended) == 3 and ring.bfs(index=1).reached == 1000
    ring.cancel()
    assert ring.bfs(index=1).reached == 1000


def test_a_call_that_waits_for_another_keeps_its_timeout(ring):
    other = threading.Thread(target=lambda: pytest.raises(graphrun.Cancelled, ring.pagerank, **LONG))
    other.start()
    while not ring._calls:
        time.sleep(0.01)
    with pytest.raises(graphrun.TimedOut):
        ring.bfs(index=0, timeout=0.1)
    ring.cancel()
    other.join(20)
    assert not other.is_alive()


def test_asyncio_can_end_a_run(ring):
    async def main():
        try:
            await asyncio.wait_for(asyncio.to_thread(ring.pagerank, **LONG), 0.3)
        except asyncio.TimeoutError:
            ring.cancel()
            return "ended"

    begun = time.monotonic()
    assert asyncio.run(main()) == "ended" and time.monotonic() - begun < 10  # run() waits for the thread


def test_with_closes_a_graph():
    with graphrun.open("kron:8") as graph:
        graph.bfs()
        assert graph._engine is not None
    assert graph._engine is None


def test_a_graph_of_a_file_is_pickled_as_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graphrun.from_edges([0, 1], [1, 2], [3, 4], labels=["a", "b", "c"]).save("g.grf")
    stored = pickle.dumps(graphrun.open("g.grf"))
    monkeypatch.chdir("/")
    again = pickle.loads(stored)
    assert again.labels.tolist() == ["a", "b", "c"] and again.sssp(source="a").values.tolist() == [0, 3, 7]
    os.utime(tmp_path / "g.grf", ns=(1, 1))
    with pytest.raises(graphrun.DataError, match="was changed"):
        pickle.loads(stored)
    monkeypatch.chdir(tmp_path)
    graph = graphrun.open("g.grf")
    graph.save("g.csv")
    with tarfile.open("g.tar", "w") as archive:
        archive.add("g.csv")
        archive.add("g.csv", "h.csv")
    stored = pickle.dumps(graphrun.open("g.tar:h.csv"))
    monkeypatch.chdir("/")
    assert pickle.loads(stored).labels.tolist() == ["a", "b", "c"]
    os.utime(tmp_path / "g.tar", ns=(1, 1))
    with pytest.raises(graphrun.DataError, match="g.tar was changed"):
        pickle.loads(stored)
    assert pickle.loads(pickle.dumps(graphrun.open("kron:6", drop_self_loops=True))).num_vertices == 64
    with pytest.raises(graphrun.UsageError, match="save\\(\\) it"):
        pickle.dumps(graphrun.from_edges([0], [1]))


def test_cancel_ends_save(tmp_path, monkeypatch):
    graph = graphrun.open("kron:12")
    monkeypatch.setattr(graphrun._graph._progress.Call, "cancel", lambda call: cancelled.append(call))
    cancelled = []
    monkeypatch.setattr(graphrun._graph, "path_of", lambda path: graph.cancel() or str(path))
    graph.save(tmp_path / "g.grf")
    assert len(cancelled) == 1


@pytest.mark.parametrize("suffix", ["grf", "csv", "wel", "mtx"])
def test_save_writes_what_open_reads(tmp_path, suffix):
    graph = graphrun.from_edges([0, 1, 1], [1, 2, 0], [5, 6, 7])
    graph.save(tmp_path / f"g.{suffix}")
    again = graphrun.open(tmp_path / f"g.{suffix}")
    assert again.neighbours.tolist() == [1, 0, 2] and again.weights.tolist() == [5, 7, 6]
    with pytest.raises(graphrun.UsageError, match="the suffix of .* names no format"):
        graph.save(tmp_path / "g.xyz")
    with pytest.raises(graphrun.DataError):
        graph.save(tmp_path / "nowhere" / "g.grf")


def test_several_sources_have_a_row_each():
    graph = graphrun.open("kron:8")
    for how in (dict(source=[3, 5, 3]), dict(index=np.array([3, 5, 3])), dict(source=["3", "5", "3"])):
        search = graph.bfs(verify=True, trials=2, **how)
        assert search.sources.tolist() == [3, 5, 3] and search.verified and len(search.trials) == 6
        for row, parents, source, reached in zip(search.values, search.parents, (3, 5, 3), search.reached):
            alone = graph.bfs(index=source)
            assert (row == alone.values).all() and parents[source] == source and reached == alone.reached
        batch = graph.bfs(batch=True, verify=True, **how)
        assert (batch.values == search.values).all() and batch.sources.tolist() == [3, 5, 3] and batch.verified
    paths = graph.sssp(source=[3, 5], weights="unit")
    assert paths.values.shape == paths.distances.shape == (2, 2**8) and (paths.values[1] == graph.sssp(source=5, weights="unit").values).all()
    drawn = graph.bfs(source="random:4", sources=3)
    assert drawn.values.shape == (3, 2**8) and all(row[v] == 0 for row, v in zip(drawn.values, drawn.sources))
    assert (drawn.values == pickle.loads(pickle.dumps(drawn)).values).all()
    many = graph.bfs(sources=70, batch=True)
    assert many.values.shape == (70, 2**8) and many.reached.shape == (70,)
    with pytest.raises(graphrun.UsageError, match="these are named: leave it out"):
        graph.bfs(source=[1], sources=2)


def test_hops_to_calculate_with():
    search = graphrun.from_edges([0], [1], vertices=3).bfs(source=0)
    assert search.hops().tolist() == [0, 1, -1] and search.hops().dtype == np.int64
    assert np.nanmean(search.hops(np.nan)) == 0.5 and search.hops(np.inf).tolist() == [0, 1, np.inf]


class Sharing:
    """As a tensor of PyTorch in memory: it has __array__ and no __array_interface__."""

    def __init__(self, held, copies=False):
        self.held, self.copies = held, copies

    def __array__(self, *_, **__):
        return self.held.copy() if self.copies else self.held


class Exporting:
    """What has DLPack alone."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **given):
        return self.held.__dlpack__()

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


@pytest.mark.parametrize("wrapped", [Sharing, Exporting, memoryview], ids=lambda each: each.__name__)
def test_rows_are_gathered_into_what_shares_its_memory(wrapped):
    table = graphrun.FeatureTable(np.arange(20, dtype=np.float32).reshape(5, 4))
    room = np.zeros((2, 4), np.float32)
    table.gather([4, 1], out=wrapped(room))
    assert room.tolist() == [[16, 17, 18, 19], [4, 5, 6, 7]]
    with pytest.raises(TypeError, match="out is an array of NumPy, a tensor or a buffer"):
        table.gather([4, 1], out=Sharing(room, copies=True))
    room.flags.writeable = False
    with pytest.raises(graphrun.UsageError, match="writable"):
        table.gather([4, 1], out=Sharing(room))


def test_columns_of_objects_as_pandas_has_them():
    whole = Sharing(np.array([0, 1], dtype=object))
    assert graphrun.from_edges(whole, [1, 2], Sharing(np.array([1.5, 2], dtype=object))).weights.tolist() == [1.5, 2]
    with pytest.raises(TypeError, match=r"sources\[1\] is None, and no number"):
        graphrun.from_edges(Sharing(np.array([0, None], dtype=object)), [1, 2])


@pytest.mark.parametrize("form", ["coo", "csc", "csr", "lil", "dok", "bsr", "dia"])
def test_entries_that_are_stored_twice_are_parallel_arcs(form):
    sparse = pytest.importorskip("scipy.sparse")
    twice = sparse.coo_matrix((np.array([200, 100], np.uint8), ([0, 0], [1, 1])), shape=(2, 2))
    if form in ("coo", "csc", "csr"):
        kinds = {"coo": lambda: twice, "csr": lambda: sparse.csr_matrix((twice.data, [1, 1], [0, 2, 2]), shape=(2, 2)),
                 "csc": lambda: sparse.csc_matrix((twice.data, [0, 0], [0, 0, 2]), shape=(2, 2))}  # fmt: skip
        graph = graphrun.from_scipy(kinds[form]())
        assert sorted(graph.weights.tolist()) == [100, 200] and graph.neighbours.tolist() == [1, 1]
    else:
        once = sparse.coo_matrix((np.array([2.5, 1.0]), ([0, 1], [1, 0])), shape=(2, 2)).asformat(form)
        graph = graphrun.from_scipy(once)
        assert (once.toarray()[[0, 1], [1, 0]] == [2.5, 1.0]).all() and graph.weights[graph.weights != 0].tolist() == [2.5, 1.0]


def test_what_completion_shows():
    assert {"source", "index", "backend", "timeout"} <= set(inspect.signature(graphrun.Graph.bfs).parameters)
    assert "damping" not in inspect.signature(graphrun.Graph.bfs).parameters
    assert "columns" in inspect.signature(graphrun.open).parameters
    assert set(dir(graphrun)) == {*graphrun.__all__, "open", "__version__"}
    names = {}
    exec("from graphrun import *", names)
    assert "open" not in names and "Graph" in names


def test_mypy_accepts_the_stubs_and_the_examples(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "uses.py").write_text(
        "import graphrun\n"
        "with graphrun.open('kron:8', undirected=True) as graph:\n"
        "    hops: float = graph.bfs(source=[1, 2], cache='1MiB', verify=True, timeout=3).hops().mean()\n"
        "graph.pagerank(source={1: 0.5}, damping=0.9)\n"
        "several: int = graph.index(3) + len(graph.index([1, 2]).tolist()) + graph.degrees().size\n"
        "graphrun.from_pandas({'a': [1], 'b': [2]}, 'a', 'b').path(1, 2, timeout=3).tolist()\n"
    )
    home = os.path.dirname(os.path.dirname(graphrun.__file__))
    examples = sorted(Path(__file__).resolve().parents[2].glob("apps/python/examples/*.py"))
    others = ["--ignore-missing-imports", "--allow-subclassing-any"]  # PyTorch, matplotlib
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", *others, "uses.py", *examples], cwd=tmp_path, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": home})  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_an_error_of_a_plan_names_the_graph(tmp_path):
    graphrun.open("kron:14").save(tmp_path / "k.grf")
    code = f"""
import resource, graphrun
graph = graphrun.open({str(tmp_path / "k.grf")!r})
taken = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**20,) * 2)
try:
    graph.pagerank()
except graphrun.UnavailableError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], text=True, capture_output=True)
    assert done.stdout.startswith("k needs "), (done.stdout, done.stderr)
