# SPDX-License-Identifier: Apache-2.0
"""Graphs from and to tables of pandas, polars, Arrow and Parquet, igraph, SciPy, PyG and DGL. Tests skip where a package is absent;
stand-ins of PyG and DGL say how they are called."""

import ctypes
import pickle
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import graphrun
from graphrun import _core

ROWS = {"payer": ["ann", "bob", "ann", "é" * 9], "payee": ["bob", "cy", "cy", "ann"], "sum": np.array([2, 3, 9, 1], np.int32)}


class Stream:
    """A table that offers Arrow's stream alone."""

    def __init__(self, columns):
        self._columns = columns

    def __arrow_c_stream__(self, requested_schema=None):
        return _core.give_arrow(list(self._columns.items()))


def stand_in(monkeypatch, name, **members):
    module = ModuleType(name)
    module.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def arrow_columns(table, wanted):
    """The columns of a table at these positions, through a stream of Arrow."""
    return _core.read_arrow(table.__arrow_c_stream__(), lambda names: wanted)


@pytest.mark.parametrize("form", ["mapping", "stream", "pandas", "polars", "pyarrow"])
def test_a_table_is_a_graph_with_names(form):
    if form == "mapping":
        table = ROWS
    elif form == "stream":
        table = Stream(ROWS)
    elif form == "pandas":
        table = pytest.importorskip("pandas").DataFrame(ROWS)
    elif form == "polars":
        table = pytest.importorskip("polars").DataFrame(ROWS)
    else:
        table = pytest.importorskip("pyarrow").table(ROWS)
    graph = graphrun.from_table(table, "payer", "payee", "sum")
    assert graph.labels.tolist() == ["ann", "bob", "cy", "é" * 9]
    assert graph.sssp(source="ann").values.tolist() == [0, 2, 5, np.inf]
    by_position = graphrun.from_pandas(table, 1, 0)
    assert by_position.weights is None and by_position.labels.tolist() == ["bob", "ann", "cy", "é" * 9]


def test_numbers_of_a_table_become_vertices_in_ascending_order():
    graph = graphrun.from_table(
        {"from": [70, 5, 70], "to": np.array([5, 2**40, 9], np.uint64)}, "from", "to", undirected=True
    )
    assert graph.labels.tolist() == [5, 9, 70, 2**40] and graph.symmetric
    assert graph.neighbors(70).tolist() == [5, 9] and graph.neighbors(index=0).tolist() == [2, 3]


@pytest.mark.parametrize("table, arguments, error, said", [
    (ROWS, ("payer", "payeee"), graphrun.UsageError, "the table has no column 'payeee': it has payer, payee, sum"),
    (ROWS, (0, 3), graphrun.UsageError, "the table has no column 3"),
    ({"a": ["x", None], "b": ["y", "z"]}, ("a", "b"), TypeError, "whole numbers or strings as names, not None"),
    ({"a": [1.5], "b": [2.0]}, ("a", "b"), TypeError, "whole numbers or strings as names, not 1.5"),
    ({"a": ["x"], "b": ["y"], "w": [np.nan]}, ("a", "b", "w"), graphrun.UsageError, "NaN"),
    (7, ("a", "b"), TypeError, "table is a DataFrame of pandas or polars"),
])  # fmt: skip
def test_tables_that_are_no_graph(table, arguments, error, said):
    with pytest.raises(error, match=said):
        graphrun.from_table(table, *arguments)


def test_whole_numbers_of_pandas_that_may_be_missing_are_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [70, 5], "b": [5, 9]}, dtype="Int64")
    assert graphrun.from_pandas(frame).labels.tolist() == [5, 9, 70]


def test_missing_values_of_a_frame_are_named():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(graphrun.UsageError, match="column b has no value in row 1"):
        graphrun.from_pandas(pandas.DataFrame({"a": [1, 2], "b": [3, None]}))


def test_arrow_streams_keep_all_types_of_numbers_and_strings():
    kinds = [f"{sign}{size}" for sign in "iu" for size in (1, 2, 4, 8)] + ["f4", "f8"]
    columns = {kind: np.array([0, 1, 100], kind) for kind in kinds} | {"text": ["", "short", "long " * 9]}
    names, found = arrow_columns(Stream(columns), list(range(len(columns))))
    assert names == list(columns) and found[-1] == columns["text"]
    for kind, array in zip(kinds, found):
        assert array.dtype == kind and array.tolist() == columns[kind].tolist()
    assert arrow_columns(Stream({"a": np.zeros(0), "b": []}), [1, 0])[1][0] == []
    stream = Stream(columns).__arrow_c_stream__()
    _core.read_arrow(stream, lambda names: [])
    with pytest.raises(graphrun.UsageError, match="holds complex128|a type that Arrow has not"):
        Stream({"a": np.zeros(2, complex)}).__arrow_c_stream__()


