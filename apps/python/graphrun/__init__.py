"""Graphs that need not fit beside the processor, in Python.

    import graphrun

    web = graphrun.open("web.grf")                       # any format that graphrun reads, or a generator: "kron:20:16"
    search = web.bfs(source=7, backend="bam", cache="1GiB")
    search.values                                        # hops from vertex 7: a NumPy array, one entry a vertex
    search.trial.time_ms, search.trial.bytes_moved       # what it cost
    ranks = web.pagerank(tolerance=1e-6, verify=True)    # every answer can be checked

Graphs come from open(), from_edges(), from_scipy() and from_networkx(). A Graph has bfs(), sssp(), cc(), pagerank(), bc(),
triangles() and sample(). Their keywords are the options of the command line with _ for -; keywords("bfs") lists them with what
they do.

Vertices are numbers from 0; Graph.labels has what the input calls them and Graph.index() finds one by its name. Graphs of 2^32
vertices and more get ids of 64 bits by themselves.

Errors are subclasses of graphrun.Error, each message one sentence. While a graph is read or a run goes on other threads of
Python run too, and Ctrl-C ends it. The log goes to logging.getLogger("graphrun"). build_info() says what this build lacks.
"""

import inspect
import operator
import reprlib

import numpy as np

from . import _answers, _core, _engines, _options, _progress
from ._answers import (
    UNREACHED,
    UNREACHED_DISTANCE,
    Answer,
    BetweennessAnswer,
    BfsAnswer,
    ComponentsAnswer,
    PageRankAnswer,
    Sample,
    SsspAnswer,
    TrianglesAnswer,
)
from ._arrays import number, path_of, switch, utf8, weights_of, whole
from ._errors import DataError, Error, RunError, UnavailableError, UsageError, WideIdsError
from ._features import FeatureTable

__version__ = _core.version
__all__ = [
    "Answer", "BetweennessAnswer", "BfsAnswer", "ComponentsAnswer", "DataError", "Error", "FeatureTable", "Graph", "PageRankAnswer", "RunError",
    "Sample", "SsspAnswer", "TrianglesAnswer", "UNREACHED", "UNREACHED_DISTANCE", "UnavailableError", "UsageError", "WideIdsError",
    "build_info", "from_edges", "from_networkx", "from_scipy", "keywords", "open",
]  # fmt: skip

# Of Graph, and what the command line calls them.
_METHODS = {name: name for name in ("bfs", "sssp", "cc", "pagerank", "bc")} | {"triangles": "tc", "sample": "sample"}


def build_info():
    """What this build is and what it lacks, as a dict: version, commit, compiler, build_type, vertex_bits; `missing` has a
    sentence for each of "cuda" and "libfabric" that cannot be used; `backends` says for each device and backend whether it
    works here."""
    return _core.build_info()


def keywords(algorithm=None):
    """The keywords of a function, each with what it does: a dict. `algorithm` is one of "bfs", "sssp", "cc", "pagerank", "bc",
    "triangles" (also "tc") and "sample", None for open()."""
    known = [*_METHODS, *_METHODS.values()]
    if algorithm is None:
        table = _options.LOADING
    elif isinstance(algorithm, str) and algorithm in known:
        table = {**_options.RUN[_METHODS.get(algorithm, algorithm)], **_options.PLACEMENT}
    else:
        raise UsageError(f"there is no algorithm {reprlib.repr(algorithm)}: {', '.join(_METHODS)}")
    return {name: option["help"] for name, option in table.items()}


def _with_progress(job, *arguments):
    bar = _progress.bar()
    try:
        return job(*arguments, bar)
    finally:
        if bar is not None:
            bar.close()


def _made(what, *arguments):
    """A Graph of 32-bit ids, or of 64 where those are too narrow."""
    try:
        return Graph(_with_progress(getattr(_core, what + "32"), *arguments), _core.Engine32)
    except WideIdsError:
        return Graph(_with_progress(getattr(_core, what + "64"), *arguments), _core.Engine64)


