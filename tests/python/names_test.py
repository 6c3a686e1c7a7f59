# SPDX-License-Identifier: Apache-2.0
"""Names of vertices: what `source` and `index` mean, labels, and how they are looked up."""

import logging
import time

import numpy as np
import pytest

import graphrun

ARCS = [(10, 2), (2, 0)]


def hops(answer, graph):
    return {label: value for label, value in zip(graph.labels.tolist(), answer.hops().tolist()) if value >= 0}


def test_a_source_is_the_node_of_that_name_and_not_the_vertex_of_that_number():
    networkx = pytest.importorskip("networkx")
    made = networkx.DiGraph(ARCS)
    graph = graphrun.from_networkx(made)
    for node in made:
        expected = networkx.single_source_shortest_path_length(made, node)
        for source in (node, str(node), np.int64(node), np.array(node)):
            assert hops(graph.bfs(source=source), graph) == expected
        assert hops(graph.bfs(index=graph.index(node)), graph) == expected
    with pytest.raises(graphrun.UsageError, match="1 is not a vertex: .* the vertex of number 1 is index=1"):
        graph.bfs(source=1)
    with pytest.raises(graphrun.UsageError, match="leave one out"):
        graph.bfs(source=0, index=0)
    with pytest.raises(graphrun.UsageError, match="vertex 3 is not in the graph"):
        graph.bfs(index=3)


def test_a_tuple_is_a_node_where_one_is_called_so():
    networkx = pytest.importorskip("networkx")
    grid = graphrun.from_networkx(networkx.Graph([((0, 0), (0, 1)), ((0, 1), (1, 1))]))
    assert hops(grid.bfs(source=(0, 1)), grid) == {(0, 0): 1, (0, 1): 0, (1, 1): 1}
    assert grid.bfs(source=[(0, 0), (1, 1)]).sources.tolist() == [0, 2]
    assert grid.pagerank(source=[(0, 1)]).values.tolist() == grid.pagerank(source=(0, 1)).values.tolist()
    with pytest.raises(graphrun.UsageError, match=r"\(5, 5\) is not a vertex|5 is not a vertex"):
        grid.bfs(source=(5, 5))
    both = graphrun.from_networkx(networkx.Graph([((0, 1), 0), (0, 1)]))
    with pytest.raises(graphrun.UsageError, match=r"is a vertex, and holds vertices, too: write \[\(0, 1\)\] or \[0, 1\]"):
        both.bc(source=(0, 1))


@pytest.mark.parametrize("label, why", [("x\ty", "control character"), ("x\ny", "control"), ("\x7f", "control"), ("", "is empty")])
def test_names_that_no_file_gives_back_are_not_written(tmp_path, label, why):
    graph = graphrun.from_edges([0], [1], labels=[label, "c"])
    assert graph.bfs(source=label).reached == 2
    for suffix in ("grf", "csv", "el"):
        with pytest.raises(graphrun.UsageError, match=f"cannot hold the name of vertex index:0: it .*{why}"):
            graph.save(tmp_path / f"g.{suffix}")
    graph.save(tmp_path / "g.mtx")


@pytest.mark.parametrize("labels", [[7, 70, 5, 6], ["7", "70", "5", "6"], [7, "70", (5,), None]])
def test_sequences_texts_and_single_names_mean_the_same(labels):
    graph = graphrun.from_edges([0, 1, 2], [1, 2, 3], labels=labels)
    expected = graph.pagerank(index=[1, 2]).values.tolist()
    for source in (labels[1:3], dict.fromkeys(labels[1:3], 0.5), {labels[0]: 0, labels[1]: 3, labels[2]: 3}, set(labels[1:3])):
        assert graph.pagerank(source=source).values.tolist() == expected
    if labels[2] in (5, "5"):
        assert graph.pagerank(source="70,5").values.tolist() == expected
        assert graph.pagerank(source=np.array(labels[1:3])).values.tolist() == expected
    for digits in (str(2**64), "9" * 5000):  # no number that a vertex can have
        with pytest.raises(KeyError):
            graph.index(digits)
        with pytest.raises(graphrun.UsageError, match="is not a vertex"):
            graph.bfs(source=[digits])
    for v, label in enumerate(labels):
        assert graph.index(label) == v and (label is None or graph.bfs(source=label).values[v] == 0)
    with pytest.raises(graphrun.UsageError, match="8 is not a vertex"):
        graph.pagerank(source=[labels[0], 8])


def test_a_name_that_is_also_a_word_is_not_guessed():
    graph = graphrun.from_edges([0, 1], [1, 2], labels=["random", "b", "max-degree"])
    with pytest.raises(graphrun.UsageError, match=r"is the name of a vertex, and a word, too: write \['random'\], or index=0"):
        graph.bfs(source="random")
    assert graph.bfs(source=["random"]).hops().tolist() == [[0, 1, 2]]
    assert graph.bfs(source="random:7").reached >= 1