POINTER, LONG = ctypes.c_void_p, ctypes.c_int64


class ArrowSchema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", POINTER), ("flags", LONG), ("n_children", LONG),
                ("children", POINTER), ("dictionary", POINTER), ("release", POINTER), ("private_data", POINTER)]  # fmt: skip


class ArrowArray(ctypes.Structure):
    _fields_ = [("length", LONG), ("null_count", LONG), ("offset", LONG), ("n_buffers", LONG), ("n_children", LONG),
                ("buffers", POINTER), ("children", POINTER), ("dictionary", POINTER), ("release", POINTER), ("private_data", POINTER)]  # fmt: skip


class Coded:
    """A table with a column "who" of codes, whose dictionary is ["ann", None]; without codes the column is that, and says that no
    value is missing."""

    def __init__(self, codes=()):
        self._kept = []
        end = self._pointer(ctypes.CFUNCTYPE(None, POINTER)(lambda each: None))

        def buffers(*each):
            return self._pointer((POINTER * len(each))(*each))

        ids = self._pointer((ctypes.c_int8 * len(codes))(*codes))
        valid, ends = self._pointer((ctypes.c_uint8 * 1)(1)), self._pointer((ctypes.c_int32 * 3)(0, 3, 3))
        texts = buffers(valid, ends, self._pointer(ctypes.create_string_buffer(b"ann")))
        names = self._pointer(ArrowArray(2, 1 if codes else 0, 0, 3, 0, texts, release=end))
        column = self._pointer(ArrowArray(len(codes), 0, 0, 2, 0, buffers(None, ids), dictionary=names, release=end))
        self._batches = [ArrowArray(len(codes) or 2, 0, 0, 1, 1, buffers(None), buffers(column if codes else names), release=end)]
        strings = self._pointer(ArrowSchema(b"u", b"" if codes else b"who", release=end))
        child = self._pointer(ArrowSchema(b"c", b"who", dictionary=strings, release=end)) if codes else strings
        self._schema = ArrowSchema(b"+s", b"", n_children=1, children=buffers(child), release=end)
        call = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, POINTER)
        calls = [self._pointer(call(each)) for each in (self._give_schema, self._give_batch)]
        self._stream = buffers(*calls, None, end, None)

    def _pointer(self, thing):
        self._kept.append(thing)
        return ctypes.cast(ctypes.pointer(thing) if isinstance(thing, ctypes.Structure) else thing, POINTER)

    def _give_schema(self, _, to):
        ctypes.memmove(to, ctypes.byref(self._schema), ctypes.sizeof(self._schema))
        return 0

    def _give_batch(self, _, to):
        batch = self._batches.pop() if self._batches else ArrowArray()
        ctypes.memmove(to, ctypes.byref(batch), ctypes.sizeof(batch))
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]
        return new(self._stream, b"arrow_array_stream", None)


def test_a_missing_value_of_an_arrow_dictionary_is_named():
    """It was read as an empty name."""
    assert arrow_columns(Coded([0, 0]), [0])[1] == [["ann", "ann"]]
    with pytest.raises(graphrun.UsageError, match="column who has no value in row 1"):
        arrow_columns(Coded([0, 1]), [0])


def test_bitmaps_of_arrow_decide_and_not_its_counts():
    """A list was left with slots that no object was in."""
    with pytest.raises(graphrun.UsageError, match="column who has no value in row 1"):
        arrow_columns(Coded(), [0])


@pytest.mark.parametrize("code", [2, -1])
def test_codes_beyond_a_dictionary_of_arrow_are_named(code):
    with pytest.raises(graphrun.UsageError, match="column who has a code in row 1 that is not in its dictionary of 2 values"):
        arrow_columns(Coded([0, code]), [0])


