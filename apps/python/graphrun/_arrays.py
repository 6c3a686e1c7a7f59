# SPDX-License-Identifier: Apache-2.0
"""Converts arguments for the module: arrays of NumPy, numbers, switches and texts."""

import operator
import os
import reprlib
from collections.abc import Sequence

import numpy as np

from ._errors import DataError, UsageError

_BOOLS = {bool, np.bool_}


def whole(values, name):
    array = _column(values, name, "whole numbers")
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} is a list or an array of whole numbers, not of {array.dtype}")
    if isinstance(values, (list, tuple)) and not _BOOLS.isdisjoint(map(type, values)):
        raise TypeError(f"{name} is a list or an array of whole numbers, not of bool")
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
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise UsageError(f"weights[{np.isnan(array).argmax()}] is NaN, which is no weight")
    return _native_order(array)


def number(value, name, least, most):
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
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


def utf8(text, name):
    """Returns the bytes of a text. Keeps bytes that are no UTF-8, which Python holds as surrogates."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise UsageError(f"{name} has {text[error.start]!r}, which is no character") from None


def path_of(path):
    """Returns the bytes of the name of a file."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise DataError(f"{reprlib.repr(path)} has a character that no file system takes, and no file has such a name") from None
    if b"\0" in name:
        raise DataError(f"{reprlib.repr(path)} has a null byte, and no file has such a name")
    return name


def _column(values, name, kind):
    array = cause = None
    if isinstance(values, np.ma.MaskedArray):
        raise UsageError(f"{name} has a mask: compressed() or filled() of a masked array makes an array without one")
    if is_array(values):
        array = np.asarray(values)  # what it raises says what to do, as PyTorch does: use Tensor.cpu()
        if array.dtype == object:  # pandas has such arrays for its types that know missing values
            array = _numbers_among(array, name)
    elif not isinstance(values, (set, frozenset)):  # these have no order
        try:
            values = values if isinstance(values, Sequence) else list(values)
            array = np.asarray(values)
            if array.dtype.kind in "fO" and array.size and all(isinstance(each, (int, np.integer)) for each in values):
                least, most = min(values), max(values)  # of numbers from 2^63 up NumPy makes floats or objects
                if least < 0 and most >= 2**63:
                    raise OverflowError
                array = np.array(values, dtype=np.int64 if least < 0 else np.uint64)
        except (TypeError, ValueError) as error:  # nothing to go through, or lists of several lengths
            cause = error
        except OverflowError:
            raise UsageError(f"{name} has numbers that no type of 64 bits holds") from None
    if array is None or array.ndim == 0:
        raise TypeError(f"{name} is a list or an array of {kind}, not {reprlib.repr(values)}") from cause
    if array.ndim > 1:
        raise UsageError(f"{name} has {array.ndim} dimensions, not 1")
    return array


def _numbers_among(objects, name):
    """Converts objects that are all numbers to an array of a numeric type."""
    missing = [i for i, each in enumerate(objects.ravel()) if not isinstance(each, (int, float, np.number)) or isinstance(each, bool)]
    if missing:
        raise TypeError(f"{name}[{missing[0]}] is {reprlib.repr(objects.ravel()[missing[0]])}, and no number")
    return np.array(objects.tolist())


def is_array(values):
    """Returns whether NumPy takes it without a copy."""
    try:
        return hasattr(values, "__array__") or hasattr(values, "__array_interface__") or memoryview(values) is not None
    except TypeError:
        return False


def _native_order(array):
    return array.astype(array.dtype.newbyteorder("="), copy=False)
