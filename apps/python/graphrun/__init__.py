"""Graphs that need not fit beside the processor, in Python.

    import graphrun

    web = graphrun.open("web.grf")                       # any format that graphrun reads, or a generator: "kron:20:16"
    search = web.bfs(source=7, backend="bam", cache="1GiB")
    search.values                                        # hops from vertex 7: a NumPy array, one entry a vertex
    search.trial.time_ms, search.trial.bytes_moved       # what it cost
    ranks = web.pagerank(tolerance=1e-6, verify=True)    # every answer can be checked

Graphs come from open(), from_edges(), from_scipy() and from_networkx(). A Graph has a method for each algorithm, such as bfs(),
pagerank() and triangles(), and sample(). Their keywords are the options of the command line with _ for -; keywords("bfs") lists
them with what they do.

Arrays have an entry a vertex, by its number from 0. Graph.labels has what the input calls the vertices, Graph.index() finds the
number of a name. `source=` takes names, `index=` numbers; where the input has no names they are the same. Graphs of 2^32 vertices
and more get ids of 64 bits by themselves.

Errors are subclasses of graphrun.Error, each message one sentence. While a graph is read or a run goes on other threads of
Python run too. Ctrl-C ends it, and so do its `timeout` and Graph.cancel(). The log goes to logging.getLogger("graphrun"). build_info() says what this build lacks.
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
from ._options import METHODS

__version__ = _core.version
__all__ = [
    "Answer", "Cancelled", "DataError", "Error", "FeatureTable", "Graph", "RunError", "Sample", "TimedOut", "UNREACHED", "UNREACHED_DISTANCE",
    "UnavailableError", "UsageError", "WideIdsError", "build_info", "from_edges", "from_networkx", "from_scipy", "keywords",
]  # fmt: skip
# open() is not among them: `from graphrun import *` leaves the open() of Python.

def __dir__():
    return sorted([*__all__, "open", "__version__"])


def build_info():
    """What this build is and what it lacks, as a dict: version, commit, compiler, build_type, vertex_bits; `missing` has a
    sentence for each of "cuda" and "libfabric" that cannot be used; `backends` says for each device and backend whether it
    works here."""
    return _core.build_info()


def keywords(algorithm=None):
    """The keywords of a function, each with what it does: a dict. `algorithm` names a method of Graph, such as "bfs", "triangles"
    (also "tc") or "sample"; None: open()."""
    known = [*METHODS, *METHODS.values()]
    if algorithm is None:
        table = _options.LOADING
    elif isinstance(algorithm, str) and algorithm in known:
        table = {**_options.RUN[METHODS.get(algorithm, algorithm)], **_options.PLACEMENT, **_options.CALL}
    else:
        raise UsageError(f"there is no algorithm {reprlib.repr(algorithm)}: {', '.join(METHODS)}")
    return {name: option["help"] for name, option in table.items()}


def _made(what, *arguments, opened=None):
    """A Graph of 32-bit ids, or of 64 where those are too narrow."""
    with _progress.Call() as call:
        try:
            return Graph(getattr(_core, what + "32")(*arguments, call), _core.Engine32, opened)
        except WideIdsError as error:
            if not hasattr(_core, what + "64"):
                raise WideIdsError(f"{error}, and this module was built without 64-bit ids (GRAPHRUN_BUILD_WIDE)") from None
            return Graph(getattr(_core, what + "64")(*arguments, call), _core.Engine64, opened)


def open(path, **options):
    """Reads a graph: a file in any format that is recognised (text also compressed), or a generator such as "kron:20:16".

    Containers (.grf) are mapped, and read through once to see that they are undamaged. Raises DataError (missing, damaged),
    UsageError, and UnavailableError where the graph is estimated to need more memory than is free.

    Keywords:
    """
    _options.check(open, options, _options.LOADING)
    path, stamp = path_and_stamp(path)
    return _made("open", path_of(path), _options.texts(_options.LOADING, options), opened=(path, options, stamp))


def _called(graph, labels):
    """Gives the vertices their names."""
    if labels is not None:
        graph._names.call(labels)
    return graph


def from_edges(sources, targets, weights=None, vertices=None, undirected=False, labels=None):
    """A graph of the arcs sources[i] -> targets[i].

    sources, targets: whole numbers from 0, one an arc, of any integer type. weights: one an arc; whole numbers below 2^64 are
    kept as they are, floats become 32-bit floats, with a warning in the log where one is rounded. vertices: how many there
    are; by default the largest number and one. undirected: add the opposite of every arc, unless every arc is listed both
    ways with equal weights. labels: names of the vertices, one each. Parallel arcs and self loops are kept. The arrays are
    copied once, and sorted.

    Raises UsageError (lengths, numbers out of range), TypeError (no numbers), UnavailableError (not enough memory).
    """
    if vertices is not None:
        vertices = number(vertices, "vertices", 0, 2**64 - 1)
    columns = whole(sources, "sources"), whole(targets, "targets"), weights_of(weights)
    return _called(_made("from_edges", *columns, vertices, switch(undirected, "undirected")), labels)


def from_scipy(matrix, undirected=False, labels=None):
    """A graph with an arc i -> j for each stored entry of a square sparse matrix or array, of the entry's weight.

    Entries that are stored twice are parallel arcs: SciPy adds them up only where it makes CSR of other forms, which happens to none
    here. Rows of CSR and CSC are copied once, in parallel. Matrices of bool have no weights; others as from_edges() takes them. Raises as from_edges() does, and DataError where the
    arrays of the matrix do not go together.
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
    return _called(_made("from_rows", *columns, switch(undirected, "undirected")), labels)


def from_networkx(graph, weight="weight"):
    """A graph of a networkx graph; its nodes become vertices in their order, with the nodes as labels.

    weight: the attribute of edges that holds weights, a text; an edge without it weighs 1. With None, and where no edge has
    "weight", there are none; where no edge has another one that was asked for, that is a UsageError.
    """
    if isinstance(graph, type) or not (hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise TypeError(f"graph is one of networkx, not {reprlib.repr(graph)}")
    if not (weight is None or isinstance(weight, str)):
        raise TypeError(f"weight is the name of an attribute of edges, or None, not {reprlib.repr(weight)}")
    index = {node: v for v, node in enumerate(graph)}
    edges = list(graph.edges(data=weight))
    ends = np.fromiter((index[end] for edge in edges for end in edge[:2]), dtype=np.int64, count=2 * len(edges)).reshape(-1, 2)
    weights = None
    if any(edge[2] is not None for edge in edges):
        weights = [1 if edge[2] is None else edge[2] for edge in edges]
    elif edges and weight not in (None, "weight"):
        raise UsageError(f"no edge has the attribute {weight!r}")
    made = from_edges(ends[:, 0], ends[:, 1], weights, len(index), not graph.is_directed(), labels=index)
    return made


def _document():
    """Gives functions that take keywords of the options their texts and, for completion, their signatures."""
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
