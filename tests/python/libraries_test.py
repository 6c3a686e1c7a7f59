# SPDX-License-Identifier: Apache-2.0
"""Graphs from and to SciPy and networkx, and the same answers as theirs; the SuiteSparse graphs where they are."""

import os
from pathlib import Path

import numpy as np
import pytest

import graphrun


def random_matrix(scipy_sparse, kind, seed=1):
    numbers = np.random.default_rng(seed)
    matrix = scipy_sparse.random(200, 200, density=0.02, random_state=seed, format="csr")
    matrix.data = numbers.integers(1, 9, matrix.nnz).astype(kind)
    return matrix


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8])
def test_distances_are_those_of_scipy(kind):
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse import csgraph

    matrix = random_matrix(sparse, kind)
    for form in (matrix, matrix.tocsc(), matrix.tocoo()):
        answer = graphrun.from_scipy(form).sssp(source=3, verify=True)
        assert answer.verified
        np.testing.assert_allclose(answer.values, csgraph.dijkstra(matrix, indices=3), rtol=1e-6)


def test_components_and_hops_are_those_of_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    from scipy.sparse import csgraph

    matrix = random_matrix(sparse, np.bool_) != 0
    graph = graphrun.from_scipy(matrix)
    assert graph.weights is None
    assert graph.cc().components == csgraph.connected_components(matrix, directed=True, connection="weak")[0]
    hops = csgraph.shortest_path(matrix, unweighted=True, indices=3)
    assert (np.where(graph.bfs(source=3).values == graphrun.UNREACHED, np.inf, graph.bfs(source=3).values) == hops).all()


def test_a_matrix_with_room_for_more_entries():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix((2, 2))
    matrix.indptr = np.array([0, 1, 2], np.int32)
    matrix.indices = np.array([1, 0, 1], np.int32)
    matrix.data = np.array([1, 2, 3])
    graph = graphrun.from_scipy(matrix)
    assert graph.neighbours.tolist() == [1, 0] and graph.weights.tolist() == [1, 2]


def test_a_graph_without_edges_in_storage():
    graph = graphrun.from_edges([], [], vertices=5)
    assert graph.cc(backend="bam", route="auto", device="cpu").components == 5


def test_an_undirected_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    graph = graphrun.from_scipy(sparse.csr_matrix(([4, 7], ([0, 1], [1, 2])), shape=(3, 3)), undirected=True)
    assert graph.symmetric and graph.neighbours.tolist() == [1, 0, 2, 1] and graph.weights.tolist() == [4, 4, 7, 7]
    wide = sparse.csr_matrix((np.array([2**60, 2**60 + 1]), ([0, 1], [1, 2])), shape=(3, 3))
    assert graphrun.from_scipy(wide, undirected=True).weights.tolist() == [2**60, 2**60, 2**60 + 1, 2**60 + 1]


def test_a_matrix_of_another_machine():
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_matrix(np.eye(3))
    matrix.indptr, matrix.indices = matrix.indptr.astype(">i4"), matrix.indices.astype(">i8")
    assert graphrun.from_scipy(matrix).neighbours.tolist() == [0, 1, 2]


def test_matrices_that_are_no_graph():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(graphrun.UsageError, match="2 by 3"):
        graphrun.from_scipy(sparse.csr_matrix((2, 3)))
    with pytest.raises(TypeError, match="complex"):
        graphrun.from_scipy(sparse.csr_matrix(np.eye(2) * 1j))
    damaged = sparse.csr_matrix(np.eye(3))
    damaged.indices[1] = 7
    with pytest.raises(graphrun.UsageError, match=r"indices\[1\] is 7"):
        graphrun.from_scipy(damaged)
    damaged.indices = damaged.indices * 0.5
    with pytest.raises(TypeError, match="indices is a list or an array of whole numbers, not of float64"):
        graphrun.from_scipy(damaged)
    damaged = sparse.csr_matrix(np.eye(3))
    damaged.indptr[1] = 3
    with pytest.raises(graphrun.DataError):
        graphrun.from_scipy(damaged)


