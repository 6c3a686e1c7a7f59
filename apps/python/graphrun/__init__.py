# SPDX-License-Identifier: Apache-2.0
"""Graphs that need not fit beside the processor, in Python.

    import graphrun

    web = graphrun.open("web.grf")                       # any format that graphrun reads, or a generator: "kron:20:16"
    search = web.bfs(source=7, backend="bam", cache="1GiB")
    search.values                                        # hops from vertex 7: a NumPy array, one entry a vertex
    search.trial.time_ms, search.trial.bytes_moved       # what it cost
    ranks = web.pagerank(tolerance=1e-6, verify=True)    # every answer can be checked

Graphs come from open(), from_edges(), from_table(), from_scipy(), from_networkx() and from_igraph(). A Graph has a method for each
algorithm, such as bfs(), pagerank() and triangles(), and sample(). Their keywords are the command line's options with _ for -; keywords("bfs") describes
them.

Arrays have an entry a vertex, by its number from 0. Graph.labels has the input's names of vertices, Graph.index() finds the
number of a name. `source=` takes names, `index=` numbers; they are the same for an input without names. Graphs of 2^32 vertices
and more automatically get 64-bit ids.

Errors are subclasses of graphrun.Error, each message one sentence. Other Python threads run during reads and runs. Ctrl-C ends
a call, and so do its `timeout` and Graph.cancel(). The log goes to logging.getLogger("graphrun"). build_info() lists what this
build lacks.
"""

import inspect
import reprlib

import numpy as np

from . import _core, _options, _progress
from ._answers import UNREACHED, UNREACHED_DISTANCE, Answer, Sample
from ._arrays import number, path_of, switch, weights_of, whole
from ._errors import Cancelled, DataError, Error, RunError, TimedOut, UnavailableError, UsageError, WideIdsError
from ._features import FeatureTable
from ._files import path_and_stamp
from ._graph import Graph
from ._nx_graph import repeated, rows_of
from ._options import METHODS
from ._tables import Table, columns_of, numbered

__version__ = _core.version
__all__ = [
    "Answer", "Cancelled", "DataError", "Error", "FeatureTable", "Graph", "RunError", "Sample", "Table", "TimedOut", "UNREACHED",
    "UNREACHED_DISTANCE", "UnavailableError", "UsageError", "WideIdsError", "build_info", "from_edges", "from_igraph",
    "from_networkx", "from_pandas", "from_scipy", "from_table", "keywords",
]  # fmt: skip
# Without open(): `from graphrun import *` leaves Python's open().

def __dir__():
    return sorted([*__all__, "open", "__version__"])


def build_info():
    """Returns the features of this build, as a dict: version, commit, compiler, build_type, vertex_bits; `missing` has a
    sentence for each of "cuda" and "libfabric" that cannot be used; `backends` says for each device and backend whether it
    works here."""
    return _core.build_info()


def keywords(algorithm=None):
    """Returns the keywords of a function with their descriptions: a dict. `algorithm` names a method of Graph, such as "bfs",
    "triangles" (also "tc") or "sample"; None: open(). Raises UsageError."""
    known = [*METHODS, *METHODS.values()]
    if algorithm is None:
        table = _options.LOADING
    elif isinstance(algorithm, str) and algorithm in known:
        table = {**_options.RUN[METHODS.get(algorithm, algorithm)], **_options.PLACEMENT, **_options.CALL}
    else:
        raise UsageError(f"there is no algorithm {reprlib.repr(algorithm)}: {', '.join(METHODS)}")
    return {name: option["help"] for name, option in table.items()}


def _made(what, *arguments, opened=None):
    """Makes a Graph of 32-bit ids, or of 64-bit ids where those are too narrow."""
    with _progress.Call() as call:
        try:
            return Graph(getattr(_core, what + "32")(*arguments, call), _core.Engine32, opened)
        except WideIdsError as error:
            if not hasattr(_core, what + "64"):
                raise WideIdsError(f"{error}, and this module was built without 64-bit ids (GRAPHRUN_BUILD_WIDE)") from None
            return Graph(getattr(_core, what + "64")(*arguments, call), _core.Engine64, opened)


def open(path, **options):
    """Reads a graph: a file in any recognised format (text also compressed), or a generator such as "kron:20:16".

    Maps containers (.grf), and checks them for damage by one full read. Raises DataError (missing, damaged), UsageError, and
    UnavailableError where the graph is estimated to need more memory than is free.

    Keywords:
    """
    _options.check(open, options, _options.LOADING)
    if not isinstance(path, (str, bytes)) and not hasattr(path, "__fspath__"):
        others = "from_edges(), from_table(), from_scipy(), from_networkx() and from_igraph() make graphs of objects"
        raise TypeError(f"open() takes the name of a file, not {type(path).__name__}: {others}")
    path, stamp = path_and_stamp(path)
    return _made("open", path_of(path), _options.texts(_options.LOADING, options), opened=(path, options, stamp))


def _called(graph, labels):
    """Gives the vertices their names."""
    if labels is not None:
        graph._names.call(labels)
    return graph


def from_edges(sources, targets, weights=None, vertices=None, undirected=False, labels=None):
    """Makes a graph of the arcs sources[i] -> targets[i].

    sources, targets: whole numbers from 0, one an arc, of any integer type. weights: one an arc; whole numbers below 2^64 are
    kept, floats become 32-bit floats, with a warning in the log where one is rounded. vertices: their number; by default the
    largest one plus 1. undirected: adds the opposite of every arc, unless every arc is listed both ways with equal weights.
    labels: names of the vertices, one each. Keeps parallel arcs and self loops. Copies the arrays once, and sorts the copies.

    Raises UsageError (lengths, numbers out of range), TypeError (no numbers), UnavailableError (not enough memory).
    """
    if vertices is not None:
        vertices = number(vertices, "vertices", 0, 2**64 - 1)
    columns = whole(sources, "sources"), whole(targets, "targets"), weights_of(weights)
    return _called(_made("from_edges", *columns, vertices, switch(undirected, "undirected")), labels)


