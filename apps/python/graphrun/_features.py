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

    rows: an array of one row a vertex, [n, ...], of any type without objects, in C order; or the path of such an array in a file
    of NumPy (.npy), of which `cache` bytes (64 MiB) are held in pages of `page` bytes (4 KiB), and the rows `hot`, numbers of rows,
    each once, in memory as well. With `hot` rows the table takes 4 bytes more for each of all rows (8 for 2^32 rows or more). An array
    stays where it is and is kept alive.

    device: "cuda" or "cuda:N" has a GPU gather an array; the rows are copied to host memory that its warps read over the link,
    and those of `hot` to its own memory as well. "cuda:0-3" has the first gather, and deals the rows of `hot` out over the memory
    of all of them. "auto" is a GPU where one works, else "cpu". aligned=False leaves out the shift that keeps reads on whole lines,
    for comparing. multiprocessors=N lets as many of the GPU's gather, and leaves the others to what trains meanwhile. threads: of
    the host, 0 for all.

    A child process that fork() made, such as a worker of a DataLoader, opens the table anew when it first gathers. A GPU cannot
    gather there: start the child by "spawn". A table that is pickled for it has the path of its file, or a copy of its array.

    Raises UsageError, DataError (no file of NumPy, or one that is cut off or, opened anew, was changed), UnavailableError (no GPU),
    TypeError.
    """

    def __init__(self, rows, device="cpu", hot=(), aligned=True, cache=None, page=None, threads=0, multiprocessors=0):
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
        self._made_of = rows if path is None else path, device, hot, aligned, cache, page, threads, multiprocessors
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
        )
        self.gathered = None
        self._rows = None if in_file else rows
        if in_file:
            given = os.fsencode(path), rows.offset, len(rows), *options
            self._open = functools.partial(_open_as_it_was, path, stamp, getattr(_core, f"features_of_file{width}"), *given)
        else:
            self._open = functools.partial(getattr(_core, f"features{width}"), rows.reshape(-1).view(np.uint8), *options)
        _engines.will_hold(self)
        self._engine = self._open()

    def gather(self, ids, out=None):
        """Rows `ids`, whole numbers: an array [len(ids), ...], which is `out` where that is given.

        Where a GPU gathers, `out` may be an array in its memory, as CuPy, Numba and PyTorch make them
        (`torch.empty(shape, device="cuda")`): rows come there without a copy. The call first waits for all work of that GPU.

        `gathered`, None before, says what the last call of any thread took: time_ms, and device_bytes, peer_bytes (of other GPUs),
        host_bytes and storage_bytes of the tiers that had the rows. Of a file storage_bytes are whole pages, and rows of pages that
        the cache had count nowhere. Raises UsageError (no such row, an out of another shape or type,
        over the rows or with a mask), RunError (the file failed), TypeError. An `out` that is a map of the file itself is not refused.
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
        with _engines.held(self):
            if self._engine is None:
                self._engine = self._open()
            try:
                self.gathered = SimpleNamespace(**self._engine.gather(ids, address, on_device))
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
    """The interface of an array in memory of the host: of NumPy's own, or of what shares its memory with one, as tensors of PyTorch and
    buffers do."""
    if isinstance(out, np.ndarray) or hasattr(out, "__array_interface__"):
        return out.__array_interface__
    if is_array(out):
        view, again = np.asarray(out), np.asarray(out)
        if view.ctypes.data == again.ctypes.data:  # both are alive: neither is a copy
            return view.__array_interface__
    elif hasattr(out, "__dlpack__") and out.__dlpack_device__()[0] == 1:  # memory of the host
        return {**np.from_dlpack(out).__array_interface__, "data": (np.from_dlpack(out).ctypes.data, False)}
    raise TypeError(f"out is an array of NumPy, a tensor or a buffer in memory, or an array in the memory of a GPU, not {type(out).__name__}")


def _is_cpu(device):
    """Whether host threads gather, by the names that canonical_device() of the library takes: case, - and _ do not matter."""
    name = str(device).lower().replace("-", "").replace("_", "")
    return name == "cpu" or (name == "auto" and "cuda" in _core.build_info()["missing"])


def _open_as_it_was(path, stamp, open_file, *given):
    check_unchanged(path, stamp)
    return open_file(*given)


def _made_again(made_of, stamp):
    """A table that was pickled."""
    if stamp is not None:
        check_unchanged(made_of[0], stamp)
    return FeatureTable(*made_of)


def _mapped(path):
    """The array in a file of NumPy."""
    try:
        with open(path, "rb") as file:
            is_one = file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX
        if is_one:
            return np.load(path, mmap_mode="r")
    except Exception as error:  # a damaged header is an error of any type
        raise DataError(f"{path}: {error}") from None
    raise DataError(f"{path} is no .npy file, in which numpy.save() puts one array: rows come from such a file or from an array")


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
