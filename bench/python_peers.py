# SPDX-License-Identifier: Apache-2.0
"""Times the module graphrun beside networkx, SciPy and igraph, each from Python, on the same graphs; answers are compared.

usage: PYTHONPATH=build/python python3 bench/python_peers.py THREADS GRAPH.mtx[.gz]...
Medians of 5 in turn, of networkx one; THREADS are those of graphrun, and the others have one.
"""

import argparse
import statistics
import time
from pathlib import Path


def timed(times, name, call):
    begun = time.perf_counter()
    answer = call()
    times.setdefault(name, []).append(1000 * (time.perf_counter() - begun))
    return answer


def compare(path, threads):
    import igraph
    import networkx
    import numpy as np
    from scipy.io import mmread
    from scipy.sparse import csgraph

    import graphrun

    matrix = mmread(path).tocsr()
    graph = graphrun.open(path)
    ends = np.column_stack(matrix.nonzero())
    ig = igraph.Graph(n=graph.num_vertices, edges=ends, directed=True)
    nx = networkx.DiGraph(ends.tolist())
    nx.add_nodes_from(range(graph.num_vertices))
    source = int(np.diff(matrix.indptr).argmax())
    tasks = {
        "bfs": {
            "graphrun": lambda: graph.bfs(index=source, threads=threads).reached,
            "SciPy": lambda: csgraph.breadth_first_order(matrix, source, return_predecessors=True)[0].size,
            "igraph": lambda: np.isfinite(ig.distances(source, mode="out")[0]).sum(),
            "networkx": lambda: len(networkx.single_source_shortest_path_length(nx, source)),
        },
        "cc": {
            "graphrun": lambda: graph.cc(threads=threads).components,
            "SciPy": lambda: csgraph.connected_components(matrix, connection="weak")[0],
            "igraph": lambda: len(ig.connected_components(mode="weak")),
            "networkx": lambda: networkx.number_weakly_connected_components(nx),
        },
        "pagerank": {
            "graphrun": lambda: graph.pagerank(tolerance=1e-8, threads=threads).values,
            "igraph": lambda: np.array(ig.pagerank()),
            "networkx": lambda: np.array([rank for _, rank in sorted(networkx.pagerank(nx, tol=1e-13, max_iter=1000).items())]),
        },
    }
    for task, systems in tasks.items():
        times, answers = {}, {}
        for repeat in range(5):
            for system, call in systems.items():
                if system != "networkx" or repeat == 0:
                    answers[system] = timed(times, system, call)
        for system, answer in answers.items():
            assert np.allclose(answer, answers["graphrun"], atol=1e-6), (path, task, system)
        shown = (
            f"{statistics.median(times[system]):.1f}" if system in times else ""
            for system in ("graphrun", "SciPy", "igraph", "networkx")
        )
        print(f"| {Path(path).name.split('.')[0]} | {task} |", " | ".join(shown), "|", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("threads", type=int)
    parser.add_argument("graphs", nargs="+")
    given = parser.parse_args()
    print("| graph | algorithm | graphrun, ms | SciPy | igraph | networkx |\n|---|---|--:|--:|--:|--:|")
    for path in given.graphs:
        compare(path, given.threads)


if __name__ == "__main__":
    main()
