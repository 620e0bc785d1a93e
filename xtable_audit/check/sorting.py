"""Whether sorting would spare readers files for a predicate, and the statement that sorts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from xtable_audit.claims.layout import overlapping
from xtable_audit.formats.check_support import Advice
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.own_table import PredicateRow
from xtable_audit.model.predicate import Predicate, columns_of
from xtable_audit.planning.judge_planner import select
from xtable_audit.table.stored_metrics import StoredMetrics

Mask = np.ndarray[Any, np.dtype[np.bool_]]
WORTH = 2
"""How many times as many planned files must overlap as sorted rows would fill."""


def with_sorting(
    advice: Advice,
    row: PredicateRow,
    predicate: Predicate,
    exact: StoredMetrics,
    writer: MetadataWriter,
    names: Mapping[str, str],
) -> PredicateRow:
    """The row with the advice to sort by the predicate's column, if as many files would be planned by exact bounds.

    `exact` is the metadata with the actual values as bounds. Files that XTable translated are not rewritten.
    """
    columns = sorted(columns_of(predicate))
    compared = row.read == row.live and row.rows_matching is not None and not row.lost
    if writer.is_xtable or not advice.sort:
        return row
    if not compared or exact.older or len(columns) != 1 or not columns[0].isidentifier():
        return row
    kept = select(exact, predicate)
    ranges = exact.columns[columns[0]].select(["lower", "upper"]).rename_columns(["min", "max"])
    if overlapping(ranges, np.flatnonzero(kept).tolist()).sum() < WORTH * _filled(exact, kept, row.rows_matching or 0):
        return row
    size = int(np.asarray(exact.files["size"].fill_null(0))[kept].mean())
    return replace(row, advice=f"{advice.sort_by}: {advice.sort.format(**names, column=columns[0], size=size)}")


def _filled(stored: StoredMetrics, kept: Mask, rows: int) -> int:
    """Files that hold these rows, if each is full of them; one in each partition of the files that are kept."""
    each = np.asarray(stored.files["record_count"].fill_null(0))[kept]
    return max(_partitions(stored, kept), int(np.ceil(rows / max(each.mean(), 1))) if len(each) else 0, 1)


def _partitions(stored: StoredMetrics, kept: Mask) -> int:
    names = stored.partition.column_names
    return stored.partition.filter(pa.array(kept)).group_by(names).aggregate([]).num_rows if names else 1
