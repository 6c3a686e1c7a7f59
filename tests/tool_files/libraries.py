# SPDX-License-Identifier: Apache-2.0
"""How libraries write graphs. NetworkX and SciPy write themselves where they are installed; the forms of the others are those of
their documentation."""

import gzip
import io
import json

from graphs import File, Graph, lines, quoted, random_graph, table, writer

try:
    import networkx
except ImportError:
    networkx = None
try:
    import numpy
    import scipy.io
    import scipy.sparse
except ImportError:
    scipy = None

def numbered(graph, first=0):
    return [(i, *row) for i, row in enumerate(graph.edges, first)]


# NetworkX


def to_networkx(graph, more=None):
    made = networkx.DiGraph() if graph.directed else networkx.Graph()
    for u, v, w in graph.edges:
        made.add_edge(u, v, **({} if w is None else {"weight": w}), **(more or {}))
    return made


def networkx_edges(graph, **how):
    """networkx.write_edgelist, or what it writes where it is not installed."""
    more = how.pop("more", None)
    if networkx is not None:
        out = io.BytesIO()
        made = to_networkx(graph, more)
        networkx.write_edgelist(made, out, **how)
        order = [(u, v, d.get("weight")) for u, v, d in made.edges(data=True)]
        return out.getvalue(), Graph(order, graph.directed)
    sep = how.get("delimiter", " ")
    data = how.get("data", True)
    rows = []
    for u, v, w in graph.edges:
        attributes = {**({} if w is None else {"weight": w}), **(more or {})}
        rows.append((u, v, *([attributes] if data is True else [attributes[key] for key in data or () if key in attributes])))
    return lines(rows, sep), graph


@writer
def networkx_dicts(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), rng.choice(["none", "whole", "real"]), rng.random() < 0.5)
    content, graph = networkx_edges(graph)
    return File("g.edgelist", content, graph.arcs())


@writer
def networkx_two_attributes(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), "real")
    content, graph = networkx_edges(graph, more={"label": "a, b"}, delimiter=rng.choice([" ", "\t", ","]))
    return File("g.txt", content, graph.arcs())


@writer
def networkx_plain(rng):
    graph = random_graph(rng, rng.choice(["0", "1", "words"]))
    content, graph = networkx_edges(graph, data=False, delimiter=rng.choice([" ", "\t", ","]))
    return File("g.txt", content, graph.arcs())


@writer
def networkx_weighted(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), rng.choice(["whole", "real"]))
    content, graph = networkx_edges(graph, data=["weight"])
    return File("g.txt", content, graph.arcs())


def networkx_other(kind, rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), rng.choice(["none", "whole"]), False)
    if networkx is None:
        return None
    out = io.BytesIO()
    made = to_networkx(graph)
    if kind == "json":
        out.write(json.dumps(networkx.node_link_data(made)).encode())
    elif kind == "repr":
        out.write(str(list(made.edges)).encode() + b"\n")
    elif kind == "tuples":
        out.write("".join(f"{edge}\n" for edge in made.edges).encode())
    elif kind == "dot":
        body = "".join(f'  "{u}" -- "{v}";\n' for u, v in made.edges)
        out.write(f"graph G {{\n{body}}}\n".encode())
    elif kind in ("graph6", "sparse6"):
        if any(isinstance(node, str) for node in made):
            made = networkx.convert_node_labels_to_integers(made)
        getattr(networkx, f"write_{kind}")(made, out)
    else:
        getattr(networkx, f"write_{kind}")(made, out)
    return File(f"g.{kind}", out.getvalue(), graph.arcs(), must=False)


for _kind in "adjlist multiline_adjlist pajek gml graphml gexf json repr tuples dot graph6 sparse6".split():
    writer(lambda rng, kind=_kind: networkx_other(kind, rng))


# igraph


@writer
def igraph_edgelist(rng):
    graph = random_graph(rng)
    return File("g.edgelist", lines(graph.edges), graph.arcs())