def weights_of(made):
    ends = tuple if made.is_directed() else frozenset
    return {ends((u, v)): weight for u, v, weight in made.edges(data="weight")}


def test_networkx_there_and_back():
    networkx = pytest.importorskip("networkx")
    club = networkx.karate_club_graph()
    networkx.set_edge_attributes(club, {ends: 1 + i % 7 for i, ends in enumerate(club.edges)}, "weight")
    for made in (
        club,
        networkx.gnp_random_graph(50, 0.1, seed=2, directed=True),
        networkx.grid_2d_graph(4, 5),
    ):
        graph = graphrun.from_networkx(made)
        assert graph.symmetric == (not made.is_directed()) and graph.num_vertices == len(made)
        back = graph.to_networkx()
        assert list(back) == list(made) and back.is_directed() == made.is_directed()
        assert weights_of(back) == weights_of(made)
    assert graphrun.from_networkx(club).weights is not None and graphrun.from_networkx(club, weight=None).weights is None
    assert graph.labels[7] == (1, 2) and graph.index((1, 2)) == 7


def test_networkx_rows_ascend_for_biased_walks():
    networkx = pytest.importorskip("networkx")
    graph = graphrun.from_networkx(networkx.Graph([(0, 2), (0, 1), (1, 2)]))
    assert graph.neighbours.tolist() == [1, 2, 0, 2, 0, 1]
    assert graph.walks(length=5, node2vec_p=2, verify=True).verified


def test_networkx_keeps_whole_weights_of_64_bits():
    networkx = pytest.importorskip("networkx")
    made = networkx.Graph()
    made.add_weighted_edges_from([(0, 1, 2**60 + 1), (1, 2, 2**63 + 1)])
    graph = graphrun.from_networkx(made)
    assert graph.symmetric and graph.sssp(source=0).distances.tolist() == [0, 2**60 + 1, 2**63 + 2**60 + 2]
    assert sorted(graph.to_networkx().edges(data="weight")) == [(0, 1, 2**60 + 1), (1, 2, 2**63 + 1)]


@pytest.mark.parametrize("sources, targets, weights, directed", [
    ([0, 1], [1, 0], [1, 5], True),
    ([0, 1, 1, 2], [1, 0, 2, 1], [3, 3, 4, 4], False),
    ([0, 0, 1, 1, 1, 0], [1, 1, 0, 0, 2, 0], [2, 9, 9, 2, 6, 1], True),  # 1 -> 2 has no opposite
    ([0, 0, 1, 1], [1, 1, 0, 0], [9, 2, 2, 8], False),  # the lightest of either direction are alike
])  # fmt: skip
def test_networkx_has_the_weights_of_both_directions_and_the_lightest_of_parallel_arcs(sources, targets, weights, directed):
    networkx = pytest.importorskip("networkx")
    graph = graphrun.from_edges(sources, targets, weights)
    back = graph.to_networkx()
    assert back.is_directed() == directed
    for source in range(graph.num_vertices):
        paths = networkx.single_source_dijkstra_path_length(back, source)
        assert [paths.get(v, np.inf) for v in back] == graph.sssp(source=source).values.tolist()


def test_ranks_and_centrality_are_those_of_networkx():
    networkx = pytest.importorskip("networkx")
    made = networkx.gnp_random_graph(60, 0.08, seed=3, directed=True)
    graph = graphrun.from_networkx(made)
    ranks = networkx.pagerank(made, tol=1e-12)
    np.testing.assert_allclose(graph.pagerank(tolerance=1e-12).values, [ranks[v] for v in made], atol=1e-9)
    closed = networkx.karate_club_graph()
    assert graphrun.from_networkx(closed).triangles().triangles == sum(networkx.triangles(closed).values()) // 3


