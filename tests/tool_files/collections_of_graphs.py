# SPDX-License-Identifier: Apache-2.0
"""How collections of graphs, benchmarks and people write graphs."""

import gzip

from graphs import File, Graph, lines, random_graph, table, writer

# SNAP


def snap_comments(graph, undirected=False):
    kind = "Undirected graph (each unordered pair of nodes is saved once)" if undirected else "Directed graph (each unordered pair of nodes is saved once)"
    return f"# {kind}: g.txt \n# A network\n# Nodes: {len(graph.nodes())} Edges: {len(graph.edges)}\n# FromNodeId\tToNodeId\n".encode()


@writer
def snap_list(rng):
    graph = random_graph(rng, "0")
    content = snap_comments(graph) + lines(graph.edges, "\t", rng.choice(["\n", "\r\n"]))
    return File("g.txt.gz", gzip.compress(content), graph.arcs())


@writer
def snap_undirected(rng):
    graph = random_graph(rng, "0", directed=False)
    return File("g.txt", snap_comments(graph, True) + lines(graph.edges, "\t"), graph.arcs(both=True), options=["--undirected"])


@writer
def snap_signed(rng):
    graph = Graph([(u, v, rng.choice([-1, 1])) for u, v, _ in random_graph(rng).edges])
    return File("g.txt", b"# FromNodeId\tToNodeId\tSign\n" + lines(graph.edges, "\t"), graph.arcs())


@writer
def snap_temporal(rng):
    graph = random_graph(rng, "0")
    unit = rng.choice([1, 1000, 10**6, 10**9])
    rows = [(u, v, (1289241911 + i) * unit) for i, (u, v, _) in enumerate(graph.edges)]
    return File("g.txt", lines(rows), graph.arcs())


@writer
def snap_bitcoin(rng):
    graph = random_graph(rng, "1", "whole")
    rows = [(u, v, w, f"{1289241911 + i}.{rng.randint(10000, 99999)}") for i, (u, v, w) in enumerate(graph.edges)]
    return File("g.csv", lines(rows, ","), graph.arcs())


@writer
def snap_pairs_csv(rng):
    graph = random_graph(rng, "0")
    return File("g.csv", table(rng.choice([("id_1", "id_2"), ("node_1", "node_2")]), [e[:2] for e in graph.edges]), graph.arcs())


@writer
def snap_counts(rng):
    """Contests and 10th DIMACS tools begin a list with its counts."""
    graph = random_graph(rng, rng.choice(["0", "1"]), rng.choice(["none", "real"]))
    return File("g.txt", lines([(len(graph.nodes()), len(graph.edges)), *graph.edges]), graph.arcs(), must=False)


# KONECT


@writer
def konect_plain(rng):
    graph = random_graph(rng, "1", rng.choice(["none", "whole"]))
    kind = "unweighted" if graph.edges[0][2] is None else "positive"
    n = len(graph.nodes())
    return File("out.g", f"% asym {kind}\n% {len(graph.edges)} {n} {n}\n".encode() + lines(graph.edges, rng.choice([" ", "\t"])), graph.arcs())


@writer
def konect_undirected(rng):
    graph = random_graph(rng, "1", directed=False)
    return File("out.g", b"% sym unweighted\n" + lines(graph.edges), graph.arcs(both=True), options=["--undirected"])


@writer
def konect_times(rng):
    graph = random_graph(rng, "1", "whole")
    rows = [(*edge, 1289241911 + i) for i, edge in enumerate(graph.edges)]
    return File("out.g", b"% asym positive\n" + lines(rows, "\t"), graph.arcs())


@writer
def konect_bipartite(rng):
    left, right = 5, 7
    pairs = sorted({(rng.randint(1, left), rng.randint(1, right)) for _ in range(15)})
    content = f"% bip unweighted\n% {len(pairs)} {left} {right}\n".encode() + lines(pairs)
    arcs = [(str(u), str(left + v), None) for u, v in pairs]
    bare = rng.random() < 0.5
    return File("out.g", content, arcs, must=not bare, options=[] if bare else ["--bipartite"])


# Network Repository


@writer
def repository_edges(rng):
    graph = random_graph(rng, "1", rng.choice(["none", "real"]))
    comment = rng.choice([b"", b"% directed\n", b"% asym weighted\n"])
    return File("g.edges", comment + lines(graph.edges, rng.choice([" ", ","])), graph.arcs())