@writer
def igraph_ncol(rng):
    graph = random_graph(rng, "words", rng.choice(["none", "real"]))
    return File("g.ncol", lines(graph.edges), graph.arcs())


@writer
def igraph_lgl(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), rng.choice(["none", "real", "whole"]), False)
    content = ""
    for node in graph.nodes():
        content += f"# {node}\n"
        content += "".join(f"{v}{'' if w is None else f' {w}'}\n" for u, v, w in graph.edges if u == node)
    return File("g.lgl", content.encode(), graph.arcs(), must=False)


@writer
def igraph_dimacs(rng):
    graph = random_graph(rng, "1", "whole")
    content = f"c created by igraph\np max {len(graph.nodes())} {len(graph.edges)}\nn 1 s\nn 2 t\n".encode()
    return File("g.dimacs", content + lines([("a", *edge) for edge in graph.edges]), graph.arcs(), must=False)


@writer
def igraph_leda(rng):
    graph = random_graph(rng, "1")
    nodes = graph.nodes()
    content = "LEDA.GRAPH\nvoid\nvoid\n-1\n# Vertices\n%d\n%s# Edges\n%d\n" % (len(nodes), "|{}|\n" * len(nodes), len(graph.edges))
    return File("g.lgr", content.encode() + lines([(u, v, 0, "|{}|") for u, v, _ in graph.edges]), graph.arcs(), must=False)


# SciPy


@writer
def scipy_matrix_market(rng):
    directed = rng.random() < 0.5
    graph = random_graph(rng, "1", rng.choice(["none", "whole", "real"]), directed)
    n = max(max(u, v) for u, v, _ in graph.edges)
    kind = {int: "integer", float: "real", type(None): "pattern"}[type(graph.edges[0][2])]
    symmetry = "general" if directed else "symmetric"
    if scipy is None or kind == "pattern":
        content = f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n%\n{n} {n} {len(graph.edges)}\n".encode()
        rows = graph.edges if directed else [(max(u, v), min(u, v), w) for u, v, w in graph.edges]
        return File("g.mtx", content + lines(rows), graph.arcs(both=True))
    edges = graph.edges if directed else graph.edges + [(v, u, w) for u, v, w in graph.edges]
    data, rows, columns = (numpy.array(x) for x in ([w for *_, w in edges], [u - 1 for u, *_ in edges], [v - 1 for _, v, _ in edges]))
    out = io.BytesIO()
    scipy.io.mmwrite(out, scipy.sparse.coo_matrix((data, (rows, columns)), shape=(n, n)), symmetry=symmetry)
    return File("g.mtx", out.getvalue(), graph.arcs(both=True))


@writer
def scipy_npz(rng):
    if scipy is None:
        return None
    graph = random_graph(rng, "0", "real")
    n = max(max(u, v) for u, v, _ in graph.edges) + 1
    out = io.BytesIO()
    matrix = scipy.sparse.coo_matrix(([w for *_, w in graph.edges], ([u for u, *_ in graph.edges], [v for _, v, _ in graph.edges])), (n, n))
    scipy.sparse.save_npz(out, matrix)
    return File("g.npz", out.getvalue(), graph.arcs(), must=False)


@writer
def scipy_savetxt(rng):
    """numpy.savetxt of rows, columns and data: all are floats."""
    graph = random_graph(rng, "0", "real")
    content = "".join(f"{u:.18e} {v:.18e} {w:.18e}\n" for u, v, w in graph.edges)
    return File("g.txt", content.encode(), graph.arcs())


# pandas


@writer
def pandas_with_index(rng):
    weights = rng.choice(["none", "real", "whole"])
    graph = random_graph(rng, rng.choice(["0", "words"]), weights)
    names = ("source", "target") if rng.random() < 0.5 else rng.choice([("from", "to"), ("src", "dst"), ("head", "tail")])
    header = ["", *names] + ([] if weights == "none" else ["weight"])
    return File("g.csv", table(header, numbered(graph)), graph.arcs())


