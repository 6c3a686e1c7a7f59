# SPDX-License-Identifier: Apache-2.0
"""The graph and its algorithms."""

import contextlib
import logging

import numpy as np

from . import _engines, _options, _progress
from ._answers import Answer, Sample
from ._arrays import number, path_of, switch, utf8, whole
from ._errors import UsageError
from ._files import reopened
from ._names import Names, numbers_of, sources_of

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
        lambda self: self._native.weights, doc="uint32[m] or float32[m], read-only, not copied, or uint64[m], a copy, or None: weights of arcs."
    )

    @property
    def labels(self):
        """The input's names of the vertices: a read-only array of numbers, or of objects where they are strings or nodes of
        networkx."""
        return self._names.array()

    def index(self, label):
        """Returns the number of the vertex named `label`. Raises KeyError."""
        found = self._names.find(label)
        if found is None:
            raise KeyError(label)
        return found

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
        """PageRank: an Answer. Weights are not read.

        values: scores, float64[n], summing to 1. residual: the sum of the last sweep's changes. certificate: with certify=True
        the change by one exact iteration. converged: whether the tolerance was reached.

        source: restarts of the walk, equally likely, as in bfs(); by default all vertices. A mapping of names to shares has
        equal shares, or 0. index: restarts by number.
        """
        if not (self._said_that_weights_are_not_read or self._native.weight_kind == "none"):
            self._said_that_weights_are_not_read = True
            logging.getLogger("graphrun").warning("pagerank does not read the weights of %s: each arc counts alike", self.name)
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

    def _run(self, algorithm, source, index, options):
        timeout = options.pop("timeout", None)
        run, placement = self._prepare(algorithm, options)
        several = options.get("sources") is not None or bool(options.get("batch"))
        vertices = []
        if index is not None:
            if source is not None:
                raise UsageError("source and index both say where to start: leave one out")
            source = numbers_of(index, self.num_vertices)
        elif source is not None:
            source = sources_of(self._names, source, algorithm == "pagerank")
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
        return Answer(self._placed(timeout, placement, "run", algorithm, run, vertices, keep))

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


def _method_of(algorithm):
    """Makes the method of an algorithm without a source, whose options are all its arguments."""

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
