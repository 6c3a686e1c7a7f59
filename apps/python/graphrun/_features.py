"""Rows of features, gathered by vertex."""

import os
from types import SimpleNamespace

import numpy as np

from . import _core
from ._arrays import whole
from ._errors import DataError, UsageError


class FeatureTable:
    """Rows of features, one a vertex, that are gathered by vertex.

        table = graphrun.FeatureTable("features.npy", cache="1GiB")   # rows come through a cache of pages
        batch = graph.sample(seeds, [10, 5])
        rows = table.gather(batch.vertices)                           # a row for each

    rows: an array of one row a vertex, [n, ...], of any type without objects, in C order; or the path of such an array in a file
    of NumPy (.npy), of which `cache` bytes are held in pages of `page` bytes, and the rows `hot`, numbers of rows, each once, in
    memory as well. An array stays where it is and is kept alive.

    device: "cuda" or "cuda:N" has a GPU gather an array; the rows are copied to host memory that its warps read over the link,
    and those of `hot` to its own memory as well. aligned=False leaves out the shift that keeps reads on whole lines, for
    comparing. multiprocessors=N lets as many of the GPU's gather, and leaves the others to what trains meanwhile. threads: of
    the host, 0 for all.

    Raises UsageError, DataError (no file of NumPy, or one that is cut off), UnavailableError (no GPU).
    """

    def __init__(
        self, rows, device="cpu", hot=(), aligned=True, cache="64MiB", page="4KiB", threads=0, multiprocessors=0
    ):
        path = None
        if isinstance(rows, (str, os.PathLike)):
            path = os.fspath(rows)
            try:
                rows = np.load(path, mmap_mode="r")
            except (OSError, ValueError, EOFError) as error:
                raise DataError(f"{path}: {error}") from None
            if not isinstance(rows, np.memmap):
                raise DataError(f"{path} holds no single array: .npy does")
        rows = np.asanyarray(rows)
        if rows.dtype.hasobject or rows.ndim == 0:
            raise TypeError(f"features are an array of rows of numbers, not {rows.ndim} dimensions of {rows.dtype}")
        if not rows.flags.c_contiguous:
            raise UsageError("rows of features lie one behind the other (C order): numpy.ascontiguousarray() makes it so")
        self.shape, self.dtype = rows.shape, rows.dtype
        self._row_bytes = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
        self._id_type = np.uint32 if len(rows) < 2**32 else np.uint64
        width = np.dtype(self._id_type).itemsize * 8
        options = (self._row_bytes, threads, str(cache), str(page), str(device), self._ids(hot), bool(aligned))
        options += (int(multiprocessors),)
        if path is None or str(device) != "cpu":
            self._rows = rows
            self._native = getattr(_core, f"features{width}")(rows.reshape(-1).view(np.uint8), *options)
        else:
            self._native = getattr(_core, f"features_of_file{width}")(path, rows.offset, len(rows), *options)

    def gather(self, ids, out=None):
        """Rows `ids`, whole numbers: an array [len(ids), ...], which is `out` where that is given.

        Where a GPU gathers, `out` may be an array in its memory, as CuPy, Numba and PyTorch make them
        (`torch.empty(shape, device="cuda")`): rows come there without a copy, when what the GPU still does with it has ended.

        `gathered` says afterwards what it took: time_ms, and device_bytes, host_bytes and storage_bytes of the tiers that had the
        rows. Raises UsageError (no such row, another shape or type of out), TypeError.
        """
        ids = self._ids(ids)
        shape = (ids.size, *self.shape[1:])
        if out is None:
            out = np.empty(shape, self.dtype)
        on_device = hasattr(out, "__cuda_array_interface__")
        room = getattr(out, "__cuda_array_interface__" if on_device else "__array_interface__", None)
        if room is None:
            raise TypeError(f"out is an array of NumPy, or one in the memory of a GPU, not {type(out).__name__}")
        address, read_only = room["data"]
        if room["shape"] != shape or room["typestr"] != self.dtype.str or read_only or not _is_in_order(room):
            raise UsageError(
                f"out is {np.dtype(room['typestr'])} {room['shape']}, and the rows are {self.dtype} {shape}, writable, in C order"
            )
        self.gathered = SimpleNamespace(**self._native.gather(ids, address, on_device))
        return out

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<graphrun.FeatureTable: {len(self)} rows of {self._row_bytes} bytes>"

    def _ids(self, ids):
        ids = whole(ids if isinstance(ids, np.ndarray) else list(ids), "ids")
        if ids.ndim != 1:
            raise UsageError(f"ids has {ids.ndim} dimensions, not 1")
        if ids.size and not (0 <= ids.min() and ids.max() < len(self)):
            raise UsageError(f"ids are of rows, from 0 to {len(self) - 1}, not from {ids.min()} to {ids.max()}")
        return np.ascontiguousarray(ids, self._id_type)


def _is_in_order(room):
    """Whether an array's elements follow each other, by what its interface says."""
    strides = room.get("strides")
    if strides is None:
        return True
    expected = np.dtype(room["typestr"]).itemsize
    for length, stride in zip(reversed(room["shape"]), reversed(strides)):
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True
