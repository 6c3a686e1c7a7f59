# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX: the results of NetworkX itself, and NetworkX's own tests. Skipped for NetworkX before 3.4."""

import inspect
import os
import random
import subprocess
import sys
from collections import OrderedDict
from types import GeneratorType

import pytest

nx = pytest.importorskip("networkx", minversion="3.4")

from graphrun import _core, _networkx  # noqa: E402

TESTS = [
    "link_analysis.tests", "centrality.tests.test_eigenvector_centrality", "centrality.tests.test_katz_centrality", "components", "centrality.tests.test_betweenness_centrality", "shortest_paths",
    "tests.test_cluster", "tests.test_dag", "traversal.tests.test_bfs",
]  # fmt: skip
# NetworkX's checks of a backend import a name that SciPy has from 1.11 on.
RUNNER = """
import sys, pytest, scipy.sparse
if not hasattr(scipy.sparse, "sparray"):
    scipy.sparse.sparray = scipy.sparse._arrays._sparray
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.fixture(autouse=True)
def no_warnings_of_the_cache():
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore = before


def graphs():
    """Random graphs of all kinds with strings as nodes, some with self loops, weights and several components; small ones."""
    for seed in range(24):
        numbers = random.Random(seed)
        kind = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph][seed % 4]
        made = kind()
        nodes = [f"node {numbers.randrange(10**6)}" for _ in range(3 + 2 * seed)]
        made.add_nodes_from(nodes)
        for _ in range((1 + seed % 3) * len(nodes)):
            ends = numbers.choices(nodes, k=2)
            made.add_edge(*ends, **({"weight": numbers.choice([1, 2, 9])} if seed % 5 < 2 else {}))
        yield pytest.param(made, id=f"{kind.__name__}-{seed}")
    for kind in (nx.Graph, nx.DiGraph):
        yield pytest.param(kind(), id=f"empty-{kind.__name__}")
        yield pytest.param(nx.path_graph(1, create_using=kind), id=f"one-{kind.__name__}")
        yield pytest.param(nx.path_graph([(1, 2), 1.5, "z", None.__class__], create_using=kind), id=f"kinds-{kind.__name__}")


def calls(graph):
    """Calls that the backend supports on this graph: names, arguments and keywords."""
    nodes = list(graph)
    for name in ("number_connected_components", "is_connected", "connected_components"):
        yield name.replace("connected", "weakly_connected") if graph.is_directed() else name, (), {}
    if graph.is_directed():
        yield "number_strongly_connected_components", (), {}
        yield "is_strongly_connected", (), {}
    for personalization in (None, dict.fromkeys(nodes[:2], 3), {node: share for share, node in enumerate(nodes)}):
        yield "pagerank", (), {"weight": None, "tol": 1e-10, "max_iter": 1000, "personalization": personalization}
    yield "pagerank", (), {"tol": 1e-10, "max_iter": 1000}
    yield "pagerank", (), {"weight": None, "max_iter": 0}
    if not graph.is_multigraph():
        for max_iter in (0, 3, 200):
            yield "eigenvector_centrality", (), {"max_iter": max_iter}
            for alpha in (0.05, 0.9):
                yield "katz_centrality", (), {"alpha": alpha, "beta": 2, "max_iter": max_iter, "normalized": alpha < 0.1}
    for normalized in (True, False):
        yield "betweenness_centrality", (), {"normalized": normalized}
        yield "closeness_centrality" if normalized else "harmonic_centrality", (), {}
        for k in (0, 1, 3, len(nodes), len(nodes) + 1):
            yield "betweenness_centrality", (k,), {"seed": 7, "normalized": normalized}
    for source in (*nodes[:3], "nowhere"):
        for cutoff in (None, 0, 1, 2.5, -1):
            yield "single_source_shortest_path_length", (source,), {"cutoff": cutoff}
            yield "single_source_dijkstra_path_length", (source,), {"cutoff": cutoff}
        for weight in (None, "weight", "other"):
            yield "shortest_path_length", (), {"source": source, "weight": weight}
        for distance in (0, 1, 2, -1):
            yield "descendants_at_distance", (source, distance), {}
        yield "descendants", (source,), {}
        if not graph.is_directed():
            yield "shortest_path_length", (), {"target": source}
            yield "node_connected_component", (source,), {}
    if not graph.is_directed() and not graph.is_multigraph():
        yield "transitivity", (), {}
        for name in ("triangles", "clustering", "average_clustering"):
            for chosen in (None, nodes[:2], *nodes[:1]):
                yield name, (chosen,), {}
        yield "average_clustering", (), {"count_zeros": False}


def outcome(call):
    try:
        found = call()
        return list(found) if isinstance(found, GeneratorType) else found
    except Exception as error:
        return type(error), str(error)


def assert_same(found, right):
    assert type(found) is type(right)
    if isinstance(right, dict):
        assert set(found) == set(right) and {key: type(each) for key, each in found.items()} == {
            k: type(v) for k, v in right.items()
        }
        if list(right.values()) == sorted(right.values()):
            assert list(found.values()) == sorted(found.values())
        assert found == pytest.approx(right, abs=1e-7, nan_ok=True)
    elif isinstance(right, float):
        assert found == pytest.approx(right)
    else:
        assert found == right


@pytest.mark.parametrize("graph", graphs())
def test_results_types_and_errors_are_those_of_networkx(graph):
    seen = set()
    for name, args, keywords in calls(graph):
        function = getattr(nx, name)
        assert _networkx.can_run(name, (graph, *args), keywords) is True, (name, keywords)
        right = outcome(lambda: function(graph, *args, **keywords, backend="networkx"))
        assert_same(outcome(lambda: function(graph, *args, **keywords, backend="graphrun")), right)
        seen.add(name)
    assert len(seen) > 8


class Ordered(nx.Graph):
    """A graph whose rows are not plain dicts."""

    adjlist_inner_dict_factory = OrderedDict


class Twin:
    """An object that is equal to a string, and no string."""

    def __init__(self, text):
        self._text = text

    def __hash__(self):
        return hash(self._text)

    def __eq__(self, other):
        return other == self._text


def kinds_of_graphs():
    numbers = random.Random(5)
    edges = [(numbers.randrange(40), numbers.randrange(40)) for _ in range(150)]
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph, Ordered):
        for name in (int, float, str, "node {}".format, lambda n: (n, "x"), lambda n: [n, str(n), n + 0.5][n % 3], lambda n: -n):
            made = kind()
            made.add_nodes_from(map(name, range(40)))
            made.add_edges_from((name(u), name(v), {"weight": u, "other": 1.5}) for u, v in edges)  # each name an object of its own
            yield made
    yield nx.subgraph_view(nx.path_graph(9), filter_node=lambda node: node != 4)
    yield nx.path_graph(9, create_using=nx.MultiGraph).subgraph([1, 2, 3, 7])
    yield nx.path_graph(9, create_using=nx.DiGraph).reverse(copy=False)
    yield nx.path_graph(9, create_using=nx.DiGraph).to_undirected(as_view=True)
    yield nx.Graph([(0, 1), (True, 2.0), (2, 3)])
    yield nx.Graph([("a", Twin("b")), ("b", "c"), (Twin("c"), "a")])
    moved = nx.relabel_nodes(nx.path_graph(9), {3: 30, 0: "zero"}, copy=False)
    yield moved


@pytest.mark.parametrize("graph", kinds_of_graphs(), ids=str)
@pytest.mark.parametrize("attribute", [None, "weight", "other", "none"])
def test_conversion_reads_the_rows_of_all_graphs(graph, attribute):
    found = _networkx.Converted(graph, attribute)
    index = {node: vertex for vertex, node in enumerate(graph)}
    rows = dict(graph.adjacency())
    assert found.nodes == list(graph) and found._offsets.tolist() == [sum(map(len, list(rows.values())[:i])) for i in range(len(rows) + 1)]
    assert found._neighbours.tolist() == [index[v] for node in graph for v in rows[node]]
    entries = [entry for node in graph for entry in rows[node].values()]
    if graph.is_multigraph():
        assert found._copies.tolist() == [len(entry) for entry in entries]
        entries = [data for entry in entries for data in entry.values()]
    weights = [data.get(attribute, 1) for data in entries]
    assert found._weights is None if attribute is None or weights == [1] * len(weights) else found._weights.tolist() == weights
    assert all(found.index[node] == vertex and node in found for node, vertex in index.items())
    assert "nowhere" not in found and [] not in found


def test_a_hub_and_no_edges_are_read():
    star = nx.star_graph(5000)
    assert _networkx.Converted(star)._neighbours.tolist() == [*range(1, 5001), *[0] * 5000]
    assert _networkx.Converted(nx.empty_graph(3), "weight")._neighbours.size == 0


def test_dictionaries_are_in_the_order_of_nodes_or_of_distances():
    graph = nx.Graph([("z", "y"), ("a", "z"), ("y", "m"), ("q", "a")])
    assert (
        list(nx.pagerank(graph, backend="graphrun"))
        == list(nx.betweenness_centrality(graph, backend="graphrun"))
        == list(graph)
    )
    lengths = nx.single_source_shortest_path_length(graph, "a", backend="graphrun")
    assert list(lengths.items()) == [("a", 0), ("z", 1), ("q", 1), ("y", 2), ("m", 3)]


@pytest.mark.parametrize("name, keywords, reason", [
    ("pagerank", {"nstart": {0: 1}}, "nstart or dangling"),
    ("pagerank", {"dangling": {0: 1}}, "nstart or dangling"),
    ("pagerank", {"alpha": 1}, "alpha is not between 0 and 1"),
    ("pagerank", {"personalization": {0: 1, 1: -2}}, "personalization has shares below 0"),
    ("eigenvector_centrality", {"nstart": {0: 1}}, "nstart"),
    ("eigenvector_centrality", {"weight": "weight"}, "weights"),
    ("katz_centrality", {"alpha": 1.5}, "alpha is not between 0 and 1"),
    ("katz_centrality", {"beta": {0: 1}}, "beta is no number above 0"),
    ("hits", {"normalized": False}, "scores that are not normalized"),
    ("betweenness_centrality", {"weight": "weight"}, "paths of weighted edges"),
    ("betweenness_centrality", {"endpoints": True}, "endpoints"),
    ("louvain_communities", {"max_level": 2}, "max_level"),
    ("louvain_communities", {"resolution": 0}, "resolution is no number above 0"),
    ("closeness_centrality", {"u": 0}, "scores of chosen nodes"),
    ("closeness_centrality", {"distance": "weight"}, "lengths of edges"),
    ("closeness_centrality", {"wf_improved": False}, "wf_improved is False"),
    ("harmonic_centrality", {"sources": [0]}, "scores of chosen nodes"),
    ("single_source_shortest_path_length", {"source": 0, "cutoff": "2"}, "cutoff is no number"),
    ("single_source_dijkstra_path_length", {"source": 0, "weight": len}, "weight is no name of an attribute"),
    ("shortest_path_length", {"source": 0, "target": 1}, "one pair of nodes"),
    ("shortest_path_length", {}, "lengths between all pairs"),
    ("shortest_path_length", {"source": 0, "weight": "weight", "method": "bellman-ford"}, "method bellman-ford"),
    ("clustering", {"weight": "weight"}, "weights of triangles"),
    ("triangles", {"nodes": iter([1])}, "nodes is no node, list or set"),
    ("core_number_of", {}, "graphrun has no core_number_of"),
    ("pagerank", {"tolerance": 1}, "unexpected keyword"),
])  # fmt: skip
def test_reasons_of_unsupported_arguments(name, keywords, reason):
    graph = nx.path_graph(4)
    assert reason in _networkx.can_run(name, (graph,), keywords)


@pytest.mark.parametrize("weights", [(1, 2.5), (0.1, 0.2), (-1, 2), (2**62, 2**62), (10**30, 1), ("a", "b"), (None, 1)])
def test_weights_that_would_be_rounded_are_left_to_others(weights):
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, weights[0]), (1, 2, weights[1])])
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(graph, 0, backend="graphrun")
    if weights[0] != weights[1] and weights != (0.1, 0.2):  # scores move by less than their tolerance
        with pytest.raises(NotImplementedError):
            nx.pagerank(graph, backend="graphrun")
    assert nx.pagerank(graph, weight=None, backend="graphrun")


@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_topological_generations(kind):
    numbers = random.Random(3)
    made = kind()
    made.add_nodes_from(map(str, range(70)))
    for _ in range(150):
        made.add_edge(*map(str, sorted(numbers.sample(range(70), 2))))
    for graph in (made, kind(), nx.empty_graph(5, create_using=kind)):
        right = nx.topological_generations(graph, backend="networkx")
        found = list(nx.topological_generations(graph, backend="graphrun"))
        assert [sorted(each) for each in found] == [sorted(each) for each in right]
    assert found == [[0, 1, 2, 3, 4]]
    for graph in (nx.path_graph(3), nx.DiGraph([(0, 1), (1, 2), (2, 1)]), nx.DiGraph([(0, 0)])):
        calls = [lambda: list(nx.topological_generations(graph, backend=name)) for name in ("networkx", "graphrun")]
        assert outcome(calls[0]) == outcome(calls[1])


class Hostile:
    """Equal to nothing; calls a function when it is compared."""

    def __init__(self, act):
        self._act = act

    def __hash__(self):
        return hash("b")

    def __eq__(self, other):
        self._act()
        return False


def test_nodes_and_rows_that_change_in_a_comparison():
    """Nodes read the caller's list, which had become shorter, and rows that were gone."""
    nodes = ["a", "b", *map(str, range(1000))]
    found = _core.Nodes(nodes)
    assert Hostile(nodes.clear) not in found and len(found) == 1002 and found["b"] == 1
    rows = {}
    rows.update({"a": {"b": {}}, Hostile(rows.clear): {}})
    assert _core.Nodes(["a", "b"]).rows(rows, True, False, None) is None
    inner = {}
    inner.update({"a": {}, Hostile(inner.clear): {}})
    assert _core.Nodes(["a", "b"]).rows({"a": inner, "b": {}}, True, False, None) is None


