# SPDX-License-Identifier: Apache-2.0
"""NetworkX graphs as arrays, for the backend."""

from functools import cached_property

import numpy as np

from . import _core


class Converted:
    """A graph of NetworkX as NetworkX caches it for the backend: rows of neighbours in the order of G's nodes, each neighbour once,
    with one attribute of edges. Graphs of graphrun are made of it when a function needs them, and stay with it."""

    __networkx_backend__ = "graphrun"

    def __init__(self, graph, attribute=None):
        self._directed, self._multigraph = graph.is_directed(), graph.is_multigraph()
        self.index = _core.Nodes(list(graph))  # the number of each node
        self.nodes = self.index.list
        # _copies: how many edges an entry stands for, in a multigraph
        self._offsets, self._neighbours, self._copies, self._weights = rows_of(graph, self.index, attribute)
        self.attribute = attribute
        if isinstance(self._weights, list):
            self._weights = _why_not_read(self._weights, attribute)

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
        return self._made(*repeated(self._offsets, self._neighbours, self._copies))

    def walked(self, attribute):
        """Returns the graph of a random walk along edges, and whether their weights differ. Raises NotImplementedError for
        weights that graphrun refuses."""
        weights = self._of(attribute)
        if weights is None or not weights.size or (weights[0] > 0 and (weights == weights[0]).all()):
            return self._parallel if self._multigraph else self.plain, False
        return self._of_walks, True

    @cached_property
    def _of_walks(self):
        """The graph with an arc for each edge, and its weight; rounded to 32-bit floats, which moves a score by 1e-6 of itself."""
        weights = self._weights
        if not (weights >= 0).all():
            raise NotImplementedError("weights are negative, or no numbers")
        if weights.dtype.kind == "f":
            weights = weights.astype(np.float32)
            if not np.isfinite(weights).all() or ((weights == 0) & (self._weights != 0)).any():
                raise NotImplementedError("weights are beyond 32-bit floats")
        offsets, neighbours = self._offsets, self._neighbours
        if self._multigraph:
            offsets, neighbours = repeated(offsets, neighbours, self._copies)
        return self._made(offsets, neighbours, weights)

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

        return _made("from_rows", offsets, neighbours, weights, False, not self._directed, False)


def _offsets(counts):
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def repeated(offsets, neighbours, copies):
    """Returns the offsets and neighbours of rows with an arc for each edge of a multigraph."""
    return _offsets(copies)[offsets], np.repeat(neighbours, copies)


def rows_of(graph, nodes, attribute):
    """Returns offsets, neighbours, copies and attributes of edges, as _core.Nodes.rows() does, of any graph of NetworkX."""
    how = graph.is_directed(), graph.is_multigraph(), attribute
    rows = None
    if type(getattr(graph, "_adj", None)) is dict:
        rows = nodes.rows(graph._adj, *how)
    if rows is None:  # a view, or dicts of another type
        copied = {node: {} for node in nodes.list}
        for node, row in graph.adjacency():
            copied[node] = {v: {key: dict(each) for key, each in data.items()} if how[1] else dict(data) for v, data in row.items()}
        rows = nodes.rows(copied, *how)
    return rows


def _why_not_read(weights, attribute):
    kinds = set(map(type, weights))
    if kinds == {int}:
        return f"{attribute!r} has numbers that 64 bits do not hold"
    return f"{attribute!r} has values of type {', '.join(sorted(kind.__name__ for kind in kinds))}"
