# SPDX-License-Identifier: Apache-2.0
"""The results of algorithms. Arrays are views of the memory in which they were computed, and keep it alive."""

import json
from functools import cached_property
from types import SimpleNamespace

import numpy as np

from ._tables import Table, html_of

UNREACHED = np.uint32(2**32 - 1)
UNREACHED_DISTANCE = np.uint64(2**64 - 1)


class Answer:
    """The results of any run: arrays with one entry a vertex, by its number from 0 (Graph.labels has the names), and numbers.

    columns: the arrays by name. values: the first of them, the algorithm's main result; distances as float64 with infinity
    where unreached. The arrays are attributes, too, by their names in the plural (parents, distances), and so is each number of
    record["result"] (reached, components, triangles, residual ...). With several sources, by a list, sources=K or batch=True,
    arrays are [k, n], a row for each of `sources`, numbers are arrays of k, and trials are of all. A pickled answer has copies
    of the arrays. walks: vertices [walks, length + 1] of random walks, by ascending source, each once; the largest number
    after an end.

    verified: None without verify. True when every trial passed; False when one is wrong, with its `reason`, or did not
    converge. A wrong answer does not raise."""

    def __init__(self, native, names_of):
        self._names_of = names_of
        parts = native.arrays()
        self._sources = np.concatenate([part.pop("sources") for part in parts]).astype(np.uint64)
        self.columns = parts[0]
        if "walks" in self.columns:
            self.walks = self.columns.pop("walks")
        if native.keeps:
            self.columns = {name: np.concatenate([np.atleast_2d(part[name]) for part in parts]) for name in parts[0]}
        self._native = native
        self.verified = native.verified

    def __getstate__(self):
        self.record  # from now on it is here
        kept = {name: value for name, value in self.__dict__.items() if name != "_native"}
        return {**kept, "_names_of": self._all_names().__getitem__ if self.columns else None}

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
        """The first column; of walks their array. Distances are a copy in float64, infinity where unreached; whole ones are exact
        below 2^53."""
        if not self.columns:
            raise AttributeError("values")
        if "walks" in self.__dict__:
            return self.walks
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

    def to_table(self):
        """Returns the columns as a Table, with the vertices' names first, in the column `vertex`. A column of several sources is one
        for each, such as level:7 of the source named 7."""
        found = {"vertex": self._all_names()}
        for name, column in self.columns.items():
            if column.ndim == 1:
                found[name] = column
            else:
                found.update({f"{name}:{source}": row for source, row in zip(self._names_of(self.sources).tolist(), column)})
        return Table(found)

    def to_pandas(self):
        """Returns the columns as a DataFrame, whose index is the vertices' names."""
        return self.to_table().to_pandas("vertex")

    def __arrow_c_stream__(self, requested_schema=None):
        return self.to_table().__arrow_c_stream__(requested_schema)

    def _all_names(self):
        if not self.columns:
            raise AttributeError("an answer without columns is no table: it has numbers, record['result']")
        return self._names_of(np.arange(next(iter(self.columns.values())).shape[-1]))

    def _repr_html_(self):
        last = self.trial
        return html_of(self.record["algorithm"], {**self._results[-1], "time, ms": f"{last.time_ms:.3f}", "verdict": last.verdict})

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
    hops: for each hop sources and targets, uint32[m], the ends of the edges that it drew, source_places and target_places,
    uint32[m], where these are in `vertices`, and edges, uint64[m], the edges' numbers: indices of Graph.neighbours, and of rows
    of edge features.
    trial: time_ms, iterations, edges_examined (drawn), bytes_moved (None: not counted)."""

    def __init__(self, native):
        arrays = native.arrays()
        self.vertices = arrays["vertices"]
        self.counts = arrays["counts"]
        self.hops = [SimpleNamespace(**hop) for hop in arrays["hops"]]
        self.trial = SimpleNamespace(**native.trial())

    def to_pyg(self):
        """Returns a torch_geometric.data.Data as its NeighborLoader makes them: edge_index int64[2, m] from the drawn neighbours to
        the vertices that drew them, n_id, e_id, batch_size and num_nodes."""
        import torch
        from torch_geometric.data import Data

        def joined(name):
            arrays = [getattr(hop, name).astype(np.int64) for hop in self.hops]
            return np.concatenate(arrays) if arrays else np.zeros(0, np.int64)

        tensors = {
            "edge_index": np.stack([joined("target_places"), joined("source_places")]),
            "n_id": self.vertices.astype(np.int64),
            "e_id": joined("edges"),
        }
        tensors = {name: torch.from_numpy(array) for name, array in tensors.items()}
        return Data(**tensors, batch_size=self.counts[0], num_nodes=len(self.vertices))

    def to_dgl(self):
        """Returns the blocks of DGL for training, the last hop first: each from the vertices that a hop leads to, to those that
        draw. dgl.NID and dgl.EID have the numbers of vertices and edges."""
        import dgl
        import torch

        def tensor(array):
            return torch.from_numpy(array.astype(np.int64))

        blocks = []
        for hop, (before, after) in zip(self.hops, zip(self.counts, self.counts[1:])):
            ends = tensor(hop.target_places), tensor(hop.source_places)
            block = dgl.create_block(ends, num_src_nodes=after, num_dst_nodes=before)
            block.srcdata[dgl.NID], block.dstdata[dgl.NID] = tensor(self.vertices[:after]), tensor(self.vertices[:before])
            block.edata[dgl.EID] = tensor(hop.edges)
            blocks.append(block)
        return blocks[::-1]

    def __repr__(self):
        edges = sum(hop.sources.size for hop in self.hops)
        return f"<Sample: {self.vertices.size} vertices, {edges} edges, {self.trial.time_ms:.3f} ms>"
