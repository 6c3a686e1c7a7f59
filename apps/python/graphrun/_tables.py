# SPDX-License-Identifier: Apache-2.0
"""Tables of columns, in and out: of pandas, polars, pyarrow, DuckDB and Parquet files. Arrow's C data interface is the common form;
frames of pandas are read by NumPy."""

import html
import os
import reprlib
from collections.abc import Mapping
from itertools import chain

import numpy as np

from . import _core
from ._arrays import is_array, whole
from ._errors import UnavailableError, UsageError


class Table:
    """Columns of one length, by name: arrays of numbers, or of strings. `polars.DataFrame(table)`, `pyarrow.table(table)` and what
    else reads `__arrow_c_stream__` take it; numbers are not copied."""

    def __init__(self, columns):
        self.columns = columns

    def __arrow_c_stream__(self, requested_schema=None):
        return _core.give_arrow([(name, _for_arrow(column)) for name, column in self.columns.items()])

    def to_pandas(self, index=None):
        """Returns a DataFrame; `index`: the column that becomes its index."""
        import pandas

        frame = pandas.DataFrame(self.columns)
        return frame if index is None else frame.set_index(index)

    def to_parquet(self, path):
        """Writes a Parquet file through pyarrow. Raises UnavailableError without it."""
        parquet = _parquet()
        import pyarrow

        parquet.write_table(pyarrow.table(self), os.fspath(path))

    def __repr__(self):
        return f"<Table: {', '.join(f'{name} {column.dtype}' for name, column in self.columns.items())}>"


def html_of(title, facts):
    """Returns a table of facts for notebooks."""
    rows = "".join(
        f"<tr><th>{html.escape(str(name))}</th><td>{html.escape(str(fact))}</td></tr>" for name, fact in facts.items()
    )
    return f"<table><caption>{html.escape(title)}</caption>{rows}</table>"


def _for_arrow(column):
    if column.dtype == object:
        return column.tolist()
    return np.ascontiguousarray(column.astype(column.dtype.newbyteorder("="), copy=False))


def _parquet():
    try:
        import pyarrow.parquet
    except ImportError:
        raise UnavailableError(
            "Parquet files are read and written through pyarrow, which is not installed: pip install pyarrow"
        ) from None
    return pyarrow.parquet


def columns_of(table, wanted):
    """Returns the columns of a table that are `wanted`, by name or position from 0: arrays or lists. Raises UsageError for one that
    it lacks, or with missing values, and UnavailableError for a Parquet file without pyarrow."""

    def chosen(names):
        if len(set(names)) != len(names):
            raise UsageError(f"two columns of the table have one name: {', '.join(map(str, names))}")
        positions = []
        for each in wanted:
            if each in names:
                positions.append(list(names).index(each))
            elif isinstance(each, int) and not isinstance(each, bool) and 0 <= each < len(names):
                positions.append(each)
            else:
                raise UsageError(f"the table has no column {each!r}: it has {', '.join(map(str, names))}")
        return positions

    if isinstance(table, (str, bytes, os.PathLike)):
        parquet, file = _parquet(), os.fsdecode(table)
        names = parquet.read_schema(file).names
        wanted = [names[i] for i in chosen(names)]
        table = parquet.read_table(file, columns=list(dict.fromkeys(wanted)))
    if isinstance(table, Mapping):
        names = list(table)
        return [table[names[i]] for i in chosen(names)]
    if type(table).__module__.split(".")[0] == "pandas":
        return [_of_pandas(table.iloc[:, i]) for i in chosen(list(table.columns))]
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(
            "table is a DataFrame of pandas or polars, a table of Arrow, the name of a Parquet file or a mapping of columns, not "
            f"{reprlib.repr(table)}"
        )
    return _core.read_arrow(table.__arrow_c_stream__(), chosen)[1]


def _of_pandas(series):
    if series.hasnans:
        raise UsageError(f"column {series.name} has no value in row {int(series.isna().to_numpy().argmax())}")
    return series.to_numpy()


def numbered(sources, targets):
    """Returns columns of names as arrays of vertices, and the vertices' names: numbers ascending, others in the order in which rows
    name them."""
    columns = [np.asarray(each) if is_array(each) else each for each in (sources, targets)]
    columns = [each.tolist() if isinstance(each, np.ndarray) and each.dtype == object else each for each in columns]
    if all(_are_numbers(each) for each in columns):
        columns = [whole(each, "a column of vertices") for each in columns]
        if {each.dtype.kind for each in columns} == {"i", "u"}:  # NumPy would make floats of both
            columns = _of_one_type(columns)
        labels, ends = np.unique(np.concatenate(columns), return_inverse=True)
        return ends[: len(columns[0])], ends[len(columns[0]) :], labels
    lists = [each.tolist() if isinstance(each, np.ndarray) else list(each) for each in columns]
    for each in lists:
        strange = set(map(type, each)) - {str, int, tuple, bytes}
        if strange:
            first = next(name for name in each if type(name) in strange)
            raise TypeError(f"vertices have whole numbers or strings as names, not {reprlib.repr(first)}")
    nodes = _core.Nodes(list(dict.fromkeys(chain.from_iterable(zip(*lists)))))
    return nodes.find_all(lists[0]), nodes.find_all(lists[1]), nodes.list


def _of_one_type(columns):
    """Returns columns of signed and unsigned numbers as int64, or uint64 where none is negative."""
    if all(each.size == 0 or each.min() >= 0 for each in columns):
        return [each.astype(np.uint64) for each in columns]
    if any(each.size != 0 and each.max() >= 2**63 for each in columns):
        raise UsageError("vertices have numbers below 0 and numbers from 2^63 on: no type of whole numbers holds both")
    return [each.astype(np.int64) for each in columns]


def _are_numbers(column):
    return column.dtype.kind in "iu" if isinstance(column, np.ndarray) else set(map(type, column)) == {int}
