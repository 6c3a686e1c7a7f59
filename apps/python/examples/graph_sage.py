# SPDX-License-Identifier: Apache-2.0
"""Trains a small GraphSAGE (Hamilton et al., 2017, with means) for two epochs: graphrun samples neighbours and gathers their
features, PyTorch does the rest. Vertices belong to planted communities that their noisy features alone hardly tell.
usage: graph_sage.py [VERTICES] [DEVICE]"""

import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

import graphrun


class GraphSage(torch.nn.Module):
    """Layers of means over sampled neighbours. Each layer leaves out the vertices of the farthest hop."""

    def __init__(self, *widths: int) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(2 * a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, h: Any, hops: list[tuple[Any, ...]], counts: list[int]) -> Any:
        """h: features of a sample's vertices; hops: places of sources and targets; counts: of vertices before each hop."""
        for depth, layer in enumerate(self.layers):
            edges = hops[: len(self.layers) - depth]
            to = torch.cat([source for source, _ in edges])
            of = torch.cat([target for _, target in edges])
            left = counts[len(edges) - 1]
            count = torch.zeros(left, 1, device=h.device).index_add_(0, to, torch.ones(len(to), 1, device=h.device))
            mean = torch.zeros(left, h.shape[1], device=h.device).index_add_(0, to, h[of]) / count.clamp(min=1)
            h = layer(torch.cat([h[:left], mean], 1))
            if depth + 1 < len(self.layers):
                h = torch.relu(h)
        return h


def main() -> None:
    vertices = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu" if "cuda" in graphrun.build_info()["missing"] else "cuda"
    communities, degree, width, batch_size, fanouts = 8, 16, 64, 512, [10, 5]

    draw = np.random.default_rng(7)
    torch.manual_seed(7)
    community = draw.integers(communities, size=vertices)
    by_community = np.argsort(community, kind="stable")
    begins = np.searchsorted(community[by_community], np.arange(communities + 1))
    sources = np.repeat(np.arange(vertices), degree // 2)
    own = community[sources]
    inside = by_community[begins[own] + draw.integers(np.iinfo(np.int32).max, size=sources.size) % (begins[own + 1] - begins[own])]
    targets = np.where(draw.random(sources.size) < 0.8, inside, draw.integers(vertices, size=sources.size))
    graph = graphrun.from_edges(sources, targets, undirected=True)

    features = draw.normal(0, 2, (vertices, width)).astype(np.float32)
    features[np.arange(vertices), community] += 2
    hot = np.argsort(graph.degrees())[::-1][: vertices // 10 if device != "cpu" else 0]
    table = graphrun.FeatureTable(features, device=device, hot=hot)

    def batch_of(seeds: npt.NDArray[np.int64], seed: int) -> tuple[Any, list[tuple[Any, ...]], list[int]]:
        """Returns features of a sample's vertices, which begin with the seeds, its edges as indices among them, and counts."""
        batch = graph.sample(seeds, fanouts, seed=seed, device=device, backend="incore" if device == "cpu" else "emogi", warm=True)
        rows = table.gather(batch.vertices, out=torch.empty(len(batch.vertices), width, device=device) if device != "cpu" else None)
        places = [(hop.source_places, hop.target_places) for hop in batch.hops]
        on_device = [tuple(torch.as_tensor(ends.astype(np.int64), device=device) for ends in pair) for pair in places]
        return torch.as_tensor(rows), on_device, batch.counts

    model = GraphSage(width, 64, communities).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    labels = torch.as_tensor(community, device=device)
    order = draw.permutation(vertices)
    training, held_out = order[: vertices * 4 // 5], order[vertices * 4 // 5 :]
    for epoch in range(2):
        total = 0.0
        for begin in range(0, len(training), batch_size):
            seeds = training[begin : begin + batch_size]
            loss = torch.nn.functional.cross_entropy(model(*batch_of(seeds, seed=epoch * vertices + begin)), labels[seeds])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(seeds)
        with torch.no_grad():
            right = (model(*batch_of(held_out, seed=1)).argmax(1) == labels[held_out]).float().mean().item()
        print(f"epoch {epoch + 1}: loss {total / len(training):.3f}, {right:.1%} of the held-out vertices are right, on {device}")


if __name__ == "__main__":
    main()
