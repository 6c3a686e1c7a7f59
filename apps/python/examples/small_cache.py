# SPDX-License-Identifier: Apache-2.0
"""A search whose edges stay on disk and pass through a cache that is smaller than they are. usage: small_cache.py [GRAPH]
[CACHE]"""

import sys

import graphrun

graph = graphrun.open(sys.argv[1] if len(sys.argv) > 1 else "kron:16")
edge_bytes = graph.neighbours.nbytes
for cache in sys.argv[2:] or ["64MiB", "4MiB", "1MiB", "256KiB"]:
    search = graph.bfs(backend="bam", device="cpu", threads=4, cache=cache, verify=True)
    assert search.verified
    cost = f"{search.trial.time_ms:.1f} ms, {search.trial.bytes_moved / 2**20:.1f} MiB read"
    print(f"{edge_bytes / 2**20:.1f} MiB of edges through a cache of {cache}: {search.reached} reached, {cost}")
