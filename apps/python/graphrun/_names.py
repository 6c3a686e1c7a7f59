# SPDX-License-Identifier: Apache-2.0
"""Names of a graph's vertices, and the vertex of a name."""

import operator
import reprlib
from collections.abc import Mapping

import numpy as np

from . import _core
from ._arrays import is_array, utf8, whole
from ._errors import UsageError

_WHOLE = {int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])}


class Names:
    """The names of a graph's vertices. Caches an array of all names, and an index by name."""

    def __init__(self, native):
        self._native = native
        self._array = None
        self._index = None

    def call(self, labels):
        """Gives the vertices the names `labels`."""
        labels, different = _listed(labels)
        n = self._native.num_vertices
        if len(labels) != n:
            raise UsageError(f"there are {len(labels)} labels of {n} vertices")
        if len(different) != n:
            seen = set()
            twice = next(label for label in labels if label in seen or seen.add(label))
            raise UsageError(f"labels has {twice!r} twice, and no two vertices have one name")
        numbers = labels if isinstance(labels, np.ndarray) else _as_numbers(labels)
        if numbers is not None:
            if (numbers != np.arange(n, dtype=np.uint64)).any():
                self._native.call_by_numbers(numbers)
            return
        if set(map(type, labels)) == {str} and (joined := "".join(labels)).isascii():
            self._native.call_by_strings(joined.encode(), np.fromiter(map(len, labels), np.uint64, n))
            return
        texts = [utf8(str(label), "labels") for label in labels]
        first = dict(zip(reversed(texts), reversed(labels)))
        if len(first) != len(texts):
            one, other = next((first[text], label) for text, label in zip(texts, labels) if first[text] != label)
            raise UsageError(f"labels has {one!r} and {other!r}, which are the same name as texts")
        self._native.call_by_strings(b"".join(texts), np.fromiter(map(len, texts), np.uint64, n))
        if not all(isinstance(label, str) for label in labels):
            self._array = _objects(labels)

    def array(self):
        """Returns all names, read-only: numbers, or objects where they are strings or nodes of networkx."""
        if self._array is None:
            names = self._native.names
            if isinstance(names, int):
                names = np.arange(names, names + self._native.num_vertices, dtype=np.uint64)
            self._array = _objects(names) if isinstance(names, list) else names
        view = self._array.view()
        view.flags.writeable = False
        return view

    def find(self, name):
        """Returns the vertex named `name`, or None. Finds a number also by its digits, and digits also as a number."""
        first = self._native.first_name
        if first is not None:
            number = _number(name)
            return number - first if number is not None and first <= number < first + self._native.num_vertices else None
        if self._index is None:
            names = self.array()
            self._index = _Sorted(names) if names.dtype == np.uint64 else _core.Nodes(names.tolist())
        if isinstance(self._index, _Sorted):
            number = _number(name)
            return None if number is None else self._index.find(number)
        for spelt in (name, str(name)) if isinstance(name, (int, np.integer)) else (name,):
            try:
                return self._index[spelt]
            except (KeyError, TypeError):  # TypeError: a list, which is no name
                pass
        return None

    def find_each(self, names):
        """Returns the vertices of a list or an array of names: int64[k]. Raises KeyError for the first unknown one."""
        listed = np.asarray(names).tolist() if is_array(names) else list(names)
        self.find(None)  # makes the index
        first = self._native.first_name
        if set(map(type, listed)) == {int} and min(listed) >= 0 and max(listed) < 2**63 and not isinstance(self._index, _core.Nodes):
            numbers = np.array(listed, np.int64)
            if first is None:
                found = self._index.find_all(numbers.astype(np.uint64))
            else:
                found = np.where((numbers >= first) & (numbers - first < self._native.num_vertices), numbers - first, -1)
        else:
            found = self._index.find_all(listed) if isinstance(self._index, _core.Nodes) else np.full(len(listed), -1)
            for i in np.flatnonzero(found < 0).tolist():  # numbers by their digits
                vertex = self.find(listed[i])
                found[i] = -1 if vertex is None else vertex
        if (found < 0).any():
            raise KeyError(listed[int((found < 0).argmax())])
        return found

    def of(self, vertices):
        """Returns the names of some vertices by number: an array."""
        first = self._native.first_name
        return self.array()[vertices] if first is None else np.asarray(vertices).astype(np.uint64) + np.uint64(first)

    def find_all(self, names, what):
        """Returns the vertices of `names`, a list or an array: a list of numbers."""
        first = self._native.first_name
        if is_array(names):
            names = np.asarray(names)
            if names.ndim != 1:
                raise UsageError(f"{what} has {names.ndim} dimensions, not 1")
        if first is not None and (isinstance(names, range) or len(names) and set(map(type, names)) <= _WHOLE):
            numbers = whole(names, what)
            bad = np.nonzero((numbers < first) | (numbers >= first + self._native.num_vertices))[0]
            if bad.size:
                raise self.unknown(int(numbers[bad[0]]))
            return (numbers - numbers.dtype.type(first)).tolist()
        return [self.vertex(name) for name in (names.tolist() if isinstance(names, np.ndarray) else names)]

    def vertex(self, name):
        """Returns the vertex named `name`. Raises UsageError, and TypeError for an object that cannot be a name."""
        if hasattr(name, "item") and getattr(name, "ndim", None) == 0:
            name = name.item()
        found = None if isinstance(name, bool) else self.find(name)
        if found is None and isinstance(name, (bool, float, list, set)):
            raise TypeError(f"source is the name of a vertex, and no name is {name!r}")
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name):
        """Returns the error for an unknown `name`."""
        n, first = self._native.num_vertices, self._native.first_name
        said = name if isinstance(name, (int, np.integer)) else reprlib.repr(name)
        if first is not None:
            has = f"the graph has vertices {first} to {first + n - 1}" if n else "the graph has no vertices"
        else:
            has = "the input has none of that name"
        by_number = f"; the vertex of number {name} is index={name}" if first != 0 and _is_below(name, n) else ""
        return UsageError(f"{said} is not a vertex: {has}{by_number}")


