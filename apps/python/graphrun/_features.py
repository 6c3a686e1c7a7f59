# SPDX-License-Identifier: Apache-2.0
"""Rows of features, gathered by vertex."""

import functools
import os
import reprlib
from types import SimpleNamespace

import numpy as np

from . import _core, _engines
from ._arrays import is_array, number, path_of, switch, utf8, whole
from ._errors import DataError, RunError, UnavailableError, UsageError
from ._files import check_unchanged, stamp_of


class FeatureTable:
    """Rows of features, one a vertex, that are gathered by vertex.

        table = graphrun.FeatureTable("features.npy", cache="1GiB")   # rows come through a cache of pages
        batch = graph.sample(seeds, [10, 5])
        rows = table.gather(batch.vertices)                           # a row for each

    rows: an array of one row a vertex, [n, ...], of any type without objects, in C order; or the path of such an array in a
    NumPy file (.npy). Of a file `cache` bytes (64 MiB) are held in pages of `page` bytes (4 KiB), and the rows `hot`, distinct
    numbers, in memory as well. `hot` takes 4 bytes more for each of all rows (8 for 2^32 rows or more). The table keeps an
    array alive without a copy.

    device: with "cuda" or "cuda:N" a GPU gathers an array; the rows are copied to host memory that its warps read over the
    link, and `hot` ones also to its own memory. With "cuda:0-3" all four gather: the GPU that has `out`, or each a part for the
    host. The first `replicated` rows of `hot` have a copy on each, the others are interleaved over their memory. "auto" is a GPU
    where one works, else "cpu".

    delivery: "zero-copy", loads of warps; "staged", host threads gather rows into pinned memory that one DMA copies; "dma", a
    DMA for each row; "auto", dma for rows above 85,500 bytes. aligned=False disables the shift that keeps reads on whole lines,
    for comparison. load_bytes: 4, 8 or 16 of a lane's load, 0 for the widest that rows allow. multiprocessors=N uses N of the
    GPU's, and leaves the others to training. threads: of the host, 0 for all.

    A child process of fork(), such as a worker of a DataLoader, opens the table again when it first gathers. A GPU cannot
    gather there: start the child by "spawn". A pickled table has the path of its file, or a copy of its array.

    Raises UsageError, DataError (no NumPy file, or one that is truncated or, when opened again, changed), UnavailableError (no
    GPU), TypeError.
    """

    def __init__(
        self, rows, device="cpu", hot=(), aligned=True, cache=None, page=None, threads=0, multiprocessors=0,
        replicated=0, load_bytes=0, delivery="auto",
    ):
        path = stamp = None
        if isinstance(rows, (str, bytes, os.PathLike)):
            path = os.path.join(os.getcwd(), os.fsdecode(path_of(rows)))  # a child may be elsewhere
            stamp = stamp_of(path)
            rows = _mapped(path)
        elif isinstance(rows, np.ma.MaskedArray):
            raise UsageError("rows of features have no mask: filled() of a masked array makes an array without one")
        else:
            rows = _array_of(rows)
        in_file = path is not None and _is_cpu(device)
        if not in_file and (cache is not None or page is not None):
            raise UsageError("cache and page are of rows in a file that host threads gather: leave them out")
        if rows.dtype.hasobject or rows.ndim == 0:
            raise TypeError(f"features are an array of rows of numbers, not {rows.ndim} dimensions of {rows.dtype}")
        if not rows.flags.c_contiguous:
            raise UsageError("rows of features lie one behind the other (C order): numpy.ascontiguousarray() makes it so")
        self.shape, self.dtype = rows.shape, rows.dtype
        self._row_bytes = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
        self._id_type = np.uint32 if len(rows) < 2**32 else np.uint64
        if self._id_type == np.uint64 and not hasattr(_core, "features64"):
            raise UnavailableError(f"{len(rows)} rows need ids of 64 bits, without which this module was built (GRAPHRUN_BUILD_WIDE)")
        width = np.dtype(self._id_type).itemsize * 8
        hot = self._ids(hot, "hot")
        self._made_of = (
            rows if path is None else path, device, hot, aligned, cache, page, threads, multiprocessors, replicated, load_bytes, delivery,
        )
        self._stamp = stamp
        options = (
            self._row_bytes,
            number(threads, "threads", 0, 1024),
            utf8("64MiB" if cache is None else str(cache), "cache"),
            utf8("4KiB" if page is None else str(page), "page"),
            utf8(str(device), "device"),
            hot,
            switch(aligned, "aligned"),
            number(multiprocessors, "multiprocessors", 0, 2**16),
            number(replicated, "replicated", 0, 2**64 - 1),
            number(load_bytes, "load_bytes", 0, 16),
            utf8(str(delivery), "delivery"),
        )
        self._gathered, self._is_on_stream = None, False
        self._rows = None if in_file else rows
        if in_file:
            given = os.fsencode(path), rows.offset, len(rows), *options
            self._open = functools.partial(_open_as_it_was, path, stamp, getattr(_core, f"features_of_file{width}"), *given)
        else:
            self._open = functools.partial(getattr(_core, f"features{width}"), rows.reshape(-1).view(np.uint8), *options)
        _engines.will_hold(self)
        self._engine = self._open()

    @property
    def gathered(self):
        """The costs of the last gather of any thread, None before: time_ms, and device_bytes, peer_bytes (of other GPUs),
        host_bytes and storage_bytes by the rows' tier. storage_bytes of a file are whole pages; cached pages do not count. Waits
        for a gather on a stream."""
        with _engines.held(self):
            if self._is_on_stream and self._engine is not None:
                self._gathered, self._is_on_stream = SimpleNamespace(**self._engine.finish_on_stream()), False
            return self._gathered

    def gather(self, ids, out=None, stream=None):
        """Gathers rows `ids`, whole numbers, into an array [len(ids), ...]: `out` where that is given.

        Where a GPU gathers, `out` may be an array in its memory, as CuPy, Numba and PyTorch make them
        (`torch.empty(shape, device="cuda")`): rows come there without a copy. The call first waits for all work of that GPU.

        With `stream`, a stream of that GPU (of PyTorch, CuPy, cuda.core, or its address), the call returns at once: rows are in
        `out` for later work of the stream, and work of other streams runs meanwhile. Keep `out` until then
        (`out.record_stream(stream)` tells PyTorch).

        Raises UsageError (no such row, an out of another shape or type, over the rows or with a mask, a stream without an out on a
        GPU), RunError (the file failed), TypeError. Accepts an `out` that maps the file itself.
        """
        ids = self._ids(ids, "ids")
        shape = (ids.size, *self.shape[1:])
        if out is None:
            out = np.empty(shape, self.dtype)
        on_device = hasattr(out, "__cuda_array_interface__")
        room = out.__cuda_array_interface__ if on_device else _room_of(out)
        try:
            address, read_only = room["data"]
            address = number(address, "the address of out", 0, 2**64 - 1)
            fits = room["shape"] == shape and room["typestr"] == self.dtype.str and not read_only and _is_in_order(room)
            found = f"{np.dtype(room['typestr'])} {room['shape']}"
        except Exception as error:  # what an interface holds may be anything
            raise UsageError(f"out says that it is an array, but not where and of what: {reprlib.repr(room)}") from error
        if not fits:
            raise UsageError(f"out is {found}, and the rows are {self.dtype} {shape}, writable, in C order")
        if isinstance(out, np.ma.MaskedArray):
            raise UsageError("out has a mask, which no rows fill: give its .data")
        if not on_device and self._rows is not None and np.may_share_memory(out, self._rows):
            raise UsageError("out is memory of the rows, which are read while it is filled")
        if stream is not None and not on_device:
            raise UsageError("a stream is one of the GPU that has out: give an out in its memory, or leave the stream out")
        with _engines.held(self):
            if self._engine is None:
                self._engine = self._open()
            try:
                if stream is not None:
                    self._engine.gather_on_stream(ids, address, _address_of(stream))
                else:
                    self._gathered = SimpleNamespace(**self._engine.gather(ids, address, on_device))
                self._is_on_stream = stream is not None
            except _engines.CallWithinCall:
                raise
            except RunError:  # one that failed fails from then on
                self._engine = None
                raise
        return out

    def __reduce__(self):
        return _made_again, (self._made_of, self._stamp)

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<graphrun.FeatureTable: {len(self)} rows of {self._row_bytes} bytes>"

    def _ids(self, ids, name):
        ids = whole(ids, name)
        if ids.size and not len(self):
            raise UsageError(f"{name} are of rows, and the table has none")
        if ids.size and not (0 <= ids.min() and ids.max() < len(self)):
            raise UsageError(f"{name} are of rows, from 0 to {len(self) - 1}, not from {ids.min()} to {ids.max()}")
        return np.array(ids, self._id_type)  # a copy: another thread may fill the caller's meanwhile


