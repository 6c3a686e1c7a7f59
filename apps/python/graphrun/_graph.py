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

    An engine that holds its edges as the last call placed them (backend, device, cache ...) is kept, so that the next call
    with the same placement does not place them anew. It is given up by a call with another placement, by close(), and with
    the graph; `with graphrun.open(...) as graph:` closes it. Threads may share a graph; their calls run one after another, and
    cancel() ends them. A graph that open() made can be pickled, as its path: it is opened anew.
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
        """What the input calls the vertices: a read-only array of numbers, or of objects where they are strings or nodes of networkx."""
        return self._names.array()

    def index(self, label):
        """The number of the vertex that is called `label`. Raises KeyError."""
        found = self._names.find(label)
        if found is None:
            raise KeyError(label)
        return found

    def save(self, path):
        """Writes the graph to a file in the format that the suffix names, such as .grf, which open() maps. What a format cannot
        hold, such as names, is a warning in the log. Raises UsageError (no such format) and DataError (a full disk)."""
        with self._call() as call:
            self._native.save(path_of(path), call)

    def close(self):
        """Gives up the engine, with the memory of its cache; the next call opens one anew."""
        with _engines.held(self):
            self._engine = self._placement = None

    def cancel(self):
        """Ends the calls on this graph that other threads make now, or wait to make: each raises Cancelled, within a tenth of a
        second, where no kernel on a GPU has to end first. Without any it does nothing."""
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

        values: hops from the source, uint32[n], graphrun.UNREACHED where unreached; hops() has them to calculate with. parents: the
        vertex before each on a shortest path, of the type of ids, its largest number where unreached; the source is its own. A
        batch has none. reached: how many vertices were reached, the source among them.

        source: a vertex by its name, as Graph.labels has it, or a text as --source takes it: "max-degree" (default), "random:SEED". A
        list of names makes a search from each.
        index: the same by the number of the vertex, from 0, in place of source.
        """
        return self._run("bfs", source, index, options)

    def sssp(self, source=None, index=None, **options):
        """Shortest paths along out-edges: an Answer. Weights are the graph's own, else 1 an edge, or what `weights` says.

        values: float64[n], infinity where unreached. distances: as they were computed, uint64[n] for whole weights with
        graphrun.UNREACHED_DISTANCE where unreached, float64[n] for float weights (float32[n] with distances="f32"). reached: as of
        bfs().

        source, index: see bfs().
        """
        return self._run("sssp", source, index, options)

    def cc(self, **options):
        """Weakly connected components: an Answer.

        values: the number of a vertex of its component, of the type of ids, the same for all of a component. components: how many
        there are; vertices without edges are components, too.
        """
        return self._run("cc", None, None, options)

    def pagerank(self, source=None, index=None, **options):
        """PageRank: an Answer. Weights are not read.

        values: scores, float64[n], summing to 1. residual: what the last sweep tells of their change, in sum. certificate: with
        certify=True the true one, by how much one exact iteration changes them. converged: whether the tolerance was reached.

        source: where the walk restarts, at each alike: as that of bfs(); by default everywhere. A mapping of names to shares has equal
        ones, or 0. index: the same by number, or numbers.
        """
        if not (self._said_that_weights_are_not_read or self._native.weight_kind == "none"):
            self._said_that_weights_are_not_read = True
            logging.getLogger("graphrun").warning("pagerank does not read the weights of %s: each arc counts alike", self.name)
        return self._run("pagerank", source, index, options)

    def bc(self, source=None, index=None, **options):
        """Betweenness centrality, of shortest paths in hops from some sources: an Answer. values: scores, float64[n].

        A score is a sum over the sources s and all other vertices t: of the shortest paths from s to t along arcs, the share that
        leads through the vertex. definition: "gap" (default), where paths that begin at a vertex count, too, and scores are
        divided by the largest, record["result"]["largest"]; "exact" and "normalized" are networkx.betweenness_centrality() with
        normalized False and True, except that each parallel arc makes a path of its own, and that "exact" halves the scores of
        every symmetric graph. With sources=K "normalized" is an estimate from K vertices drawn at random.

        source: as that of bfs(), each once; by default all vertices, and of "gap" 4 that have out-edges, drawn at random. index: the
        same by number, or numbers.
        """
        return self._run("bc", source, index, options)

    def triangles(self, **options):
        """How many triangles an undirected graph has: an Answer. Raises UsageError where the graph is directed.

        triangles: the number, each three vertices with edges between all of them once.
        """
        return self._run("tc", None, None, options)

    def sample(self, seeds, fanouts, seed=1, replace=False, weighted=False, **options):
        """Draws edges of the seeds, then of all vertices that the sample has so far, and so on, a hop for each fanout: Sample.

        seeds: numbers of vertices, as arrays of samples have them (Graph.index() finds that of a name); one that comes again is left
        out. fanouts: how many edges are drawn at a vertex in each
        hop, 1 to 65536; where it has fewer, all. seed: from 0 to 2^64 - 1. The same arguments draw the same edges, with any number
        of threads and any placement. replace: an edge may be drawn again, and always as many are. weighted: by weight, of the graph's own,
        which are finite and not negative, or else alike; reads the weights of all edges of a vertex, and draws no edge of
        weight 0. Caches are cold before each call unless warm=True.

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
        """A job of the engine that has this placement."""
        with self._call(timeout) as call, _engines.held(self, call):
            if self._engine is None or self._placement != placement:
                self._engine = self._placement = None  # first: there may be no room for two
                self._engine = self._open_engine(self._native, placement)
                self._placement = placement
            return getattr(self._engine, job)(*arguments, call)

    @contextlib.contextmanager
    def _call(self, timeout=None):
        """A call that cancel() ends."""
        with _progress.Call(timeout) as call:
            self._calls.add(call)
            try:
                yield call
            finally:
                self._calls.discard(call)

    def _prepare(self, algorithm, options):
        """What `options` say of the run and of the placement; remembered, because calls come in loops."""
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
    """The method of an algorithm that starts from no vertex, and whose options say all."""

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
