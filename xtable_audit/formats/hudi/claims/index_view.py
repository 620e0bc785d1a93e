"""Hudi's indexes as stored metrics with the actual ones beside them, one row per live file or partition."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.hudi.actual_values import actual_metrics, column_values
from xtable_audit.formats.hudi.index import Kind, stored_metrics
from xtable_audit.formats.hudi.indexed_table import HudiStage
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.model.truncation import Side
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.table.plain_files import files_table
from xtable_audit.table.plain_table import PlainTable
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.actual_metrics import ActualMetrics

Mask = np.ndarray[Any, np.dtype[np.bool_]]


class WholeBounds(TargetRules):
    """Hudi cuts no bound."""

    def are_truncated(self, bounds: pa.ChunkedArray, values: pa.ChunkedArray, side: Side) -> Mask:
        return np.zeros(len(bounds), dtype=bool)


HUDI_RULES = WholeBounds("hudi")


@lru_cache(maxsize=1024)
def view(stage: HudiStage, kind: Kind) -> Case:
    """The index, with the columns that the table has and that have a record; as `index.stored_metrics`."""
    stored, actual, undecodable = {}, {}, {}
    live = pa.array(stage.live(kind), pa.string())
    for column in recorded_columns(stage, kind):
        if column_values(stage, column) is not None:
            actual[column], records = actual_metrics(stage, kind, column), records_of(stage, kind, column)
            records = records.take(pc.index_in(live, records["of"].combine_chunks()))
            stored[column], why = stored_metrics(records, actual[column]["min"].type)
            if why.null_count < len(why):
                undecodable[column] = why
    rows = {one["values"]: one["counts"] for one in stage.of_rows(kind).value_counts().to_pylist()}
    listed = live.to_pylist()
    files = files_table(stage.words, listed, [None] * len(listed), [rows.get(one, 0) for one in listed])
    table = PlainTable(HUDI_RULES, stage.values.schema)
    metrics = StoredMetrics(stage.words, table, table.leaves, files, (), stored, 0, undecodable=undecodable)
    return Case(stage.words, metrics, ActualMetrics(files, actual), UNKNOWN_SOURCE)


def recorded_columns(stage: HudiStage, kind: Kind) -> list[str]:
    """The columns with records in an index of the stage, sorted; empty if the table lacks the index."""
    if kind not in stage.indexed:
        return []
    return sorted(stage.index.filter(pc.equal(stage.index["kind"], kind))["column"].unique().to_pylist())


def records_of(stage: HudiStage, kind: Kind, column: str) -> pa.Table:
    """The records of one column, also of what is not live."""
    return stage.index.filter((pc.field("kind") == kind) & (pc.field("column") == column))
