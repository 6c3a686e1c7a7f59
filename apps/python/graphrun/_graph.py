# SPDX-License-Identifier: Apache-2.0
"""The graph and its algorithms."""

import contextlib
import logging
import reprlib
from collections.abc import Mapping

import numpy as np

from . import _engines, _options, _progress
from ._answers import UNREACHED_DISTANCE, Answer, Sample
from ._arrays import is_array, number, path_of, switch, utf8, whole
from ._errors import UsageError
from ._files import reopened
from ._names import Names, numbers_of, shares_of, sources_of
from ._tables import Table, html_of


class Graph:
    """A directed graph, or an undirected one, whose arcs all have their opposite (symmetric).

    Keeps an engine with the edges as the last call placed them (backend, device, cache ...), so that the next call with the
    same placement does not place them again. A call with another placement, close() and the graph's end release it; `with
    graphrun.open(...) as graph:` closes it. Threads may share a graph; their calls run one by one, and cancel() ends them. A
    graph of open() can be pickled, as its path, and is opened again.
    """

    def __init__(self, native, engine, opened=None):
        self._native = native
        self._open_engine = engine
        self._opened = opened
        self._placement = None
        self._prepared = {}
        self._names = Names(native)
        self._calls = set()
        self._said_that_weights_are_not_read = False
        _engines.will_hold(self)

    num_vertices = property(lambda self: self._native.num_vertices, doc="How many vertices there are.")
    num_edges = property(lambda self: self._native.num_edges, doc="How many arcs are stored: an undirected edge counts twice.")
    symmetric = property(lambda self: self._native.symmetric, doc="Whether every arc has its opposite.")
    name = property(lambda self: self._native.name, doc="Of the file or generator.")
    assumptions = property(
        lambda self: self._native.assumptions,
        doc="What the reader of the file left out or assumed: sentences, each a warning before.",
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
        lambda self: self._native.weights, doc="uint32[m] or float32[m], read-only, not copied, or uint64[m], a copy, or None: weights of arcs."
    )

    @property
    def labels(self):
        """The input's names of the vertices: a read-only array of numbers, or of objects where they are strings or nodes of
        networkx."""
        return self._names.array()

    def index(self, label):
        """Returns the number of the vertex named `label`; int64[k] for a list or an array of labels. Raises KeyError."""
        if isinstance(label, list) or is_array(label) and getattr(label, "ndim", 0) == 1:
            return self._names.find_each(label)
        found = self._names.find(label)
        if found is None:
            raise KeyError(label)
        return found

    def degrees(self, kind="out"):
        """Returns the degree of each vertex, of its "out" or its "in" arcs: int64[n]. Reads all offsets, or all arcs."""
        if kind not in ("out", "in"):
            raise UsageError(f"kind is 'out' or 'in', not {reprlib.repr(kind)}")
        if kind == "out" or self.symmetric:
            return np.diff(self.offsets.view(np.int64))
        ids = self.neighbours  # NumPy counts no uint64
        return np.bincount(ids.view(np.int64) if ids.dtype == np.uint64 else ids, minlength=self.num_vertices)

    def neighbors(self, source=None, index=None):
        """Returns the neighbours of a vertex along its out-edges: their names, for `source`, a name, or their numbers, for `index`,
        a number. Parallel arcs repeat them. Reads one list, also of a graph in a file."""
        vertex = self._vertex(source, index)
        begin, end = self.offsets[vertex : vertex + 2].tolist()
        found = self.neighbours[begin:end]
        return found if source is None else self._names.of(found)

    def path(self, source, target, **options):
        """Returns the names of the vertices on a shortest path between two names: an array, which is empty without a path. The
        path has the least sum of weights where the graph has weights, else the fewest hops. Keywords as of sssp() or bfs()."""
        end = self._names.vertex(target)
        algorithm = "bfs" if self._native.weight_kind == "none" else "sssp"
        found = self._run(algorithm, None, self._names.vertex(source), options, [("path-to", f"index:{end}")])
        vertices = [each["vertex"] for each in (found.record["path"] or {}).get("vertices", ())]
        return self._names.of(np.array(vertices, np.int64))

    def predecessors(self, answer):
        """Returns the predecessor of each vertex on a shortest path of an answer of bfs() or sssp() with one source, as parents of
        bfs(). Those of sssp() are searched among all arcs, in memory. Raises UsageError for distances that are not along this
        graph's weights, as with `weights`."""
        if "parent" in answer.columns:
            return answer.parents
        distances = answer.columns.get("distance")
        if distances is None or distances.ndim != 1:
            raise UsageError("predecessors are of an answer of bfs() or sssp() with one source")
        sources, targets = self._sources(), self.neighbours
        weights = np.ones(1, distances.dtype) if self.weights is None else self.weights.astype(distances.dtype)
        reached = distances != UNREACHED_DISTANCE if distances.dtype == np.uint64 else np.isfinite(distances)
        last = reached[sources] & (distances[sources] + weights == distances[targets])  # arcs at the end of a shortest path
        found = self._made_of(sources[last], targets[last], None).bfs(index=int(answer.sources[0])).parents
        unreached = found.dtype.type(np.iinfo(found.dtype).max)
        if ((found != unreached) != reached).any():
            raise UsageError("the distances are not along the weights of this graph")
        return found

    def reverse(self):
        """Returns a graph with all arcs turned round, and the same labels. Copies the arcs."""
        return self._made_of(self.neighbours, self._sources(), self.weights)

    def subgraph(self, labels=None, index=None):
        """Returns the graph of some vertices, named by a list of labels or of numbers, with all arcs between them. Vertices keep
        their order and labels."""
        chosen = np.zeros(self.num_vertices, bool)
        chosen[self._names.find_each(labels) if index is None else numbers_of(list(index), self.num_vertices)] = True
        sources, targets, weights = self._sources(), self.neighbours, self.weights
        kept = chosen[sources] & chosen[targets]
        numbers = np.cumsum(chosen) - 1
        weights = None if weights is None else weights[kept]
        return self._made_of(numbers[sources[kept]], numbers[targets[kept]], weights, np.flatnonzero(chosen))

    def to_table(self):
        """Returns the arcs as a Table: columns source and target, of names, and weight where the graph has weights."""
        columns = {"source": self._names.of(self._sources()), "target": self._names.of(self.neighbours)}
        return Table(columns if self.weights is None else {**columns, "weight": self.weights})

    def to_pandas(self):
        """Returns the arcs as a DataFrame, with the columns of to_table()."""
        return self.to_table().to_pandas()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.to_table().__arrow_c_stream__(requested_schema)

    def csr(self):
        """Returns offsets, neighbours and weights (None without): arrays of signed types, or float32, that share the graph's
        memory, for SciPy and for torch.from_dlpack(). DLPack cannot mark memory as read-only: do not write to it, because a file
        may be mapped there. Ids of 2^31 and more, and such weights, are copied to int64. Raises UsageError for weights of 2^63 and
        more, which no signed type holds."""
        return tuple(map(_signed, (self.offsets, self.neighbours, self.weights)))

    def to_scipy(self):
        """Returns a csr_matrix of SciPy with an entry for each arc: its weight, or True. It shares the memory of the neighbours and
        the weights, where ids are below 2^31, which are read-only: functions of SciPy that sort or merge in place take a copy()."""
        from scipy import sparse

        offsets, neighbours, weights = self.csr()
        if neighbours.dtype == np.int32 and self.num_edges < 2**31:
            offsets = offsets.astype(np.int32)
        data = np.ones(self.num_edges, bool) if weights is None else weights
        for shared in (neighbours, data):
            shared.flags.writeable = False
        return sparse.csr_matrix((data, neighbours, offsets), shape=(self.num_vertices, self.num_vertices), copy=False)

    def to_pyg(self):
        """Returns a torch_geometric.data.Data with edge_index int64[2, m], edge_weight (None without weights) and num_nodes."""
        import torch
        from torch_geometric.data import Data

        ends = np.stack([self._sources(), self.neighbours.astype(np.int64)])
        weights = None if self.weights is None else torch.from_numpy(np.array(self.csr()[2]))
        return Data(edge_index=torch.from_numpy(ends), edge_weight=weights, num_nodes=self.num_vertices)

    def to_dgl(self):
        """Returns a graph of DGL; weights are edata["weight"]."""
        import dgl
        import torch

        offsets, neighbours, weights = (None if each is None else torch.from_dlpack(each) for each in self.csr())
        made = dgl.graph(("csr", (offsets, neighbours.long(), [])), num_nodes=self.num_vertices)
        if weights is not None:
            made.edata["weight"] = weights
        return made

    def save(self, path):
        """Writes the graph to a file in the format of its suffix, such as .grf, which open() maps. Logs a warning for data that
        a format cannot hold, such as names. Raises UsageError (no such format) and DataError (a full disk)."""
        with self._call() as call:
            self._native.save(path_of(path), call)

    def close(self):
        """Releases the engine, with the memory of its cache; the next call opens one again."""
        with _engines.held(self):
            self._engine = self._placement = None

    def cancel(self):
        """Ends other threads' running and waiting calls on this graph: each raises Cancelled, within a tenth of a second,
        unless a GPU kernel has to end first. Does nothing without such calls."""
        for call in list(self._calls):
            call.cancel()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce_ex__(self, protocol):
        if self._opened is None:
            raise UsageError("a graph of arrays is not copied or pickled: save() it, and pickle one that open() makes of the file")
        return reopened, self._opened

    def _repr_html_(self):
        return html_of(self.name, {"vertices": self.num_vertices, "arcs": self.num_edges, "symmetric": self.symmetric,
                                   "weights": self._native.weight_kind})  # fmt: skip

    def __repr__(self):
        kind = "undirected" if self.symmetric else "directed"
        return f"<graphrun.Graph {self.name}: {self.num_vertices} vertices, {self.num_edges} arcs, {kind}>"

    def bfs(self, source=None, index=None, **options):
        """Breadth-first search along out-edges: an Answer.

        values: hops from the source, uint32[n], graphrun.UNREACHED where unreached; hops() is for calculations. parents: the
        predecessor of each vertex on a shortest path, of the type of ids, its largest number where unreached; the source's is
        itself. A batch has none. reached: the number of reached vertices with the source.

        source: a vertex by its name, as in Graph.labels, or a text as for --source: "max-degree" (default), "random:SEED". A
        list of names makes a search from each.
        index: vertices by their numbers from 0, instead of source.
        """
        return self._run("bfs", source, index, options)

    def sssp(self, source=None, index=None, **options):
        """Shortest paths along out-edges: an Answer. Weights are the graph's own, else 1 an edge, or chosen by `weights`.

        values: float64[n], infinity where unreached. distances: in the type of the run, uint64[n] for whole weights with
        graphrun.UNREACHED_DISTANCE where unreached, float64[n] for float weights (float32[n] with distances="f32"). reached: as
        in bfs().

        source, index: see bfs().
        """
        return self._run("sssp", source, index, options)

    def cc(self, **options):
        """Weakly connected components: an Answer.

        values: a label a vertex, the number of a vertex of its component, of the type of ids. components: their number;
        vertices without edges are components, too.
        """
        return self._run("cc", None, None, options)

    def pagerank(self, source=None, index=None, **options):
        """PageRank: an Answer. With weights="file" a walk follows arcs in proportion to their weights.

        values: scores, float64[n], summing to 1. residual: the sum of the last sweep's changes. certificate: with certify=True
        the change by one exact iteration. converged: whether the tolerance was reached.

        source: restarts of the walk, equally likely, as in bfs(); by default all vertices. Or a mapping of names to shares.
        index: restarts by number.
        """
        if not (self._said_that_weights_are_not_read or self._native.weight_kind == "none" or options.get("weights")):
            self._said_that_weights_are_not_read = True
            logging.getLogger("graphrun").warning(
                'pagerank does not read the weights of %s, and each arc counts alike: weights="file" reads them', self.name
            )
        if isinstance(source, Mapping):
            source, shares = shares_of(source)
            options |= {} if shares is None else {"shares": shares}
        return self._run("pagerank", source, index, options)

    def bc(self, source=None, index=None, **options):
        """Betweenness centrality, of shortest paths in hops from some sources: an Answer. values: scores, float64[n].

        A score is a sum over the sources s and all other vertices t: the share of the shortest paths from s to t along arcs
        that leads through the vertex. definition: "gap" (default) also counts paths that begin at a vertex, and divides by the
        largest score, record["result"]["largest"]. "exact" and "normalized" are networkx.betweenness_centrality() with
        normalized False and True, except that parallel arcs make separate paths, and that "exact" halves the scores of every
        symmetric graph. With sources=K "normalized" is an estimate from K random vertices.

        source: distinct sources, as in bfs(); by default all vertices, and for "gap" 4 random ones with out-edges. index:
        sources by number.
        """
        return self._run("bc", source, index, options)

    def triangles(self, **options):
        """Counts the triangles of an undirected graph: an Answer. Raises UsageError where the graph is directed.

        triangles: their number, each counted once.
        """
        return self._run("tc", None, None, options)

    def sample(self, seeds, fanouts, seed=1, replace=False, weighted=False, **options):
        """Samples edges of the seeds, then of all vertices in the sample, and so on, a hop for each fanout: a Sample.

        seeds: numbers of vertices, as in a sample's arrays (Graph.index() finds a name's); repetitions are dropped. fanouts:
        edges sampled at a vertex in each hop, 1 to 65536; all where it has fewer. seed: from 0 to 2^64 - 1. The same arguments
        give the same sample, with any number of threads and any placement. replace: samples with replacement, always fanout
        edges. weighted: by the graph's weights, finite and not negative, instead of uniformly; reads the weights of all edges
        of a vertex, and never samples weight 0. Caches are cold before each call unless warm=True.

        Raises UsageError (a seed, a fanout or a weight out of range), and TypeError.
        """
        timeout = options.pop("timeout", None)
        _, placement = self._prepare("sample", options)
        seeds = whole(seeds, "seeds")
        fanouts = whole(fanouts, "fanouts").tolist()
        for fanout in fanouts:
            number(fanout, "a fanout", 1, 2**16)
        how = number(seed, "seed", 0, 2**64 - 1), switch(replace, "replace"), switch(weighted, "weighted")
        return Sample(self._placed(timeout, placement, "sample", self._native, seeds, fanouts, *how))

    def hot_rows(self, count, by="personalised", seeds=(), threads=0):
        """Returns the `count` vertices that samples reach most often, the most reached first: `hot` of a FeatureTable.

        by: "degree", arcs that lead to a vertex; "pagerank", walks from any vertex; "weighted", walks that begin more often at
        the seeds, training's vertices (Min's dissertation, algorithm 2); "personalised", walks that begin and restart there.

        Raises UsageError (an unknown choice, seeds that are missing or out of range), and TypeError.
        """
        count = number(count, "count", 0, 2**64 - 1)
        seeds = np.unique(whole(seeds, "seeds"))
        if by in ("weighted", "personalised") and not seeds.size:
            raise UsageError(f"{by} goes by where samples begin: name seeds, or choose pagerank")
        return self._native.hot_rows(count, utf8(str(by), "by"), seeds, number(threads, "threads", 0, 1024))

    def to_networkx(self):
        """Returns a networkx graph with the labels as nodes and weights as the attribute `weight`: a Graph where every arc has
        its opposite of the same weight, else a DiGraph. Keeps the lightest of parallel arcs, so that shortest paths are the
        same."""
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

    def _vertex(self, source, index):
        if (source is None) == (index is None):
            raise UsageError("source, a name, or index, a number, says which vertex: give one of them")
        return self._names.vertex(source) if index is None else numbers_of([index], self.num_vertices)[0]

    def _sources(self):
        """Returns the source of each arc: int64[m]."""
        return np.repeat(np.arange(self.num_vertices), self.degrees())

    def _made_of(self, sources, targets, weights, vertices=None):
        """Makes a graph of arcs between some of this graph's vertices, all by default."""
        from . import from_edges

        labels = self._names.array() if vertices is None else self._names.of(vertices)
        return from_edges(sources, targets, weights, len(labels), labels=labels)

    def _run(self, algorithm, source, index, options, more=()):
        timeout = options.pop("timeout", None)
        run, placement = self._prepare(algorithm, options)
        run = [*run, *more]
        several = options.get("sources") is not None or bool(options.get("batch"))
        vertices = []
        if index is not None:
            if source is not None:
                raise UsageError("source and index both say where to start: leave one out")
            source = numbers_of(index, self.num_vertices)
        elif source is not None:
            source = sources_of(self._names, source)
        if isinstance(source, str):
            run = [*run, ("source", utf8(source, "source"))]
        elif isinstance(source, list):
            if not source:
                raise UsageError(f"{algorithm}() has no source")
            if options.get("sources") is not None:
                raise UsageError("sources says how many are drawn, and these are named: leave it out")
            vertices, several = source, True
        elif source is not None:
            run = [*run, ("source", f"index:{source}")]
        keep = several and algorithm in ("bfs", "sssp")
        return Answer(self._placed(timeout, placement, "run", algorithm, run, vertices, keep), self._names.of)

    def _placed(self, timeout, placement, job, *arguments):
        """Runs a job of the engine with this placement."""
        with self._call(timeout) as call, _engines.held(self, call):
            if self._engine is None or self._placement != placement:
                self._engine = self._placement = None  # first: there may be no room for two
                self._engine = self._open_engine(self._native, placement)
                self._placement = placement
            return getattr(self._engine, job)(*arguments, call)

    @contextlib.contextmanager
    def _call(self, timeout=None):
        """Makes a call that cancel() can end."""
        with _progress.Call(timeout) as call:
            self._calls.add(call)
            try:
                yield call
            finally:
                self._calls.discard(call)

    def _prepare(self, algorithm, options):
        """Returns the run's and the placement's parts of `options`; cached, because calls come in loops."""
        key = algorithm, *options.items(), *map(type, options.values())  # 1, 1.0 and True are equal
        try:
            return self._prepared[key]
        except (KeyError, TypeError):  # TypeError: a list of files
            pass
        own = _options.RUN[algorithm]
        method = "triangles" if algorithm == "tc" else algorithm
        _options.check(getattr(Graph, method), options, own, _options.PLACEMENT, _options.CALL)
        both = _options.texts(own, options), sorted(_options.texts(_options.PLACEMENT, options))
        try:
            if len(self._prepared) < 64:
                self._prepared[key] = both
        except TypeError:
            pass
        return both