def test_parquet_needs_pyarrow(tmp_path):
    graph = graphrun.from_table(ROWS, "payer", "payee", "sum")
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with pytest.raises(graphrun.UnavailableError, match="through pyarrow, which is not installed"):
            graphrun.from_table(tmp_path / "edges.parquet")
        with pytest.raises(graphrun.UnavailableError, match="pyarrow"):
            graph.to_table().to_parquet(tmp_path / "edges.parquet")
        return
    graph.to_table().to_parquet(tmp_path / "edges.parquet")
    again = graphrun.from_table(tmp_path / "edges.parquet", "source", "target", "weight")
    assert sorted(again.labels) == sorted(graph.labels) and sorted(again.weights) == sorted(graph.weights)


def test_parquet_files_are_read_by_their_columns(monkeypatch):
    """A stand-in of pyarrow: says only how it is called."""
    asked = []

    def read(file, columns):
        asked.append((file, columns))
        return Stream({name: ROWS[name] for name in reversed(columns)})

    stand_in(monkeypatch, "pyarrow")
    schema = SimpleNamespace(names=list(ROWS))
    stand_in(monkeypatch, "pyarrow.parquet", read_schema=lambda file: schema, read_table=read)
    sys.modules["pyarrow"].parquet = sys.modules["pyarrow.parquet"]
    graph = graphrun.from_table("edges.parquet", "payer", 1, "sum")
    assert asked == [("edges.parquet", ["payer", "payee", "sum"])] and graph.sssp(source="ann").values.tolist() == [
        0,
        2,
        5,
        np.inf,
    ]


def test_answers_are_tables_by_name():
    graph = graphrun.from_table(ROWS, "payer", "payee")
    answer = graph.bfs(source="ann")
    for each in (answer, pickle.loads(pickle.dumps(answer))):
        assert each.to_table().columns["vertex"].tolist() == graph.labels.tolist()
        names, columns = arrow_columns(each, [0, 1])
        assert names == ["vertex", "level", "parent"] and columns[0] == graph.labels.tolist()
        assert columns[1].tolist() == answer.values.tolist()
    assert list(graph.bfs(source=["ann", "cy"]).to_table().columns)[:3] == ["vertex", "level:ann", "level:cy"]
    with pytest.raises(AttributeError, match="without columns"):
        graphrun.open("grid:3:3").triangles().to_table()
    pandas = pytest.importorskip("pandas")
    frame = answer.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.level["cy"] == 1 and frame.index.name == "vertex"
    edges = graph.to_pandas()
    assert sorted(zip(edges.source, edges.target)) == sorted(zip(ROWS["payer"], ROWS["payee"]))


def test_index_finds_many_labels_at_once():
    names = graphrun.from_table(ROWS, "payer", "payee")
    assert names.index(["cy", "ann"]).tolist() == [2, 0] and names.index(np.array(["bob"], object)).tolist() == [1]
    with pytest.raises(KeyError, match="dan"):
        names.index(["ann", "dan"])
    numbers = graphrun.from_table({"a": [70, 5], "b": [5, 9]})
    assert (
        numbers.index([9, 70]).tolist() == [1, 2] and numbers.index(["70"]).tolist() == [2] and numbers.index([]).tolist() == []
    )
    for unknown in ([6], [-1], [2**70], ["x"]):
        with pytest.raises(KeyError):
            numbers.index(unknown)
    plain = graphrun.open("grid:3:3")
    assert plain.index([8, 0]).tolist() == [8, 0]
    with pytest.raises(KeyError):
        plain.index([9])


def test_degrees_paths_and_parts_of_a_graph():
    graph = graphrun.from_table({**ROWS, "sum": [2, 3, 9, 1]}, "payer", "payee", "sum")
    assert graph.degrees().tolist() == [2, 1, 0, 1] and graph.degrees("in").tolist() == [1, 1, 2, 0]
    assert graph.neighbors("ann").tolist() == ["bob", "cy"]
    assert graph.path("ann", "cy").tolist() == ["ann", "bob", "cy"] and graph.path("cy", "ann").tolist() == []
    back = graph.reverse()
    assert back.labels.tolist() == graph.labels.tolist() and back.sssp(source="cy").values.tolist() == [5, 3, 0, 6]
    part = graph.subgraph(["cy", "ann"])
    assert part.labels.tolist() == ["ann", "cy"] and part.neighbours.tolist() == [1] and part.weights.tolist() == [9]
    assert graph.subgraph(index=[0, 1]).num_edges == 1
    assert "weights" in graph._repr_html_() and "reached" in graph.bfs(source="ann")._repr_html_()
    hops = graphrun.open("grid:3:3")
    assert hops.path(0, 8).size == 5 and hops.neighbors(4).tolist() == [1, 3, 5, 7]
    with pytest.raises(graphrun.UsageError, match="give one of them"):
        graph.neighbors()


