# SPDX-License-Identifier: Apache-2.0
"""The backend of NetworkX: nx.pagerank(G, backend="graphrun"), by the entry points in apps/python/entry_points.txt.

NetworkX calls convert_from_nx() once a graph and caches what it returns, asks can_run() and should_run(), and calls the function
of the same name here. Functions have NetworkX's arguments, results and errors. A NotImplementedError lets NetworkX try its next
backend.
"""

import inspect
import math

import networkx as nx
import numpy as np

from . import UNREACHED, UNREACHED_DISTANCE, UsageError
from ._names import shares_text
from ._nx_graph import Converted

# Below so many nodes NetworkX is left to run: the first call on a graph takes graphrun 1 to 2 ms, the next 0.2 ms.
SMALL = 1000
# PageRank goes on to this sum of changes where n * tol is larger: scores in 64 bits cost a few sweeps more.
TOLERANCE = 1e-7
# Sweeps of hits for an iteration of ARPACK.
SWEEPS = 100
# The functions, and what says why one of them cannot run with its arguments: None, or a reason.
FUNCTIONS = {}


def info():
    """Returns what NetworkX lists of this backend: a dict."""
    return {
        "backend_name": "graphrun",
        "package": "graphrun",
        "short_summary": "Out-of-core graph analytics on GPUs and CPUs.",
        "functions": {name: {} for name in FUNCTIONS},
        "default_config": {"placement": {}},
    }


def can_run(name, args, kwargs):
    """Returns True, or the reason why graphrun cannot run the function with these arguments."""
    if name not in FUNCTIONS:
        return f"graphrun has no {name}"
    function, why_not = FUNCTIONS[name]
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    return (why_not and why_not(**bound.arguments)) or True


def should_run(name, args, kwargs):
    """Returns True, or the reason why NetworkX itself is faster."""
    graph = args[0] if args else kwargs["G"]
    return len(graph) >= SMALL or f"NetworkX is faster below {SMALL} nodes"


def convert_from_nx(graph, *, edge_attrs=None, **_):
    """Returns a Converted graph, with the attribute of edges that the function reads."""
    return Converted(graph, next(iter(edge_attrs or ()), None))


def convert_to_nx(result, **_):
    """Returns a NetworkX graph of a converted one; other results are NetworkX's already."""
    return result.to_networkx() if isinstance(result, Converted) else result


def _run(graph, algorithm, **options):
    """Runs an algorithm with the placement that nx.config.backends.graphrun.placement asks for."""
    return getattr(graph, algorithm)(**options, **nx.config.backends.graphrun.placement)


def _supports(why_not=None):
    """Lists a function, with a function of its arguments that says why they are not supported."""

    def list_it(function):
        FUNCTIONS[function.__name__] = function, why_not
        return function

    return list_it


def _why_no_cutoff(cutoff=None, **_):
    return None if cutoff is None or isinstance(cutoff, (int, float)) else "cutoff is no number"


def _why_no_dijkstra(weight="weight", **others):
    return "weight is no name of an attribute" if not isinstance(weight, str) else _why_no_cutoff(**others)


def _why_no_path_length(G, source, target, weight, method):
    if source is not None and target is not None:
        return "one pair of nodes: NetworkX's search from both sides is faster"
    if source is None and (target is None or G.is_directed()):
        return "lengths between all pairs, or from all nodes to a target of a directed graph"
    if method != "dijkstra" and weight is not None:
        return f"method {method}"
    return None if weight is None else _why_no_dijkstra(weight)


def _why_no_betweenness(weight, endpoints, **_):
    return "paths of weighted edges" if weight is not None else "endpoints" if endpoints else None


def _restarts(nodes, personalization):
    """Returns the nodes at which PageRank restarts, and their shares. Raises ZeroDivisionError without any."""
    shares = {node: share for node in nodes if (share := personalization.get(node, 0)) != 0}
    if not shares:
        raise ZeroDivisionError
    if not all(share > 0 and math.isfinite(share) for share in shares.values()):
        raise NotImplementedError("personalization has shares below 0")
    return list(shares), list(shares.values())


def _why_no_pagerank(G, alpha, personalization, nstart, dangling, weight, **_):
    if nstart is not None or dangling is not None:
        return "nstart or dangling"
    if not (isinstance(alpha, (int, float)) and 0 < alpha < 1):
        return "alpha is not between 0 and 1"
    if not (weight is None or isinstance(weight, str)):
        return "weight is no name of an attribute"
    try:
        if personalization is not None and len(G):
            _restarts(G, personalization)
    except ZeroDivisionError:
        return None  # pagerank() raises it, as NetworkX does
    except NotImplementedError as error:
        return str(error)
    return None


def _why_not_simple(G, nodes=None, weight=None, **_):
    if G.is_directed() or G.is_multigraph():
        return "a directed graph or a multigraph"
    if not (nodes is None or isinstance(nodes, (list, set)) or nodes in G):
        return "nodes is no node, list or set"
    return None if weight is None else "weights of triangles"


