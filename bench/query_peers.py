# SPDX-License-Identifier: Apache-2.0
"""Times the queries q0 to q5 of paged_kernels as CuPy and PyTorch write them, on columns of the same shapes in pinned host memory.

usage: query_peers.py [--size BYTES] [--selected SHARE] [--trials N]
Ways: `cupy` and `torch` copy all columns of a query to the GPU and filter there; `torch-rows` copies the first column, and of the
others the rows that the host gathers. Prints one JSON object for each query and way, with the median of the trials; sums are
compared with those of NumPy, and a wrong one ends with exit code 1. Exits with 77 where a package or a GPU is missing.
"""

import argparse
import json
import statistics
import sys
import time

try:
    import cupy
    import numpy as np
    import torch
except ImportError as error:
    missing = error
else:
    missing = None

LEAST = 3000.0  # of the first column where a row is selected
COLUMNS = 6


def columns(rows, share):
    """Whole numbers as floats, pinned; in exactly the share of the rows the first column is at least LEAST."""
    draw = np.random.default_rng(1)
    made = []
    for column in range(COLUMNS):
        values = draw.integers(0, 1000, rows).astype(np.float32)
        if column == 0:
            values[draw.choice(rows, round(share * rows), replace=False)] += np.float32(LEAST)
        made.append(torch.from_numpy(values).pin_memory())
    return made


def by_torch(host):
    on_gpu = [column.to("cuda", non_blocking=True) for column in host]
    mask = on_gpu[0] >= LEAST
    return [float(column[mask].double().sum()) for column in on_gpu]


def by_torch_rows(host):
    first = host[0].to("cuda", non_blocking=True)
    rows = (first >= LEAST).nonzero().squeeze(1)
    on_host = rows.cpu()
    return [float(first[rows].double().sum())] + [
        float(column.index_select(0, on_host).to("cuda").double().sum()) for column in host[1:]
    ]


def by_cupy(host):
    on_gpu = []
    for column in host:
        array = cupy.empty(len(column), cupy.float32)
        array.set(column.numpy())
        on_gpu.append(array)
    mask = on_gpu[0] >= LEAST
    return [float(array[mask].sum(dtype=cupy.float64)) for array in on_gpu]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1 << 30, help="bytes of a column")
    parser.add_argument("--selected", type=float, default=0.0003, help="share of the rows that the queries find")
    parser.add_argument("--trials", type=int, default=5)
    given = parser.parse_args()
    if missing or not torch.cuda.is_available():
        print(missing or "PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)
    all_columns = columns(given.size // 4, given.selected)
    selected = all_columns[0].numpy() >= LEAST
    sums = [float(column.numpy()[selected].sum(dtype=np.float64)) for column in all_columns]
    for query in range(COLUMNS):
        host = all_columns[: query + 1]
        for name, way in (("cupy", by_cupy), ("torch", by_torch), ("torch-rows", by_torch_rows)):
            ms = []
            for trial in range(given.trials + 1):
                torch.cuda.synchronize()
                begun = time.perf_counter()
                found = way(host)
                torch.cuda.synchronize()
                if found != sums[: query + 1]:
                    print(f"q{query} by {name}: {found}, not {sums[: query + 1]}", file=sys.stderr)
                    sys.exit(1)
                if trial > 0:
                    ms.append(1000 * (time.perf_counter() - begun))
            print(json.dumps({"kernel": f"q{query}", "way": name, "device": "cuda", "selected": given.selected,
                              "ms": round(statistics.median(ms), 3)}), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
