"""The live rows of a data file: rows that no position delete, deletion vector or equality delete removes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.model.wanted import Deletes, EqualityDelete, WantedColumn
from xtable_audit.values.value_codes import combined, numbered

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def live_rows(rows: int, first: int, deletes: Deletes, values: Callable[[WantedColumn], pa.Array]) -> Mask | None:
    """Marks the live rows among `rows` rows from row `first`; None if all are live.

    Null equals null (Iceberg spec, Equality Delete Files).
    """
    deleted = deletes.positions
    live = np.ones(rows, dtype=bool)
    here = deleted[np.searchsorted(deleted, first) : np.searchsorted(deleted, first + rows)]
    live[here - first] = False
    for columns, keys in _together(deletes.equality):
        pairs = [numbered(values(column), keys[column.path]) for column in columns]
        mine, gone = combined(pairs)
        live &= ~np.isin(mine, gone)
    return None if live.all() else live


def _together(deletes: Iterable[EqualityDelete]) -> Iterator[tuple[tuple[WantedColumn, ...], pa.Table]]:
    """Deletes by the same columns as one: a stream leaves thousands of them, and values are looked up once for all."""
    keys: dict[object, tuple[tuple[WantedColumn, ...], list[pa.Table]]] = {}
    for one in deletes:
        keys.setdefault(tuple((column.field_id, column.arrow) for column in one.columns), (one.columns, []))[1].append(
            one.keys
        )
    for columns, tables in keys.values():
        yield columns, pa.concat_tables(tables)