class _Sorted:
    """Numbers with their indices, found by bisection."""

    def __init__(self, numbers):
        self._order = np.argsort(numbers, kind="stable")  # finds the first of equal ones
        self._sorted = numbers[self._order]

    def find(self, number):
        found = int(self.find_all(np.array([number], np.uint64))[0])
        return None if found < 0 else found

    def find_all(self, numbers):
        """Returns the indices of uint64[k], -1 for unknown ones."""
        if not len(self._sorted):
            return np.full(len(numbers), -1)
        places = np.minimum(np.searchsorted(self._sorted, numbers), len(self._sorted) - 1)
        return np.where(self._sorted[places] == numbers, self._order[places], -1)


def sources_of(names, source):
    """What `source` means: a text that the program reads, the number of one vertex, or a list of numbers.

    A list, an array, a range and a set are all whose names they hold. A tuple or a frozenset
    is a name where a vertex is called so."""
    if isinstance(source, str):
        word = source.split(":")[0].lower().replace("-", "").replace("_", "")
        if word in ("maxdegree", "random", "index") and names.find(source) is not None:
            raise UsageError(f"source {source!r} is the name of a vertex, and a word, too: write [{source!r}], or index={names.find(source)}")
        return source
    if isinstance(source, Mapping):
        raise TypeError(f"source is the name of a vertex, or a list of names, not {reprlib.repr(dict(source))}")
    if isinstance(source, (tuple, frozenset)) and names.find(source) is not None:
        if source and None not in map(names.find, source):
            raise UsageError(f"source {source!r} is a vertex, and holds vertices, too: write [{source!r}] or {list(source)!r}")
        return names.find(source)
    if not (is_array(source) or hasattr(source, "__iter__")) or getattr(source, "ndim", 1) == 0:
        return names.vertex(source)
    return names.find_all(source if is_array(source) or isinstance(source, range) else list(source), "source")


def numbers_of(index, num_vertices):
    """Does the same for `index`, vertices by number."""
    if isinstance(index, (bool, np.bool_, str)):
        raise TypeError(f"index is the number of a vertex, or a list of numbers, not {index!r}")
    try:
        one = operator.index(index)
    except TypeError:
        one = None
    numbers = whole(index, "index").tolist() if one is None else [one]
    for number in numbers:
        if not 0 <= number < num_vertices:
            raise UsageError(f"vertex {number} is not in the graph, which has {num_vertices} vertices")
    return numbers if one is None else one


def shares_of(source):
    """Returns the names with a share, and their shares as a text; None where these are equal. Raises UsageError for shares below 0."""
    kept = {name: share for name, share in source.items() if share != 0}
    if any(not 0 < share < float("inf") for share in kept.values()):
        raise UsageError(f"a share is a number above 0, or 0: {reprlib.repr(dict(source))}")
    return list(kept), None if len(set(kept.values())) < 2 else shares_text(kept.values())


def shares_text(shares):
    """Returns shares as the option has them."""
    return ",".join(str(float(share)) for share in shares)


def _number(name):
    """Returns the number that a name spells, or None."""
    if isinstance(name, (bool, np.bool_)):
        return None
    if isinstance(name, str):
        if not (name.isascii() and name.isdigit() and len(name) <= len(str(2**64))):
            return None
    try:
        number = int(name) if isinstance(name, str) else operator.index(name)
    except TypeError:
        return None
    return number if 0 <= number < 2**64 else None


def _is_below(name, n):
    return isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < n


def _listed(labels):
    """Returns labels as an array of numbers, or as a list of hashable objects, and their distinct ones."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iu" and (labels >= 0).all():
        return labels.astype(np.uint64), np.unique(labels)
    try:
        if isinstance(labels, (str, bytes, bytearray, set, frozenset)):  # sets have no order
            raise TypeError
        labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        return labels, set(labels)
    except TypeError:
        raise TypeError(f"labels is a list of names that can be hashed, such as strings, not {reprlib.repr(labels)}") from None


def _as_numbers(labels):
    """Returns an array of labels that are all numbers from 0, else None."""
    kinds = set(map(type, labels))
    if not all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        return None
    if labels and not (min(labels) >= 0 and max(labels) < 2**64):
        return None
    return np.array(labels, dtype=np.uint64)


def _objects(names):
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array