def _array_of(rows):
    try:
        return np.asarray(rows)
    except ValueError as error:  # rows of several lengths
        if is_array(rows):
            raise
        raise UsageError(f"features are an array of rows of one length, not {reprlib.repr(rows)}") from error


def _room_of(out):
    """Returns the array interface of host memory: of a NumPy array, or of an object that shares its memory with one, such as
    PyTorch's tensors and buffers."""
    if isinstance(out, np.ndarray) or hasattr(out, "__array_interface__"):
        return out.__array_interface__
    if is_array(out):
        view, again = np.asarray(out), np.asarray(out)
        if view.ctypes.data == again.ctypes.data:  # both are alive: neither is a copy
            return view.__array_interface__
    elif hasattr(out, "__dlpack__") and out.__dlpack_device__()[0] == 1:  # memory of the host
        return {**np.from_dlpack(out).__array_interface__, "data": (np.from_dlpack(out).ctypes.data, False)}
    raise TypeError(f"out is an array of NumPy, a tensor or a buffer in memory, or an array in the memory of a GPU, not {type(out).__name__}")


def _address_of(stream):
    """Returns the cudaStream_t of a stream, as a number."""
    if hasattr(stream, "__cuda_stream__"):  # (version, address)
        protocol = stream.__cuda_stream__
        return number((protocol() if callable(protocol) else protocol)[1], "the address of stream", 0, 2**64 - 1)
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, others
        if isinstance(getattr(stream, name, None), int):
            return number(getattr(stream, name), "the address of stream", 0, 2**64 - 1)
    return number(stream, "stream", 0, 2**64 - 1)


