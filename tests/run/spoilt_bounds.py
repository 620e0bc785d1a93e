"""No bounds of one column, or of any, in a recorded table. `-p tests.run.spoilt_bounds` plants it in a run.

SPOILT names table and column, or every one: `edge_column_back:x`, `types_nan_plain:*`.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pyarrow as pa

from lab.provision import translated
from xtable_audit.formats.targets import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

TABLE, _, COLUMN = os.environ["SPOILT"].partition(":")


def spoilt(objects: Objects, metadata_location: str) -> StoredMetrics:
    stored = read_stored(objects, metadata_location)
    if f"/{TABLE}/" not in metadata_location:
        return stored
    without = {name: _without(column) for name, column in stored.columns.items() if COLUMN in (name, "*")}
    return replace(stored, columns={**stored.columns, **without})


def _without(column: pa.Table) -> pa.Table:
    for bound in ("lower", "upper"):
        nothing = pa.nulls(column.num_rows, column[bound].type)
        column = column.set_column(column.column_names.index(bound), bound, nothing)
    return column


vars(translated)["read_stored"] = spoilt