def _signed(array):
    """Returns an array of numbers in a signed type, of the same memory where they fit, and not marked as read-only."""
    if array is None or array.dtype.kind == "f":
        found = array
    elif array.dtype.kind == "u" and array.size and array.max() >= 2 ** (8 * array.itemsize - 1):
        if array.itemsize == 8:
            raise UsageError(f"{array.max()} is above 2^63 - 1, the largest signed number: read graph.weights")
        return array.astype(np.int64)
    else:
        found = array.view(np.dtype(f"i{array.dtype.itemsize}"))
    return None if found is None else np.asarray(_Writeable(found))


class _Writeable:
    """An array as one that may be written, because NumPy exports no others by DLPack."""

    def __init__(self, array):
        self._kept = array
        shown = array.__array_interface__
        self.__array_interface__ = {**shown, "data": (shown["data"][0], False)}


def _method_of(algorithm):
    """Makes the method of an algorithm, whose options are its arguments beside sources."""
    if "source" in _options.RUN[algorithm]:

        def method(self, source=None, index=None, **options):
            return self._run(algorithm, source, index, options)

    else:

        def method(self, **options):
            return self._run(algorithm, None, None, options)

    about = _options.ALGORITHMS[algorithm]
    method.__name__, method.__qualname__ = algorithm, f"Graph.{algorithm}"
    method.__doc__ = f"{about[0].upper()}{about[1:]}: an Answer, whose columns and numbers docs/results.md lists."
    return method


for _name, _algorithm in _options.METHODS.items():
    if not hasattr(Graph, _name):
        setattr(Graph, _name, _method_of(_algorithm))

Graph.__module__ = "graphrun"