@pytest.mark.parametrize("weights", [None, "whole", "zero", "float", "wide"])
def test_predecessors_of_distances_make_shortest_paths(weights):
    numbers = np.random.default_rng(4)
    ends = numbers.integers(0, 80, (2, 300))
    draw = {"whole": lambda: numbers.integers(1, 9, 300), "zero": lambda: numbers.integers(0, 2, 300),
            "float": lambda: numbers.random(300, np.float32), "wide": lambda: numbers.integers(2**40, 2**41, 300)}  # fmt: skip
    given = None if weights is None else draw[weights]()
    graph = graphrun.from_edges(*ends, given, 90)
    answer = graph.sssp(index=int(ends[0, 0]))
    lightest = {}
    for u, v, w in zip(*ends.tolist(), np.ones(300, int).tolist() if given is None else given.tolist()):
        lightest[u, v] = min(w, lightest.get((u, v), np.inf))
    parents = graph.predecessors(answer).tolist()
    for vertex in range(90):
        steps, at, length = 0, vertex, 0
        while parents[at] not in (at, 2**32 - 1):
            length, at, steps = length + lightest[parents[at], at], parents[at], steps + 1
            assert steps < 90
        assert (at == ends[0, 0]) == np.isfinite(answer.values[vertex])
        assert at != ends[0, 0] or length == pytest.approx(answer.values[vertex])
    assert (graph.predecessors(graph.bfs(index=3)) == graph.bfs(index=3).parents).all()
    if weights == "whole":
        with pytest.raises(graphrun.UsageError, match="not along the weights"):
            graph.predecessors(graph.sssp(index=int(ends[0, 0]), weights="random"))
    with pytest.raises(graphrun.UsageError, match="with one source"):
        graph.predecessors(graph.cc())


def test_neighbors_of_a_graph_in_a_file_read_one_list(tmp_path):
    graphrun.open("kron:10").save(tmp_path / "k.grf")
    graph = graphrun.open(tmp_path / "k.grf")
    assert graph.neighbors(7).tolist() == graph.neighbours[graph.offsets[7] : graph.offsets[8]].tolist()


def test_scipy_and_dlpack_share_memory():
    graph = graphrun.from_edges([0, 1, 2], [1, 2, 0], [4, 5, 6])
    offsets, neighbours, weights = graph.csr()
    assert (offsets.dtype, neighbours.dtype, weights.dtype) == (np.int64, np.int32, np.int32)
    for ours, theirs in ((graph.neighbours, neighbours), (graph.weights, weights)):
        assert ours.ctypes.data == theirs.ctypes.data and np.from_dlpack(theirs).tolist() == ours.tolist()
    assert (
        graphrun.from_edges([0], [1], [2**31]).csr()[2].tolist() == [2**31]
        and graphrun.from_edges([0], [1]).csr()[2] is None
    )
    large = graphrun.from_edges([0, 1], [1, 0], np.array([2**63 - 1, 2**63 + 5], np.uint64))
    with pytest.raises(graphrun.UsageError, match="9223372036854775813 is above 2.63 - 1"):  # it was below 0
        large.csr()
    del graph
    assert neighbours.tolist() == [1, 2, 0]
    pytest.importorskip("scipy.sparse")
    graph = graphrun.open("grid:9:9")
    matrix = graph.to_scipy()
    assert matrix.indices.ctypes.data == graph.neighbours.ctypes.data and matrix.dtype == bool
    with pytest.raises(ValueError, match="read-only"):  # SciPy sorted and merged in a mapped file
        matrix.indices[0] = 1
    assert (graphrun.from_scipy(matrix).neighbours == graph.neighbours).all()


def test_igraph_keeps_names_and_weights():
    igraph = pytest.importorskip("igraph")
    made = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    made.vs["name"], made.es["weight"] = ["ann", "bob", "cy"], [2.5, 1.0]
    graph = graphrun.from_igraph(made)
    assert graph.symmetric and graph.sssp(source="cy").values.tolist() == [3.5, 1.0, 0.0]
    assert graphrun.from_igraph(igraph.Graph(n=2, edges=[(0, 1)], directed=True), weight=None).num_edges == 1
    with pytest.raises(graphrun.UsageError, match="no edge has the attribute 'cost'"):
        graphrun.from_igraph(made, "cost")
    with pytest.raises(TypeError, match="one of igraph"):
        graphrun.from_igraph(3)


