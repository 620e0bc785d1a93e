"""Which rows of a data file are live: those that no position, deletion vector or equality delete takes away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.model.wanted import Column, Deletes
from xtable_audit.values.value_codes import combined, numbered

Mask = np.ndarray[Any, np.dtype[np.bool_]]


def live_rows(rows: int, first: int, deletes: Deletes, values: Callable[[Column], pa.Array]) -> Mask | None:
    """Of `rows` rows of the file from row `first` on; None where all of them are.

    Iceberg spec, Equality Delete Files: null equals null there.
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
