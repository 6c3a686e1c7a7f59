# SPDX-License-Identifier: Apache-2.0
"""NetworkX graphs as arrays, for the backend."""

from functools import cached_property
from itertools import chain

import numpy as np


class Converted:
    """A graph of NetworkX as NetworkX caches it for the backend: rows of neighbours in the order of G's nodes, each neighbour once,
    with one attribute of edges. Graphs of graphrun are made of it when a function needs them, and stay with it."""

    __networkx_backend__ = "graphrun"

    def __init__(self, graph, attribute=None):
        self.nodes = list(graph)
        self._directed, self._multigraph = graph.is_directed(), graph.is_multigraph()
        rows = [row for _, row in graph.adjacency()]
        self._offsets = _offsets(np.fromiter(map(len, rows), np.int64, len(rows)))
        names = chain.from_iterable(rows)
        if set(map(type, self.nodes)) != {int} or self.nodes != list(range(len(self.nodes))):
            names = map(self.index.__getitem__, names)
        self._neighbours = np.fromiter(names, np.uint32 if len(rows) < 2**32 else np.uint64, self._offsets[-1])
        self._copies = None  # how many edges an entry stands for, in a multigraph
        edges = chain.from_iterable(row.values() for row in rows)
        if self._multigraph:
            keys = list(edges)
            self._copies = np.fromiter(map(len, keys), np.int64, len(keys))
            edges = chain.from_iterable(key.values() for key in keys)
        self.attribute = attribute
        self._weights = None if attribute is None else _weights(list(edges), attribute)

    @cached_property
    def index(self):
        """The number of each node."""
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.index
        except TypeError:  # not hashable
            return False

    def is_directed(self):
        return self._directed

    def is_multigraph(self):
        return self._multigraph

    @cached_property
    def plain(self):
        """The graph of hops: each neighbour once, without weights."""
        return self._made(self._offsets, self._neighbours)

    @cached_property
    def _parallel(self):
        """The graph with an arc for each edge of a multigraph."""
        return self._made(_offsets(self._copies)[self._offsets], np.repeat(self._neighbours, self._copies))

    def walked(self, attribute):
        """Returns the graph of a random walk along edges with equal weights. Raises NotImplementedError for others."""
        weights = self._of(attribute)
        if weights is not None and weights.size and not (weights[0] > 0 and (weights == weights[0]).all()):
            raise NotImplementedError(f"pagerank of graphrun reads no weights, and {attribute!r} differs between edges")
        return self._parallel if self._multigraph else self.plain

    def weighted(self, attribute):
        """Returns the graph of distances, or None where each edge is 1 long. Raises NotImplementedError for weights that graphrun
        would round or refuse."""
        return None if self._of(attribute) is None else self._of_distances

    @cached_property
    def _of_distances(self):
        weights = self._weights
        if self._multigraph and weights.size:  # the lightest of parallel edges
            weights = np.minimum.reduceat(weights, _offsets(self._copies)[:-1])
        if not (weights >= 0).all():
            raise NotImplementedError("weights are negative, or no numbers")
        if weights.dtype.kind == "f":
            narrow = weights.astype(np.float32)
            if not (np.isfinite(narrow) & (narrow == weights)).all():
                raise NotImplementedError("weights are not those of 32-bit floats")
            weights = narrow
        elif int(weights.max(initial=0)) * len(self.nodes) >= 2**63:
            raise NotImplementedError("distances may exceed 64 bits")
        return self._made(self._offsets, self._neighbours, weights)

    def _of(self, attribute):
        """Returns the weights of edges, or None where each weighs 1."""
        if attribute is None:
            return None
        if attribute != self.attribute:
            raise NotImplementedError(f"the converted graph has no {attribute!r}")
        if isinstance(self._weights, str):
            raise NotImplementedError(self._weights)
        return self._weights

    def degrees_without_loops(self):
        """Returns int64[n]: how many other nodes are neighbours."""
        sources = np.repeat(np.arange(len(self.nodes)), np.diff(self._offsets))
        return np.bincount(sources[sources != self._neighbours], minlength=len(self.nodes))

    def to_networkx(self):
        """Returns a graph of NetworkX with the nodes and edges. Raises NotImplementedError for a multigraph."""
        import networkx as nx

        if self._multigraph:
            raise NotImplementedError("keys of edges are not kept")
        made = nx.DiGraph() if self._directed else nx.Graph()
        made.add_nodes_from(self.nodes)
        sources = np.repeat(np.arange(len(self.nodes)), np.diff(self._offsets)).tolist()
        data = [{}] * len(sources)
        weights = self._of(self.attribute)
        if weights is not None:
            data = [{self.attribute: weight} for weight in weights.tolist()]
        made.add_edges_from((self.nodes[u], self.nodes[v], d) for u, v, d in zip(sources, self._neighbours.tolist(), data))
        return made

    def _made(self, offsets, neighbours, weights=None):
        from . import _made

        return _made("from_rows", offsets, neighbours, weights, not self._directed)


def _offsets(counts):
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _weights(edges, attribute):
    """Returns the attribute of all edges, 1 where one lacks it: an array, None where all do, or the reason why there is none."""
    if not any(edges):
        return None
    values = [edge.get(attribute, 1) for edge in edges]
    kinds = set(map(type, values))
    try:
        if kinds == {int}:
            return np.array(values, np.int64)
    except OverflowError:
        return f"{attribute!r} has numbers that 64 bits do not hold"
    if kinds == {float}:
        return np.array(values)
    return f"{attribute!r} has values of type {', '.join(sorted(kind.__name__ for kind in kinds))}"