@pytest.mark.parametrize("placement", [{}, {"backend": "bam", "device": "cpu", "cache": "64KiB"}], ids=["memory", "bam"])
@pytest.mark.parametrize("weighted", [False, True])
def test_samples_name_their_edges(placement, weighted):
    numbers = np.random.default_rng(3)
    graph = graphrun.from_edges(numbers.integers(0, 300, 4000), numbers.integers(0, 300, 4000), numbers.integers(1, 9, 4000))
    sample = graph.sample([5, 6, 7], [4, 3], weighted=weighted, **placement)
    for hop in sample.hops:
        assert hop.edges.dtype == np.uint64 and (graph.neighbours[hop.edges] == hop.targets).all()
        assert (np.searchsorted(graph.offsets, hop.edges, side="right") - 1 == hop.sources).all()


class Tensor(np.ndarray):
    """Stands in for torch.Tensor."""

    def long(self):
        return self.astype(np.int64)


def test_pyg_and_dgl_get_what_they_take(monkeypatch):
    """Stand-ins: says only that they are called as their documents say."""
    stand_in(
        monkeypatch,
        "torch",
        from_numpy=lambda array: array.view(Tensor),
        from_dlpack=lambda array: np.from_dlpack(array).view(Tensor),
    )
    stand_in(monkeypatch, "torch_geometric")
    stand_in(monkeypatch, "torch_geometric.data", Data=lambda **members: SimpleNamespace(**members))
    blocks = lambda ends, **counts: SimpleNamespace(ends=ends, **counts, srcdata={}, dstdata={}, edata={})  # noqa: E731
    stand_in(
        monkeypatch,
        "dgl",
        NID="_ID",
        EID="_ID",
        create_block=blocks,
        graph=lambda data, **counts: SimpleNamespace(data=data, **counts, edata={}),
    )
    graph = graphrun.from_edges([0, 1, 2, 3], [1, 2, 0, 1], [4, 5, 6, 7])
    whole = graph.to_pyg()
    assert (
        whole.edge_index.tolist() == [[0, 1, 2, 3], [1, 2, 0, 1]]
        and whole.edge_weight.tolist() == [4, 5, 6, 7]
        and whole.num_nodes == 4
    )
    kind, (offsets, neighbours, no_ids) = graph.to_dgl().data
    assert (kind, offsets.tolist(), neighbours.tolist(), no_ids) == ("csr", [0, 1, 2, 3, 4], [1, 2, 0, 1], [])
    sample = graph.sample([3], [1, 1])
    batch = sample.to_pyg()
    assert batch.n_id.tolist() == [3, 1, 2] and batch.batch_size == 1 and batch.e_id.tolist() == [3, 3, 1]
    assert batch.n_id[batch.edge_index].tolist() == [[1, 1, 2], [3, 3, 1]]
    last, first = sample.to_dgl()
    assert (first.num_src_nodes, first.num_dst_nodes, last.num_src_nodes, last.num_dst_nodes) == (2, 1, 3, 2)
    assert last.edata["_ID"].tolist() == [3, 1] and last.srcdata["_ID"].tolist() == [3, 1, 2]


def test_signed_and_unsigned_numbers_stay_whole():
    unsigned = np.array([2**60 + 3, 7], np.uint64)
    graph = graphrun.from_table({"source": np.array([2**60 + 1, 5]), "target": unsigned})
    assert sorted(graph.labels) == [5, 7, 2**60 + 1, 2**60 + 3] and graph.index(5) is not None
    with pytest.raises(graphrun.UsageError, match="no type of whole numbers holds both"):
        graphrun.from_table({"source": np.array([-1, 5]), "target": np.array([2**63, 7], np.uint64)})


def test_columns_of_a_table_have_one_length():
    with pytest.raises(graphrun.UsageError, match="column b has 200 rows, and those before it 1"):
        graphrun.Table({"a": np.ones(1), "b": np.zeros(200)}).__arrow_c_stream__()


def test_a_stream_is_read_once():
    stream = graphrun.open("kron:4:2").__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    assert graphrun.from_table(Once()).num_edges > 0
    with pytest.raises(graphrun.UsageError, match="was read before"):
        graphrun.from_table(Once())