@_supports(_why_no_pagerank)
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None):
    if not G.nodes:
        return {}
    options = {}
    if personalization is not None:
        nodes, shares = _restarts(G.nodes, personalization)
        options["index"] = [G.index[node] for node in nodes]
        if len(set(shares)) > 1:
            options["shares"] = shares_text(shares)
    walk, weights = G.walked(weight)
    bound = len(G) * tol
    if not (bound > 0 and max_iter >= 1):
        raise nx.PowerIterationFailedConvergence(max_iter)
    if weights:
        options["weights"] = "file"
    found = _run(walk, "pagerank", damping=alpha, tolerance=min(bound, TOLERANCE), max_iterations=max_iter, **options)
    if not (found.converged or found.residual < bound):
        raise nx.PowerIterationFailedConvergence(max_iter)
    return dict(zip(G.nodes, found.values.tolist()))


def _powers(G, graph, algorithm, max_iter, **options):
    """Runs a power iteration. Raises NetworkX's error where it does not converge."""
    if max_iter < 1 or not options["tolerance"] > 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    found = _run(graph, algorithm, max_iterations=max_iter, **options)
    if not found.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return found


def _why_no_powers(nstart=None, weight=None, alpha=0.1, beta=1.0, **_):
    if nstart is not None:
        return "nstart"
    if weight is not None:
        return "weights"
    if not (isinstance(alpha, (int, float)) and 0 < alpha < 1):
        return "alpha is not between 0 and 1"
    return None if isinstance(beta, (int, float)) and beta > 0 else "beta is no number above 0"


