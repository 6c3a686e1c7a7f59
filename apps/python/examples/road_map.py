# SPDX-License-Identifier: Apache-2.0
"""Distances on a grid of roads, drawn by matplotlib. usage: road_map.py OUT.png [SIDE]"""

import sys

import matplotlib
import numpy as np

import graphrun

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

side = int(sys.argv[2]) if len(sys.argv) > 2 else 300
crossing = np.arange(side * side).reshape(side, side)
sources = np.concatenate([crossing[:, :-1].ravel(), crossing[:-1, :].ravel()])
targets = np.concatenate([crossing[:, 1:].ravel(), crossing[1:, :].ravel()])
minutes = np.random.default_rng(7).integers(1, 20, sources.size)
minutes[sources // side == side // 3] = 1  # a fast road from west to east
roads = graphrun.from_edges(sources, targets, minutes, undirected=True)
paths = roads.sssp(source=int(crossing[side // 2, side // 2]), verify=True)
assert paths.verified

pyplot.figure(figsize=(6, 5))
pyplot.imshow(paths.values.reshape(side, side), cmap="viridis")
pyplot.colorbar(label="minutes from the centre")
pyplot.contour(paths.values.reshape(side, side), levels=12, colors="white", linewidths=0.4)
pyplot.savefig(sys.argv[1], dpi=120)
far = paths.values.max()
print(f"{roads.num_vertices} crossings in {paths.trial.time_ms:.1f} ms, the farthest {far:.0f} minutes away: {sys.argv[1]}")