def _is_cpu(device):
    """Returns whether host threads gather, for the names that the library's canonical_device() takes: case, - and _ do not
    matter."""
    name = str(device).lower().replace("-", "").replace("_", "")
    return name == "cpu" or (name == "auto" and "cuda" in _core.build_info()["missing"])


def _open_as_it_was(path, stamp, open_file, *given):
    check_unchanged(path, stamp)
    return open_file(*given)


def _made_again(made_of, stamp):
    """Makes a table again from its pickle."""
    if stamp is not None:
        check_unchanged(made_of[0], stamp)
    return FeatureTable(*made_of)


def _mapped(path):
    """Maps the array in a NumPy file."""
    try:
        with open(path, "rb") as file:
            is_one = file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
        if is_one:
            return np.load(path, mmap_mode="r")
    except Exception as error:  # a damaged header is an error of any type
        raise DataError(f"{path}: {error}") from None
    raise DataError(f"{path} is no .npy file, in which numpy.save() puts one array: rows come from such a file or from an array")


def _is_in_order(room):
    """Returns whether an array's elements are contiguous, by its interface."""
    strides = room.get("strides")
    if strides is None:
        return True
    expected = np.dtype(room["typestr"]).itemsize
    for length, stride in zip(reversed(room["shape"]), reversed(strides)):
        if length > 1 and stride != expected:
            return False
        expected *= length
    return True
