"""Arrays of NumPy as the module takes them."""

import numpy as np


def whole(values, name):
    array = np.asarray(values)
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} are whole numbers, not {array.dtype}")
    return _native_order(array if array.dtype.itemsize >= 4 else array.astype(np.int32))


def _native_order(array):
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def weights_of(values):
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.dtype.itemsize < 4):
        return array.astype(np.int32)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise TypeError(f"weights are whole numbers or floats, not {array.dtype}")
    return _native_order(array)