@writer
def pandas_index_again(rng):
    """Read without index_col and written once more."""
    graph = random_graph(rng, "0", "whole")
    rows = [(i, i, *edge) for i, edge in enumerate(graph.edges)]
    return File("g.csv", table(["", "Unnamed: 0", "source", "target", "weight"], rows), graph.arcs())


@writer
def pandas_without_index(rng):
    weights = rng.choice(["none", "real"])
    graph = random_graph(rng, rng.choice(["0", "words", "spaced"]), weights)
    header = ["source", "target"] + ([] if weights == "none" else ["weight"])
    sep = rng.choice([",", ";", "\t"])
    quote = quoted if any("," in str(u) for u, *_ in graph.edges) else str
    return File("g.csv" if sep != "\t" else "g.tsv", table(header, graph.edges, sep, quote), graph.arcs())


@writer
def pandas_without_header(rng):
    graph = random_graph(rng, rng.choice(["0", "words"]), rng.choice(["none", "real"]))
    return File("g.csv", lines(graph.edges, ","), graph.arcs())


@writer
def pandas_floats(rng):
    """A column of ids that lacked one somewhere."""
    graph = random_graph(rng, "0", rng.choice(["none", "real"]))
    header = ["source", "target"] + ([] if graph.edges[0][2] is None else ["weight"])
    return File("g.csv", table(header, [(f"{u}.0", v, w) for u, v, w in graph.edges]), graph.arcs())


@writer
def pandas_missing(rng):
    graph = random_graph(rng, "0")
    rows = [(f"{u}.0" if i != 3 else "", v) for i, (u, v, _) in enumerate(graph.edges)]
    return File("g.csv", table(["source", "target"], rows), graph.arcs(), must=False)


@writer
def pandas_compressed(rng):
    graph = random_graph(rng, "words", "real")
    return File("g.csv.gz", gzip.compress(table(["source", "target", "weight"], graph.edges)), graph.arcs())


@writer
def pandas_triples(rng):
    graph = random_graph(rng, "0")
    names = rng.choice([("head", "relation", "tail"), ("subject", "predicate", "object"), ("node1", "relation", "node2")])
    return File("g.csv", table(names, [(u, rng.randint(0, 3), v) for u, v, _ in graph.edges]), graph.arcs())


# R


@writer
def r_write_csv(rng):
    weights = rng.choice(["none", "real"])
    graph = random_graph(rng, rng.choice(["1", "words", "spaced"]), weights)
    header = ["", "from", "to"] + ([] if weights == "none" else ["weight"])
    return File("g.csv", table(header, [(quoted(i), *rest) for i, *rest in numbered(graph, 1)], ",", lambda x: x if str(x).startswith('"') else quoted(x)), graph.arcs())


@writer
def r_write_csv2(rng):
    """Semicolons and decimal commas."""
    graph = random_graph(rng, "1", "real")
    rows = [(u, v, str(w).replace(".", ",")) for u, v, w in graph.edges]
    return File("g.csv", table(["from", "to", "weight"], rows, ";", lambda x: x if "," in x else quoted(x)), graph.arcs(), must=False)


@writer
def r_write_table(rng):
    weights = rng.choice(["none", "real"])
    graph = random_graph(rng, rng.choice(["1", "words"]), weights)
    header = ["from", "to"] + ([] if weights == "none" else ["weight"])
    rows = [(quoted(i), *rest) for i, *rest in numbered(graph, 1)]
    return File("g.txt", table(header, rows, " ", lambda x: x if str(x).startswith('"') else quoted(x)), graph.arcs())


@writer
def r_write_table_bare(rng):
    graph = random_graph(rng, rng.choice(["1", "words"]), rng.choice(["none", "real"]))
    return File("g.txt", lines(graph.edges, "\t"), graph.arcs())
