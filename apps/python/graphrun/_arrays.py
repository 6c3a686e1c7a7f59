"""Arguments as the module takes them: arrays of NumPy, numbers and switches."""

import operator
import reprlib
from collections.abc import Sequence

import numpy as np

from ._errors import UsageError


def whole(values, name):
    array = _column(values, name, "whole numbers")
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} is a list or an array of whole numbers, not of {array.dtype}")
    return _native_order(array if array.dtype.itemsize >= 4 else array.astype(np.int32))


def weights_of(values):
    if values is None:
        return None
    array = _column(values, "weights", "numbers")
    if array.dtype.kind == "b" or (array.dtype.kind in "iu" and array.dtype.itemsize < 4):
        return array.astype(np.int32)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise TypeError(f"weights are whole numbers or floats, not {array.dtype}")
    return _native_order(array)


def number(value, name, least, most):
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {reprlib.repr(value)}") from None
    if not least <= found <= most:
        raise UsageError(f"{name} is from {least} to {most}, not {found}")
    return found


def switch(value, name):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is True or False, not {reprlib.repr(value)}")
    return bool(value)


def _column(values, name, kind):
    try:
        array = np.asarray(values if hasattr(values, "__array__") or isinstance(values, Sequence) else list(values))
    except (TypeError, ValueError):  # nothing to go through, or lists of several lengths
        array = None
    if array is None or array.ndim == 0:
        raise TypeError(f"{name} is a list or an array of {kind}, not {reprlib.repr(values)}")
    if array.ndim > 1:
        raise UsageError(f"{name} has {array.ndim} dimensions, not 1")
    return array


def _native_order(array):
    return array.astype(array.dtype.newbyteorder("="), copy=False)