def random_graphs(networkx):
    """Of both kinds, some in several pieces and some with self loops; no directed one has all opposite arcs."""
    for seed in range(12):
        made = networkx.gnp_random_graph(5 + 5 * seed, 0.02 * (1 + seed % 5), seed=seed, directed=seed % 2 == 1)
        if seed % 3 == 0:
            made.add_edges_from((v, v) for v in list(made)[::2])
        if seed % 2 == 1:
            made.add_edge(0, 1)
            made.remove_edges_from([(1, 0)])
        yield made


def test_scores_are_those_of_networkx():
    networkx = pytest.importorskip("networkx")
    for made in random_graphs(networkx):
        graph, n = graphrun.from_networkx(made), len(made)
        for variant in ("direction-optimizing", "push"):
            for definition in ("exact", "normalized"):
                right = networkx.betweenness_centrality(made, normalized=definition == "normalized")
                answer = graph.bc(definition=definition, variant=variant, verify=True)
                assert answer.verified and answer.sources.tolist() == list(range(n))
                np.testing.assert_allclose(answer.values, [right[v] for v in made], rtol=1e-9, atol=1e-12)
        for definition in ("exact", "normalized"):  # sums over some sources
            subset = networkx.betweenness_centrality_subset(made, [0, 3], list(made), normalized=definition == "normalized")
            np.testing.assert_allclose(graph.bc(source=[3, 0, 3], definition=definition).values, [subset[v] for v in made], rtol=1e-9)
        sample = graph.bc(definition="normalized", sources=4, verify=True)
        assert sample.verified and sample.sources.size == min(4, n)
        subset = networkx.betweenness_centrality_subset(made, sample.sources.tolist(), list(made), normalized=True)
        np.testing.assert_allclose(sample.values, [subset[v] * n / min(4, n) for v in made], rtol=1e-9)


def suitesparse():
    """A few graphs of the shared folder (GRAPHRUN_SHARED, or beside the tree): an undirected mesh, a web of trust, a directed
    one."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "datasets"
    folder = Path(os.environ.get("GRAPHRUN_SHARED") or beside) / "suitesparse"
    return [path for name in ("3elt", "PGPgiantcompo", "wiki-Vote") for path in folder.glob(f"{name}.mtx*")]


@pytest.mark.parametrize("path", suitesparse(), ids=str)
def test_suitesparse_graphs_have_the_answers_of_scipy_and_igraph(path):
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    from scipy.io import mmread

    graph = graphrun.open(path)
    matrix = mmread(path).tocsr()
    assert graph.cc(verify=True).components == csgraph.connected_components(matrix, connection="weak")[0]
    hops = csgraph.shortest_path(matrix, unweighted=True, indices=3)
    found = graph.bfs(index=3).values
    assert (np.where(found == graphrun.UNREACHED, np.inf, found) == hops).all()
    assert (graphrun.from_scipy(matrix).neighbours.size, graphrun.from_scipy(matrix).num_vertices) == (
        graph.num_edges,
        graph.num_vertices,
    )
    igraph = pytest.importorskip("igraph")
    same = igraph.Graph(n=graph.num_vertices, edges=np.column_stack(matrix.nonzero()), directed=True)
    np.testing.assert_allclose(graph.pagerank(tolerance=1e-12).values, same.pagerank(), atol=1e-8)


def test_an_attribute_that_no_edge_has_is_an_error():
    networkx = pytest.importorskip("networkx")
    ring = networkx.cycle_graph(4)
    assert graphrun.from_networkx(ring).weights is None
    with pytest.raises(graphrun.UsageError, match="no edge has the attribute 'wieght'"):
        graphrun.from_networkx(ring, weight="wieght")
    with pytest.raises(TypeError, match="weight is the name of an attribute of edges, or None, not False"):
        graphrun.from_networkx(ring, weight=False)
    with pytest.raises(TypeError, match="graph is one of networkx, not <class"):
        graphrun.from_networkx(networkx.Graph)