@_supports(_why_no_powers)
def eigenvector_centrality(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    found = _powers(G, G.plain, "eigenvector", max_iter, tolerance=len(G) * tol)
    return dict(zip(G.nodes, found.values.tolist()))


@_supports(_why_no_powers)
def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    if not G.nodes:
        return {}
    # Scores grow in proportion to beta.
    found = _powers(G, G.plain, "katz", max_iter, damping=alpha, tolerance=len(G) * tol / beta)
    scores = found.values if normalized else found.values * (beta * found.norm)
    return dict(zip(G.nodes, scores.tolist()))


def _why_no_hits(nstart=None, normalized=True, **_):
    return "nstart" if nstart is not None else None if normalized else "scores that are not normalized"


@_supports(_why_no_hits)
def hits(G, max_iter=100, tol=1.0e-8, nstart=None, normalized=True):
    if not G.nodes:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    graph, weights = G.walked("weight" if G.attribute == "weight" else None)
    if weights:
        raise NotImplementedError("weights of edges differ")
    # NetworkX's iterations are ARPACK's, which need fewer.
    found = _powers(G, graph, "hits", SWEEPS * max_iter, tolerance=min(tol, TOLERANCE) if tol > 0 else TOLERANCE)
    return tuple(dict(zip(G.nodes, found.columns[name].tolist())) for name in ("hub", "authority"))


def _why_no_louvain(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    if G.is_directed():
        return "communities of a directed graph"
    if not (weight is None or isinstance(weight, str)):
        return "weight is no name of an attribute"
    if not (isinstance(resolution, (int, float)) and 0 < resolution < math.inf):
        return "resolution is no number above 0"
    return None if max_level is None else "max_level"


@_supports(_why_no_louvain)
def louvain_communities(G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None):
    if not G.nodes:
        return []
    graph, weights = G.walked(weight)
    found = _run(graph, "louvain", resolution=resolution, **({"weights": "file"} if weights else {}))
    return list(G.index.sets(found.values))


def _why_no_closeness(u=None, distance=None, wf_improved=True, nbunch=None, sources=None, **_):
    if not (u is None and nbunch is None and sources is None):
        return "scores of chosen nodes: NetworkX searches from these alone"
    return "lengths of edges" if distance is not None else None if wf_improved else "wf_improved is False"


@_supports(_why_no_closeness)
def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    return dict(zip(G.nodes, _run(G.plain, "closeness", index=range(len(G))).values.tolist())) if G.nodes else {}


@_supports(_why_no_closeness)
def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    scores = _run(G.plain, "harmonic", index=range(len(G))).values.tolist() if G.nodes else []
    return {node: score or 0 for node, score in zip(G.nodes, scores)}


@_supports(_why_no_betweenness)
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n = len(G)
    nodes = None if k is None or k == n else nx.utils.create_py_random_state(seed).sample(G.nodes, k)
    scores = [0.0] * n
    if n and (nodes is None or nodes):
        options = {} if nodes is None else {"index": [G.index[node] for node in nodes]}
        sums = _run(G.plain, "bc", definition="exact", **options).values
        scores = (2 * sums if G.plain.symmetric else sums).tolist()  # graphrun halves the scores of symmetric graphs
    # Versions of NetworkX scale the scores of a sample differently. info() is read before there are algorithms to import.
    from networkx.algorithms.centrality.betweenness import _rescale

    sample = {"sampled_nodes": nodes}
    if "sampled_nodes" not in inspect.signature(_rescale).parameters:
        sample = {"k": None if nodes is None else k}
    return _rescale(dict(zip(G.nodes, scores)), n, normalized=normalized, directed=G.is_directed(), endpoints=False, **sample)


def _components(G):
    """Yields the components as sets, in the order of their first nodes."""
    if not G.nodes:
        return
    yield from G.index.sets(_run(G.plain, "cc").values)


def _number_of_components(G, algorithm="cc"):
    return _run(G.plain, algorithm).components if G.nodes else 0


def _is_one_component(G, algorithm="cc"):
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _number_of_components(G, algorithm) == 1


@_supports()
def connected_components(G):
    return _components(G)


@_supports()
def number_connected_components(G):
    return _number_of_components(G)


@_supports()
def is_connected(G):
    return _is_one_component(G)


@_supports()
def node_connected_component(G, n):
    return _nodes_at(G, _levels(G, G.index[n]) != UNREACHED)


@_supports()
def weakly_connected_components(G):
    return _components(G)


@_supports()
def number_weakly_connected_components(G):
    return _number_of_components(G)


@_supports()
def is_weakly_connected(G):
    return _is_one_component(G)


@_supports()
def number_strongly_connected_components(G):
    return _number_of_components(G, "scc")


@_supports()
def is_strongly_connected(G):
    return _is_one_component(G, "scc")


@_supports()
def topological_generations(G):
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    if not G.nodes:
        return
    try:
        levels = _run(G.plain, "topo").values
    except UsageError as error:
        if "is on a cycle" not in str(error):
            raise
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration") from error
    order = np.argsort(levels, kind="stable")
    ends = np.cumsum(np.bincount(levels)).tolist()
    for begin, end in zip([0, *ends], ends):
        yield list(map(G.nodes.__getitem__, order[begin:end].tolist()))


def _levels(G, vertex):
    return _run(G.plain, "bfs", index=vertex).values


def _nodes_at(G, chosen):
    return set(map(G.nodes.__getitem__, np.flatnonzero(chosen).tolist()))


def _nearest_first(G, distances, reached):
    """Returns the distances of the reached nodes: a dict in the order of distances, then of G's nodes."""
    vertices = np.flatnonzero(reached)
    found = distances[vertices]
    if found.dtype == np.uint32 and found.max(initial=0) < 2**16:
        found = found.astype(np.uint16)  # NumPy sorts these by digits
    order = np.argsort(found, kind="stable")
    return dict(zip(map(G.nodes.__getitem__, vertices[order].tolist()), found[order].tolist()))


@_supports(_why_no_cutoff)
def single_source_shortest_path_length(G, source, cutoff=None):
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    levels = _levels(G, G.index[source])
    reached = levels != UNREACHED
    if cutoff is not None:
        reached &= (levels == 0) | (levels.astype(np.int64) - 1 < cutoff)
    return _nearest_first(G, levels, reached)


@_supports(_why_no_dijkstra)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    hash(source)
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    vertex = G.index[source]
    weighted = G.weighted(weight)
    if weighted is None:
        distances = _levels(G, vertex)
        reached = distances != UNREACHED
    else:
        distances = _run(weighted, "sssp", index=vertex).distances
        reached = distances != UNREACHED_DISTANCE if distances.dtype == np.uint64 else np.isfinite(distances)
    if cutoff is not None:
        reached &= ~(distances > cutoff)
        reached[vertex] = True
    found = _nearest_first(G, distances, reached)
    found[source] = 0  # a whole number among floats, too
    return found


@_supports(_why_no_path_length)
def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    node = target if source is None else source
    if weight is None:
        return single_source_shortest_path_length(G, node)
    return single_source_dijkstra_path_length(G, node, weight=weight)


@_supports()
def descendants_at_distance(G, source, distance):
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    levels = _levels(G, G.index[source])
    return _nodes_at(G, (levels == distance) & (levels != UNREACHED))


@_supports()
def descendants(G, source):
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    levels = _levels(G, G.index[source])
    return _nodes_at(G, (levels != 0) & (levels != UNREACHED))


@_supports(_why_not_simple)
def transitivity(G):
    triangles = _run(G.plain, "triangles").triangles if G.nodes else 0
    if not triangles:
        return 0
    degrees = G.degrees_without_loops()
    return 6 * triangles / int((degrees * (degrees - 1)).sum())


def _of_nodes(G, values, nodes):
    """Returns the value of one node, or a dict of the values of several: of all with None."""
    if nodes is None:
        return dict(zip(G.nodes, values))
    if nodes in G:
        return values[G.index[nodes]]
    return {node: values[G.index[node]] for node in nodes if node in G}


@_supports(_why_not_simple)
def triangles(G, nodes=None):
    arcs = _run(G.plain, "lcc").columns["arcs"] if G.nodes else np.zeros(0, np.int64)
    return _of_nodes(G, (arcs // 2).tolist(), nodes)


@_supports(_why_not_simple)
def clustering(G, nodes=None, weight=None):
    shares = _run(G.plain, "lcc").values.tolist() if G.nodes else []
    return _of_nodes(G, [share or 0 for share in shares], nodes)  # a whole 0, as NetworkX has it


@_supports(_why_not_simple)
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    shares = clustering(G, nodes).values()
    if not count_zeros:
        shares = [share for share in shares if share > 0]
    return sum(shares) / len(shares)