def test_distances_along_floats():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("a", "b", 0.5), ("b", "c", 0.25), ("a", "c", 2.0), ("d", "e", 1.0)])
    assert nx.single_source_dijkstra_path_length(graph, "a", backend="graphrun") == {"a": 0, "b": 0.5, "c": 0.75}


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
@pytest.mark.parametrize("weight", ["weight", None])
def test_communities_are_as_good_as_those_of_networkx(kind, weight):
    graph = kind(nx.planted_partition_graph(8, 25, 0.4, 0.01, seed=3))
    graph.add_edge(0, 0)
    numbers = random.Random(7)
    for *_, data in graph.edges(data=True):
        data["weight"] = numbers.choice([1, 2, 9])
    graph.add_node("alone")
    found = nx.community.louvain_communities(graph, weight=weight, backend="graphrun")
    right = nx.community.louvain_communities(graph, weight=weight, seed=1, backend="networkx")
    assert type(found) is type(right) and all(type(one) is set for one in found)
    assert nx.community.is_partition(graph, found)
    assert nx.community.modularity(graph, found, weight=weight) > nx.community.modularity(graph, right, weight=weight) - 0.01
    assert nx.community.louvain_communities(nx.Graph(), backend="graphrun") == []


def test_equal_weights_and_parallel_edges_of_pagerank():
    for kind in (nx.MultiGraph, nx.MultiDiGraph, nx.Graph):
        graph = kind([("a", "b"), ("a", "b"), ("b", "c"), ("c", "c"), ("a", "c"), ("c", "d")])
        nx.set_edge_attributes(graph, 2.5, "weight")
        right = nx.pagerank(graph, tol=1e-12, backend="networkx")
        assert nx.pagerank(graph, backend="graphrun") == pytest.approx(right, abs=1e-6)