def open(path, **options):
    """Reads a graph: a file in any format that is recognised (text also compressed), or a generator such as "kron:20:16".

    Containers (.grf) are mapped, and read through once to see that they are undamaged. Raises DataError (missing, damaged),
    UsageError, and UnavailableError where the graph is estimated to need more memory than is free.

    Keywords:
    """
    _options.check(open, options, _options.LOADING)
    return _made("open", path_of(path), _options.texts(_options.LOADING, options))


def _called(graph, labels):
    """Gives the vertices their names."""
    if labels is None:
        return graph
    try:
        if isinstance(labels, (str, bytes, bytearray, set, frozenset)):  # sets have no order
            raise TypeError
        labels = list(labels)
        different = set(labels)
    except TypeError:
        raise TypeError(f"labels is a list of names that can be hashed, such as strings, not {reprlib.repr(labels)}") from None
    if len(labels) != graph.num_vertices:
        raise UsageError(f"there are {len(labels)} labels of {graph.num_vertices} vertices")
    if len(different) != len(labels):
        twice = next(label for label in labels if label not in different or different.discard(label))
        raise UsageError(f"labels has {twice!r} twice, and no two vertices have one name")
    if all(isinstance(label, (int, np.integer)) and not isinstance(label, bool) and 0 <= label < 2**64 for label in labels):
        if any(label != v for v, label in enumerate(labels)):
            graph._native.call_by_numbers(np.array(labels, dtype=np.uint64))
    else:
        texts = [utf8(str(label), "labels") for label in labels]
        first = dict(zip(reversed(texts), reversed(labels)))
        if len(first) != len(texts):
            one, other = next((first[text], label) for text, label in zip(texts, labels) if first[text] != label)
            raise UsageError(f"labels has {one!r} and {other!r}, which are the same name as texts")
        graph._native.call_by_strings(texts)
        if not all(isinstance(label, str) for label in labels):
            graph._objects = np.empty(len(labels), dtype=object)
            graph._objects[:] = labels
    return graph


def from_edges(sources, targets, weights=None, vertices=None, undirected=False, labels=None):
    """A graph of the arcs sources[i] -> targets[i].

    sources, targets: whole numbers from 0, one an arc, of any integer type. weights: one an arc; whole numbers below 2^32 are
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

    Entries that are stored twice are parallel arcs. Rows of CSR are copied once, in parallel; other forms are first converted by
    SciPy. Matrices of bool have no weights; others as from_edges() takes them. Raises as from_edges() does, and DataError where the
    arrays of the matrix do not go together.
    """
    if not hasattr(matrix, "tocsr") or len(matrix.shape) != 2:
        raise TypeError(f"matrix is a sparse matrix or array of SciPy, of two dimensions, not {type(matrix).__name__}")
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(
            f"the matrix is {matrix.shape[0]} by {matrix.shape[1]}: rows and columns are the same vertices, so it is square"
        )
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