@writer
def repository_matrix(rng):
    graph = random_graph(rng, "1", directed=False)
    n = max(max(u, v) for u, v, _ in graph.edges)
    content = f"%%MatrixMarket matrix coordinate pattern symmetric\n%-----\n% name: g\n%-----\n{n} {n} {len(graph.edges)}\n"
    return File("g.mtx", content.encode() + lines([(max(u, v), min(u, v)) for u, v, _ in graph.edges]), graph.arcs(both=True))


@writer
def repository_matrix_without_banner(rng):
    graph = random_graph(rng, "1", rng.choice(["none", "real"]))
    n = max(max(u, v) for u, v, _ in graph.edges)
    return File("g.edges", lines([(n, n, len(graph.edges)), *graph.edges]), graph.arcs(), must=False)


# LDBC


@writer
def ldbc_graphalytics(rng):
    graph = random_graph(rng, "1", rng.choice(["none", "real"]))
    return File("g.e", lines(graph.edges), graph.arcs())


@writer
def ldbc_social_network(rng):
    graph = random_graph(rng, "1")
    rows = [(u, v, "2010-03-13T07:37:21.718+0000") for u, v, _ in graph.edges]
    return File("person_knows_person_0_0.csv", lines([("Person.id", "Person.id", "creationDate"), *rows], "|"), graph.arcs(), must=False)


# DIMACS


@writer
def dimacs_shortest_paths(rng):
    graph = random_graph(rng, "1", "whole")
    n = max(max(u, v) for u, v, _ in graph.edges)
    content = f"c 9th DIMACS\nc\np sp {n} {len(graph.edges)}\n".encode()
    return File("g.gr", content + lines([("a", *edge) for edge in graph.edges]), graph.arcs())


@writer
def dimacs_colouring(rng):
    graph = random_graph(rng, "1")
    head = f"c colouring\np {rng.choice(['edge', 'col'])} {len(graph.nodes())} {len(graph.edges)}\n" if rng.random() < 0.5 else ""
    return File("g.col", head.encode() + lines([("e", *edge) for edge in graph.edges]), graph.arcs(), must=False)


@writer
def dimacs_coordinates(rng):
    rows = [("v", i, rng.randint(-10**6, 0), rng.randint(0, 10**6)) for i in range(1, 9)]
    return File("g.co", b"c\np aux sp co 8\n" + lines(rows), [], must=False)


# METIS


def metis(graph, kind=""):
    nodes = range(1, max(max(u, v) for u, v, _ in graph.edges) + 1)
    content = f"% METIS\n{len(nodes)} {len(graph.edges)}{kind and ' ' + kind}\n"
    for node in nodes:
        ends = [(v if u == node else u, w) for u, v, w in graph.edges if node in (u, v)]
        words = ["1"] if kind == "011" else []
        content += " ".join(words + [f"{v}" if w is None else f"{v} {w}" for v, w in ends]) + "\n"
    return content.encode()


@writer
def metis_named(rng):
    graph = random_graph(rng, "1", directed=False)
    return File("g.graph", metis(graph), graph.arcs(both=True))


@writer
def metis_weighted(rng):
    graph = random_graph(rng, "1", "whole", directed=False)
    return File("g.metis", metis(graph, rng.choice(["1", "001", "011"])), graph.arcs(both=True))


@writer
def metis_unnamed(rng):
    graph = random_graph(rng, "1", directed=False)
    return File("mesh", metis(graph), graph.arcs(both=True))


@writer
def metis_ring(rng):
    n = rng.randint(4, 9)
    graph = Graph([(v, v % n + 1, None) for v in range(1, n + 1)], False)
    return File("ring", metis(graph), graph.arcs(both=True), must=False)


# Texts that people make


@writer
def leading_zeros(rng):
    graph = random_graph(rng, "1")
    arcs = [(f"{u:05d}", f"{v:05d}", None) for u, v, _ in graph.edges]
    return File("fips.csv", table(("from", "to"), [a[:2] for a in arcs]), arcs)


@writer
def arrows(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]))
    mark = rng.choice([" -> ", "->", " -- ", "--", " => "])
    return File("g.txt", lines([e[:2] for e in graph.edges], mark), graph.arcs(), must=False)


@writer
def urls(rng):
    graph = random_graph(rng, "words")
    edges = [(f"http://{u}.org/", f"http://{v}.org/") for u, v, _ in graph.edges]
    return File("g.csv", table(("from_url", "to_url"), edges), [(*edge, None) for edge in edges])


@writer
def names_with_commas(rng):
    """Nobody quoted them."""
    graph = random_graph(rng, "spaced")
    return File("g.csv", lines([("from", "to"), *graph.edges], ","), graph.arcs(), must=False)