def test_weights_of_pagerank():
    numbers = random.Random(5)
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        for draw in (lambda: numbers.randrange(4), lambda: numbers.choice([0.0, 0.1, 2.5, 1e6])):
            graph = kind()
            graph.add_weighted_edges_from((numbers.randrange(30), numbers.randrange(30), draw()) for _ in range(90))
            for personalization in (None, {1: 2, 7: 2}, {1: 2, 7: 0.5, 9: 1}):
                right = nx.pagerank(graph, personalization=personalization, tol=1e-12, max_iter=1000, backend="networkx")
                found = nx.pagerank(graph, personalization=personalization, backend="graphrun")
                assert found == pytest.approx(right, abs=1e-6)


def test_hubs_and_authorities():
    pytest.importorskip("scipy")
    for graph in (nx.karate_club_graph(), nx.gnp_random_graph(60, 0.1, seed=1, directed=True)):
        for _, _, data in graph.edges(data=True):
            data.pop("weight", None)
        for found, right in zip(nx.hits(graph, backend="graphrun"), nx.hits(graph, backend="networkx"), strict=True):
            assert list(found) == list(right) and found == pytest.approx(right, abs=1e-6)
    assert nx.hits(nx.Graph(), backend="graphrun") == ({}, {})
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.hits(graph, max_iter=0, backend="graphrun")
    graph.add_edge(*next(iter(graph.edges)), weight=3)
    with pytest.raises(NotImplementedError):
        nx.hits(graph, backend="graphrun")