def from_scipy(matrix, undirected=False, labels=None):
    """Makes a graph with an arc i -> j for each stored entry of a square sparse matrix or array, of the entry's weight.

    Entries that are stored twice become parallel arcs; SciPy would add them up in conversions to CSR. Copies rows of CSR and
    CSC once, in parallel. Matrices of bool have no weights; others as in from_edges(). Raises as from_edges(), and DataError
    for inconsistent arrays of the matrix.
    """
    if not hasattr(matrix, "tocsr") or len(matrix.shape) != 2:
        raise TypeError(f"matrix is a sparse matrix or array of SciPy, of two dimensions, not {type(matrix).__name__}")
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(
            f"the matrix is {matrix.shape[0]} by {matrix.shape[1]}: rows and columns are the same vertices, so it is square"
        )
    if matrix.format not in ("csr", "csc"):
        entries = matrix.tocoo()
        weights = None if entries.dtype == bool else entries.data
        return from_edges(entries.row, entries.col, weights, matrix.shape[0], undirected, labels)
    rows = matrix.tocsr()
    stored = rows.indptr[-1] if len(rows.indptr) else 0  # behind them there may be room that is not used
    weights = None if rows.dtype == bool else weights_of(rows.data[:stored])
    columns = whole(rows.indptr, "indptr"), whole(rows.indices[:stored], "indices"), weights
    return _called(_made("from_rows", *columns, switch(undirected, "undirected"), False, False), labels)


def from_table(table, source=0, target=1, weight=None, undirected=False):
    """Makes a graph of a table with an arc in each row; the names in its columns become labels.

    table: a DataFrame of pandas or polars, a table of Arrow or any object with `__arrow_c_stream__`, a mapping of columns, or the
    name of a Parquet file, which pyarrow reads. source, target, weight: columns by name, or by position from 0. Names are whole
    numbers or strings; numbers make vertices in ascending order, strings in the order in which rows name them. undirected,
    weights, errors: as in from_edges(). Raises UsageError for missing columns and values, and UnavailableError without pyarrow.
    """
    columns = columns_of(table, [source, target] if weight is None else [source, target, weight])
    *ends, labels = numbered(*columns[:2])
    return from_edges(*ends, columns[2] if columns[2:] else None, len(labels), undirected, labels)


from_pandas = from_table


def from_igraph(graph, weight="weight"):
    """Makes a graph of one of python-igraph. Its vertices' `name`, if there is one, becomes the label. weight: as in
    from_networkx()."""
    if isinstance(graph, type) or not (hasattr(graph, "get_edgelist") and hasattr(graph, "vs")):
        raise TypeError(f"graph is one of igraph, not {reprlib.repr(graph)}")
    ends = np.array(graph.get_edgelist(), np.int64).reshape(-1, 2)
    weights = None
    if weight in graph.es.attributes():
        weights = [1 if each is None else each for each in graph.es[weight]]
    elif weight not in (None, "weight") and len(ends):
        raise UsageError(f"no edge has the attribute {weight!r}")
    labels = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return from_edges(ends[:, 0], ends[:, 1], weights, graph.vcount(), not graph.is_directed(), labels)


def from_networkx(graph, weight="weight"):
    """Makes a graph of a networkx graph; its nodes become vertices in their order, with the nodes as labels. Lists ascend.

    weight: the name of the edges' attribute with weights; an edge without it weighs 1. With None, and where no edge has
    "weight", there are no weights. Raises UsageError where no edge has another requested attribute.
    """
    if isinstance(graph, type) or not (hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise TypeError(f"graph is one of networkx, not {reprlib.repr(graph)}")
    if not (weight is None or isinstance(weight, str)):
        raise TypeError(f"weight is the name of an attribute of edges, or None, not {reprlib.repr(weight)}")
    nodes = _core.Nodes(list(graph))
    offsets, neighbours, copies, weights = rows_of(graph, nodes, weight)
    if weights is None and neighbours.size and weight not in (None, "weight"):
        raise UsageError(f"no edge has the attribute {weight!r}")
    if copies is not None:
        offsets, neighbours = repeated(offsets, neighbours, copies)
    if isinstance(weights, list):  # of several types
        weights = [1 if each is None else each for each in weights]
    made = _made("from_rows", offsets, neighbours, weights_of(weights), False, not graph.is_directed(), True)
    return _called(made, nodes.list)


def _document():
    """Adds the options' texts to the docstrings of functions that take them as keywords and, for completion, signatures."""
    _options.sign(open, _options.LOADING)
    open.__doc__ = f"{inspect.cleandoc(open.__doc__)}\n{_options.described(_options.LOADING)}\n"
    placement = _options.described(_options.PLACEMENT, common_only=True)
    for method, algorithm in METHODS.items():
        own = {name: option for name, option in _options.RUN[algorithm].items() if name != "source"}
        lines = [_options.described(own)] if own else []
        lines += [_options.described(_options.CALL), placement, f'Others, of placement: keywords("{method}").', ""]
        function = getattr(Graph, method)
        _options.sign(function, own, _options.PLACEMENT, _options.CALL)
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__), "", "Keywords:", *lines])


_document()