class Graph:
    """A directed graph, or an undirected one, whose arcs all have their opposite (symmetric).

    An engine that holds its edges as the last call placed them (backend, device, cache ...) is kept, so that the next call
    with the same placement does not place them anew. It is given up by a call with another placement, by close(), and with
    the graph. Threads may share a graph; their calls run one after another.
    """

    def __init__(self, native, engine):
        self._native = native
        self._open_engine = engine
        self._placement = None
        self._prepared = {}
        self._objects = None
        _engines.will_hold(self)

    num_vertices = property(lambda self: self._native.num_vertices, doc="How many vertices there are.")
    num_edges = property(lambda self: self._native.num_edges, doc="How many arcs are stored: an undirected edge counts twice.")
    symmetric = property(lambda self: self._native.symmetric, doc="Whether every arc has its opposite.")
    name = property(lambda self: self._native.name, doc="Of the file or generator.")
    assumptions = property(
        lambda self: self._native.assumptions,
        doc="What the reader of the file left out or assumed: sentences, each of which was a warning.",
    )
    offsets = property(
        lambda self: self._native.offsets,
        doc="uint64[n + 1], read-only, not copied: the neighbours of v are neighbours[offsets[v]:offsets[v + 1]].",
    )
    neighbours = property(
        lambda self: self._native.neighbours,
        doc="uint32[m] (uint64 for ids of 64 bits), read-only, not copied: targets of arcs.",
    )
    weights = property(
        lambda self: self._native.weights, doc="uint32[m] or float32[m], read-only, not copied, or None: weights of arcs."
    )

    @property
    def labels(self):
        """What the input calls the vertices: a read-only array of numbers, or of objects where they are strings or nodes of networkx."""
        names = self._native.names if self._objects is None else self._objects
        if isinstance(names, int):
            names = np.arange(names, names + self.num_vertices, dtype=np.uint64)
        labels = (np.array(names, dtype=object) if isinstance(names, list) else names).view()
        labels.flags.writeable = False
        return labels

    def index(self, label):
        """The number of the vertex that is called `label`. Looks at all names. Raises KeyError."""
        if self._objects is not None:
            return {node: v for v, node in enumerate(self._objects)}[label]
        try:
            found = self._native.find(utf8(str(label), "label"))
        except UsageError:  # no vertex has such a name
            found = None
        if found is None:
            raise KeyError(label)
        return found

    def close(self):
        """Gives up the engine, with the memory of its cache; the next call opens one anew."""
        with _engines.held(self):
            self._engine = self._placement = None

    def __reduce_ex__(self, protocol):
        raise UsageError("a graph is not copied or pickled: threads and child processes of fork() share it, others open it anew")

    def __repr__(self):
        kind = "undirected" if self.symmetric else "directed"
        return f"<graphrun.Graph {self.name}: {self.num_vertices} vertices, {self.num_edges} arcs, {kind}>"

    def bfs(self, source=None, **options):
        """Breadth-first search along out-edges: BfsAnswer.

        source: a vertex by its number from 0, or as text: its name in the input, "max-degree" (default), "random:SEED".
        """
        return self._run("bfs", source, options)

    def sssp(self, source=None, **options):
        """Shortest paths along out-edges: SsspAnswer. Weights are the graph's own, else random:1, or what `weights` says.

        source: as that of bfs().
        """
        return self._run("sssp", source, options)

    def cc(self, **options):
        """Weakly connected components: ComponentsAnswer."""
        return self._run("cc", None, options)

    def pagerank(self, source=None, **options):
        """PageRank: PageRankAnswer.

        source: where the walk restarts, a vertex as that of bfs(), or a sequence of numbers; by default all.
        """
        return self._run("pagerank", source, options)

    def bc(self, source=None, **options):
        """Betweenness centrality, of shortest paths in hops from some sources: BetweennessAnswer.

        A score is a sum over the sources s and all other vertices t: of the shortest paths from s to t along arcs, the share that
        leads through the vertex. Paths that begin at it count, those that end at it do not. Scores are divided by the largest
        one, record["result"]["largest"], so they are from 0 to 1, and by nothing else. An undirected edge is two arcs: with all
        vertices as sources each pair counts twice, once from either end.

        source: a vertex as that of bfs(), or a sequence of numbers; by default 4 that have out-edges, drawn at random.
        """
        return self._run("bc", source, options)

    def triangles(self, **options):
        """How many triangles an undirected graph has: TrianglesAnswer. Raises UsageError where the graph is directed."""
        return self._run("tc", None, options)

    def sample(self, seeds, fanouts, seed=1, replace=False, weighted=False, **options):
        """Draws edges of the seeds, then of all vertices that the sample has so far, and so on, a hop for each fanout: Sample.

        seeds: whole numbers, vertices; one that comes again is left out. fanouts: how many edges are drawn at a vertex in each
        hop, 1 to 65536; where it has fewer, all. seed: from 0 to 2^64 - 1. The same arguments draw the same edges, with any number
        of threads and any placement. replace: an edge may be drawn again, and always as many are. weighted: by weight, of the graph's own,
        which are finite and not negative, or else of random:1; reads the weights of all edges of a vertex, and draws no edge of
        weight 0. Caches are cold before each call unless warm=True.

        Raises UsageError (a seed, a fanout or a weight out of range), and TypeError.
        """
        _, placement = self._prepare("sample", options)
        seeds = whole(seeds, "seeds")
        fanouts = whole(fanouts, "fanouts").tolist()
        for fanout in fanouts:
            number(fanout, "a fanout", 1, 2**16)
        how = number(seed, "seed", 0, 2**64 - 1), switch(replace, "replace"), switch(weighted, "weighted")
        return Sample(self._placed(placement, "sample", self._native, seeds, fanouts, *how))

    def to_networkx(self):
        """A networkx graph with the labels as nodes and weights as the attribute `weight`: a Graph where every arc has its
        opposite, of the same weight, else a DiGraph. Of parallel arcs the lightest stays, so that shortest paths are the same."""
        import networkx

        sources = np.repeat(np.arange(self.num_vertices), np.diff(self.offsets.astype(np.int64)))
        targets, weights, undirected = self.neighbours, self.weights, self.symmetric
        if weights is not None:
            order = np.lexsort((weights, targets, sources))
            sources, targets, weights = sources[order], targets[order], weights[order]
            lightest = np.ones(len(order), dtype=bool)
            lightest[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
            sources, targets, weights = sources[lightest], targets[lightest], weights[lightest]
            undirected = undirected and np.array_equal(weights, weights[np.lexsort((sources, targets))])
        made = networkx.Graph() if undirected else networkx.DiGraph()
        nodes = self.labels.tolist()
        made.add_nodes_from(nodes)
        ends = ((nodes[u], nodes[v]) for u, v in zip(sources.tolist(), targets.tolist()))
        if weights is None:
            made.add_edges_from(ends)
        else:
            made.add_weighted_edges_from((u, v, w) for (u, v), w in zip(ends, weights.tolist()))
        return made

    def _run(self, algorithm, source, options):
        run, placement = self._prepare(algorithm, options)
        vertices = []
        if isinstance(source, str):
            run = [*run, ("source", utf8(source, "source"))]
        elif source is not None:
            try:
                if isinstance(source, (bool, np.bool_)):
                    raise TypeError
                run = [*run, ("source", f"index:{self._checked(operator.index(source))}")]
            except TypeError:
                if algorithm not in ("pagerank", "bc"):
                    raise TypeError(f"{algorithm}() starts from one vertex: a number or a name, not {source!r}") from None
                vertices = [self._checked(each) for each in whole(source, "source").tolist()]
                if not vertices:
                    raise UsageError(f"{algorithm}() has no source") from None
        return _answers.CLASSES[algorithm](self._placed(placement, "run", algorithm, run, vertices))

    def _placed(self, placement, job, *arguments):
        """A job of the engine that has this placement."""
        with _engines.held(self):
            if self._engine is None or self._placement != placement:
                self._engine = self._placement = None  # first: there may be no room for two
                self._engine = self._open_engine(self._native, placement)
                self._placement = placement
            return _with_progress(getattr(self._engine, job), *arguments)

    def _checked(self, vertex):
        if not 0 <= vertex < self.num_vertices:
            raise UsageError(f"vertex {vertex} is not in the graph, which has {self.num_vertices} vertices")
        return vertex

    def _prepare(self, algorithm, options):
        """What `options` say of the run and of the placement; remembered, because calls come in loops."""
        key = (algorithm, *((name, type(value), value) for name, value in options.items()))  # 1, 1.0 and True are equal
        try:
            return self._prepared[key]
        except (KeyError, TypeError):  # TypeError: a list of files
            pass
        own = _options.RUN[algorithm]
        method = "triangles" if algorithm == "tc" else algorithm
        _options.check(getattr(Graph, method), options, own, _options.PLACEMENT)
        both = _options.texts(own, options), sorted(_options.texts(_options.PLACEMENT, options))
        try:
            if len(self._prepared) < 64:
                self._prepared[key] = both
        except TypeError:
            pass
        return both


def _document():
    open.__doc__ = f"{inspect.cleandoc(open.__doc__)}\n{_options.described(_options.LOADING)}\n"
    placement = _options.described(_options.PLACEMENT, common_only=True)
    for method, algorithm in _METHODS.items():
        own = {name: option for name, option in _options.RUN[algorithm].items() if name != "source"}
        lines = [_options.described(own)] if own else []
        lines += [placement, f'Others, of placement: keywords("{method}").', ""]
        function = getattr(Graph, method)
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__), "", "Keywords:", *lines])


_document()
