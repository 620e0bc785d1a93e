"""The live rows of a data file: rows that no position delete, deletion vector or equality delete removes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.model.wanted import Column, Deletes
from xtable_audit.values.value_codes import combined, numbered

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def live_rows(rows: int, first: int, deletes: Deletes, values: Callable[[Column], pa.Array]) -> Mask | None:
    """Marks the live rows among `rows` rows from row `first`; None if all are live.

    Null equals null (Iceberg spec, Equality Delete Files).
    """
    deleted = deletes.positions
    live = np.ones(rows, dtype=bool)
    here = deleted[np.searchsorted(deleted, first) : np.searchsorted(deleted, first + rows)]
    live[here - first] = False
    for delete in deletes.equality:
        pairs = [numbered(values(column), delete.keys[column.path]) for column in delete.columns]
        mine, gone = combined(pairs)
        live &= ~np.isin(mine, gone)
    return None if live.all() else live
