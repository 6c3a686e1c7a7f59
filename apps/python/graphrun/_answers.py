# SPDX-License-Identifier: Apache-2.0
"""The results of algorithms. Arrays are views of the memory in which they were computed, and keep it alive."""

import json
from functools import cached_property
from types import SimpleNamespace

import numpy as np

UNREACHED = np.uint32(2**32 - 1)
UNREACHED_DISTANCE = np.uint64(2**64 - 1)


class Answer:
    """The results of any run: arrays with one entry a vertex, by its number from 0 (Graph.labels has the names), and numbers.

    columns: the arrays by name. values: the first of them, the algorithm's main result; distances as float64 with infinity
    where unreached. The arrays are attributes, too, by their names in the plural (parents, distances), and so is each number of
    record["result"] (reached, components, triangles, residual ...). With several sources, by a list, sources=K or batch=True,
    arrays are [k, n], a row for each of `sources`, numbers are arrays of k, and trials are of all. A pickled answer has copies
    of the arrays.

    verified: None without verify. True when every trial passed; False when one is wrong, with its `reason`, or did not
    converge. A wrong answer does not raise."""

    def __init__(self, native):
        parts = native.arrays()
        self._sources = np.concatenate([part.pop("sources") for part in parts]).astype(np.uint64)
        self.columns = parts[0]
        if native.keeps:
            self.columns = {name: np.concatenate([np.atleast_2d(part[name]) for part in parts]) for name in parts[0]}
        self._native = native
        self.verified = native.verified

    def __getstate__(self):
        self.record  # from now on it is here
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __getattr__(self, name):
        if name.startswith("__") or "columns" not in self.__dict__:
            raise AttributeError(name)
        if name in self._results[0]:
            found = [each[name] for each in self._results]
            return np.array(found) if self._are_several else found[0]
        if name[:-1] in self.columns and name.endswith("s"):
            return self.columns[name[:-1]]
        raise AttributeError(f"an answer of {self.record['algorithm']} has no {name}: it has {', '.join(self._names)}")

    def __dir__(self):
        return [*super().__dir__(), *self._names]

    @cached_property
    def record(self):
        """The whole record of the run, as `graphrun --json` writes it: a dict, whose fields docs/results.md explains."""
        return json.loads(self._native.json())

    @cached_property
    def trials(self):
        """One a timed run, each with time_ms, iterations, edges_examined, bytes_moved (None: not counted), gteps, verdict,
        reason (None: no error found) ..."""
        return [SimpleNamespace(**{"reason": None, **each}) for each in self.record["trials"]]

    @property
    def trial(self):
        """The last trial, from which the values are."""
        return self.trials[-1]

    @cached_property
    def values(self):
        """The first column. Distances are a copy in float64, infinity where unreached; whole ones are exact below 2^53."""
        if not self.columns:
            raise AttributeError("values")
        name, found = next(iter(self.columns.items()))
        if name != "distance":
            return found
        values = found.astype(np.float64)
        if found.dtype == np.uint64:
            values[found == UNREACHED_DISTANCE] = np.inf
        return values

    @property
    def sources(self):
        """uint64[k]: the starts of searches or paths."""
        chosen = self.record["chosen"].get("sources")
        if chosen is None:
            return self._sources
        return np.arange(self.values.size, dtype=np.uint64) if chosen == "all" else np.array(chosen, np.uint64)

    @property
    def converged(self):
        """False when max_iterations ended it."""
        return self.record["verdict"] != "not converged"

    def hops(self, unreached=-1):
        """Returns levels with another number where unreached: int64 for a whole one, float64 for numpy.nan or numpy.inf. A
        copy."""
        kind = np.int64 if isinstance(unreached, (int, np.integer)) else np.float64
        hops = self.levels.astype(kind)
        hops[self.levels == UNREACHED] = unreached
        return hops

    @property
    def _names(self):
        return dict.fromkeys([*self._results[0], *(name + "s" for name in self.columns)])

    @property
    def _results(self):
        return self.record.get("results", [self.record["result"]])

    @property
    def _are_several(self):
        return any(array.ndim == 2 for array in self.columns.values())

    def __repr__(self):
        last = self.trial
        moved = "" if last.bytes_moved is None else f", {last.bytes_moved} bytes moved"
        return f"<Answer of {self.record['algorithm']}: {last.time_ms:.3f} ms, {last.iterations} iterations{moved}, {last.verdict}>"


class Sample:
    """A sample of neighbours over several hops. Ids have 32 bits (64 where the graph has them):

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