def test_numbers_are_names_where_a_file_begins_at_1(tmp_path):
    file = tmp_path / "path.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n")
    graph = graphrun.open(file)
    assert graph.bfs(source=1).hops().tolist() == graph.bfs(source="1").hops().tolist() == [0, 1, 2]
    assert graph.bc(source=np.array([1, 3], np.uint8)).sources.tolist() == [0, 2] == graph.bc(source=range(1, 4, 2)).sources.tolist()
    for source in (0, [1, 4], np.array([0])):
        with pytest.raises(graphrun.UsageError, match="[04] is not a vertex: the graph has vertices 1 to 3"):
            graph.pagerank(source=source)


def test_a_source_on_a_graph_without_names_is_a_number():
    graph = graphrun.from_edges([0, 1], [1, 2])
    assert graph.bfs(source=2).values[2] == 0 and graph.bfs(source="2").values[2] == 0 and graph.bfs(index=2).values[2] == 0
    with pytest.raises(graphrun.UsageError, match="3 is not a vertex: the graph has vertices 0 to 2$"):
        graph.bfs(source=3)


@pytest.mark.parametrize("labels", [[f"acc{i}" for i in range(100_000)], np.arange(100_000) * 2 + 1, [(i, "x") for i in range(100_000)]],
                         ids=["texts", "numbers", "tuples"])  # fmt: skip
def test_labels_and_lookups_cost_what_a_dictionary_costs(labels):
    graph = graphrun.from_edges([0], [1], vertices=len(labels), labels=labels)
    assert graph.index(labels[5]) == 5 and graph.labels[5] == labels[5]  # from now on it is known
    begun = time.process_time()
    for v in range(0, len(labels), 100):
        assert graph.index(labels[v]) == v and graph.labels[v] == labels[v]
    assert time.process_time() - begun < 0.5
    with pytest.raises(KeyError):
        graph.index("nobody")


def test_restarts_have_shares():
    graph = graphrun.from_edges([0, 1], [1, 0], vertices=3)
    found = graph.pagerank(source={0: 0.9, 1: 0.1, 2: 0}, tolerance=1e-12, verify=True)
    assert found.verified and found.values.tolist() == pytest.approx([(0.9 + 0.085) / 1.85, (0.1 + 0.765) / 1.85, 0])
    assert graph.pagerank(index=[1, 0], shares="1,9", tolerance=1e-12).values.tolist() == pytest.approx(found.values.tolist())
    assert graph.pagerank(source={0: 1e-46, 1: 1}, verify=True).verified  # 32-bit floats lost it
    for shares in ({0: -1, 1: -1}, {0: float("nan")}):
        with pytest.raises(graphrun.UsageError, match="a share is a number above 0, or 0"):
            graph.pagerank(source=shares)
    with pytest.raises(graphrun.UsageError, match="the sum of shares is too large"):
        graph.pagerank(source={0: 1e308, 1: 1.5e308})
    with pytest.raises(graphrun.UsageError, match="shares has 2 numbers, and there are 1 sources"):
        graph.pagerank(index=[1], shares="1,9")
    with pytest.raises(graphrun.UsageError, match="no source"):
        graph.pagerank(source={0: 0})
    with pytest.raises(TypeError, match="or a list of names, not {0: 1}"):
        graph.bc(source={0: 1})


def test_that_pagerank_does_not_read_weights_is_said_once(caplog):
    graph = graphrun.from_edges([0, 1], [1, 0], [1, 2])
    with caplog.at_level(logging.WARNING, logger="graphrun"):
        graph.pagerank()
        graph.pagerank()
        graph.bfs()
        weighted = graph.pagerank(weights="file")
    [said] = caplog.records
    assert said.getMessage() == 'pagerank does not read the weights of edges, and each arc counts alike: weights="file" reads them'
    assert weighted.converged
    with pytest.raises(TypeError, match="did you mean 'weights'"):
        graph.pagerank(weight="weight")


@pytest.mark.parametrize("algorithm, keyword, hint", [
    ("pagerank", "alpha", "did you mean 'damping'"), ("pagerank", "tol", "did you mean 'tolerance'"),
    ("pagerank", "max_iter", "did you mean 'max_iterations'"), ("pagerank", "personalization", "a mapping to their shares"),
    ("bc", "k", "did you mean 'sources'"), ("bfs", "root", "did you mean 'source'"), ("sssp", "weight", "did you mean 'weights'"),
    ("bfs", "target", r"answer.values\[graph.index\(name\)\]"), ("bfs", "cutoff", "answer.values <= cutoff"),
    ("bfs", "weights", "it reads no weights"), ("cc", "xyz", r"graphrun.keywords\('cc'\) has those that it takes"),
])  # fmt: skip
def test_keywords_of_other_packages_get_a_hint(algorithm, keyword, hint):
    with pytest.raises(TypeError, match=hint) as caught:
        getattr(graphrun.from_edges([0], [1]), algorithm)(**{keyword: 1})
    assert len(str(caught.value)) < 160


def test_a_name_of_a_column_with_a_comma(tmp_path):
    file = tmp_path / "comma.csv"
    file.write_text('"a,b","say ""c"""\n1,2\n')
    assert graphrun.open(file, columns=["a,b", 'say "c"']).num_edges == 1
    with pytest.raises(graphrun.UsageError, match="stripe is a list with commas between, and 'x,y' has a comma"):
        graphrun.open("kron:8").bfs(stripe=["x,y", "z"])
