"""What the algorithms return. Arrays lie in the memory in which they were computed; they keep it alive."""

import json
from functools import cached_property
from types import SimpleNamespace

import numpy as np

UNREACHED = np.uint32(2**32 - 1)
UNREACHED_DISTANCE = np.uint64(2**64 - 1)


class Answer:
    """What every run leaves behind. Arrays have one entry a vertex, by its number from 0: Graph.labels has the names. A pickled
    answer has copies of them.

    verified: without verify None. With it True when every trial passed, and False when one is wrong, of which its `reason` says
    what, or did not converge. A wrong answer does not raise."""

    def __init__(self, native):
        parts = native.arrays()
        held = _stacked(parts) if native.keeps else parts[0]
        held.pop("source", None)
        held["_native"] = native
        held["verified"] = native.verified
        self.__dict__ = held

    def __getstate__(self):
        self.record  # from now on it is here
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    @cached_property
    def record(self):
        """All that is known of the run, as `graphrun --json` writes it: a dict, whose fields docs/results.md explains."""
        return json.loads(self._native.json())

    @cached_property
    def trials(self):
        """One a timed run, each with time_ms, iterations, edges_examined, bytes_moved (None: not counted), gteps, verdict,
        reason (None: nothing was found to be wrong) ..."""
        return [SimpleNamespace(**{"reason": None, **each}) for each in self.record["trials"]]

    @property
    def trial(self):
        """The last of the trials, which is the one that the values are of."""
        return self.trials[-1]

    @property
    def _result(self):
        return self.record["result"]

    def __repr__(self):
        last = self.trial
        moved = "" if last.bytes_moved is None else f", {last.bytes_moved} bytes moved"
        return f"<{type(self).__name__}: {last.time_ms:.3f} ms, {last.iterations} iterations{moved}, {last.verdict}>"


def _stacked(parts):
    """Arrays of several sources, a row each."""
    made = {"sources": np.concatenate([np.atleast_1d(part.get("sources", part.get("source"))) for part in parts]).astype(np.uint64)}
    for name in ("values", "parents", "distances"):
        if name in parts[0]:
            made[name] = np.concatenate([np.atleast_2d(part[name]) for part in parts])
    return made


class _Reaching(Answer):
    @property
    def reached(self):
        """How many vertices were reached, the source among them; of several sources an array."""
        if "sources" not in self.__dict__:
            return self._result["reached"]
        return np.array([each["reached"] for each in self.record.get("results", [self._result])])


class BfsAnswer(_Reaching):
    """values: hops from the source, uint32[n], graphrun.UNREACHED where unreached. parents: the vertex before each on a
    shortest path, uint32[n] (uint64 for ids of 64 bits), the largest number of its type where unreached; the source is its
    own. hops() has values to calculate with.

    Of several sources, by a list, sources=K or batch=True, arrays are [k, n], a row for each of `sources`, and trials those of all. With
    batch=True there are no parents."""

    def hops(self, unreached=-1):
        """values with another number where unreached: int64 for a whole one, float64 for numpy.nan or numpy.inf. A copy."""
        kind = np.int64 if isinstance(unreached, (int, np.integer)) else np.float64
        hops = self.values.astype(kind)
        hops[self.values == UNREACHED] = unreached
        return hops


class SsspAnswer(_Reaching):
    """distances: as they were computed, uint64[n] for whole weights with graphrun.UNREACHED_DISTANCE where unreached,
    float64[n] for float weights (float32[n] with distances="f32") with infinity there. Of several sources arrays are [k, n], a
    row for each of `sources`."""

    @cached_property
    def values(self):
        """float64[n], infinity where unreached. A copy of distances; whole ones are exact below 2^53."""
        values = self.distances.astype(np.float64)
        if self.distances.dtype == np.uint64:
            values[self.distances == UNREACHED_DISTANCE] = np.inf
        return values


class ComponentsAnswer(Answer):
    """values: the number of a vertex of its component, uint32[n] (uint64 for ids of 64 bits), the same for all of a
    component."""

    @property
    def components(self):
        """How many there are; vertices without edges are components, too."""
        return self._result["components"]


class PageRankAnswer(Answer):
    """values: ranks, float64[n], summing to 1."""

    @property
    def residual(self):
        """What the last sweep tells of the change of ranks, in sum."""
        return self._result["residual"]

    @property
    def certificate(self):
        """With certify=True the true residual: by how much one exact iteration changes these ranks. None without."""
        return self._result.get("certificate")

    @property
    def converged(self):
        """False when max_iterations ended it."""
        return self.record["verdict"] != "not converged"


class BetweennessAnswer(Answer):
    """values: scores, float64[n]: Graph.bc() says of what. sources: where the paths start."""


class TrianglesAnswer(Answer):
    """triangles: how many there are, each three vertices with edges between all of them once."""

    @property
    def triangles(self):
        return self._result["triangles"]


class Sample:
    """Edges drawn at some vertices, at those that they lead to, and so on. With n ids of 32 bits (64 where the graph has them):

    vertices: uint32[k], each once: the seeds in their order, behind them those that hop 0 came to, in the order of its
    edges, and so on.
    counts: how many of them were there before each hop, and at the end: hop h draws at vertices[:counts[h]] and leads to
    vertices[:counts[h + 1]].
    hops: for each hop sources and targets, uint32[m], the ends of the edges that it drew, and source_places and
    target_places, uint32[m], where these are in `vertices`.
    trial: time_ms, iterations, edges_examined (drawn), bytes_moved (None: not counted)."""

    def __init__(self, native):
        arrays = native.arrays()
        self.vertices = arrays["vertices"]
        self.counts = arrays["counts"]
        self.hops = [SimpleNamespace(**hop) for hop in arrays["hops"]]
        self.trial = SimpleNamespace(**native.trial())

    def __repr__(self):
        edges = sum(hop.sources.size for hop in self.hops)
        return f"<Sample: {self.vertices.size} vertices, {edges} edges, {self.trial.time_ms:.3f} ms>"


CLASSES = {
    "bfs": BfsAnswer,
    "sssp": SsspAnswer,
    "cc": ComponentsAnswer,
    "pagerank": PageRankAnswer,
    "bc": BetweennessAnswer,
    "tc": TrianglesAnswer,
}