def test_a_graph_is_converted_once_and_again_after_a_change(monkeypatch):
    made, converted = [], _networkx.Converted
    monkeypatch.setattr(_networkx, "Converted", lambda *arguments: made.append(1) or converted(*arguments))
    graph = nx.path_graph(5)
    assert (
        nx.number_connected_components(graph, backend="graphrun")
        == nx.number_connected_components(graph, backend="graphrun")
        == 1
    )
    assert len(made) == 1
    graph.add_node("alone")
    assert nx.number_connected_components(graph, backend="graphrun") == 2 and len(made) == 2


def test_placement_is_configured():
    graph = nx.path_graph(2000)
    with nx.config.backends.graphrun(placement={"backend": "bam", "device": "cpu", "cache": "64KiB"}):
        assert nx.is_connected(graph, backend="graphrun")
    with nx.config.backends.graphrun(placement={"bakend": "bam"}), pytest.raises(TypeError, match="did you mean 'backend'"):
        nx.is_connected(graph, backend="graphrun")


def test_small_graphs_are_left_to_networkx_unless_graphrun_is_named():
    with nx.config.backend_priority(algos=["graphrun"]):
        for n in (10, 2000):
            graph = nx.path_graph(n)
            assert nx.is_connected(graph)
            assert ("backends" in graph.__networkx_cache__) == (n == 2000)


def test_functions_have_the_arguments_of_networkx():
    for name, (function, _) in _networkx.FUNCTIONS.items():
        theirs = inspect.signature(getattr(nx, name, None) or getattr(nx.community, name)).parameters
        ours = inspect.signature(function).parameters
        assert [(p.name, p.default) for p in ours.values()] == [
            (p.name, p.default) for p in theirs.values() if p.name not in ("backend", "backend_kwargs")
        ]


def test_networkx_tests_of_the_supported_functions_pass():
    pytest.importorskip("scipy")
    environment = {**os.environ, "NETWORKX_TEST_BACKEND": "graphrun", "NETWORKX_FALLBACK_TO_NX": "True"}
    command = [sys.executable, "-c", RUNNER, "-q", "-p", "no:cacheprovider", "--tb=short", "--pyargs"]
    command += ["-k", "not test_topological_sort6"]  # changes the graph between two generations
    done = subprocess.run(
        [*command, *(f"networkx.algorithms.{name}" for name in TESTS)],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:]
