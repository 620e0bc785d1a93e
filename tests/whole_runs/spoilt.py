"""False or missing bounds in a recorded table. `-p tests.whole_runs.spoilt` plants them in a run.

SPOILT names the table and the column, or every column, that lose their bounds: `edge_column_back:x`,
`types_nan_plain:*`. Without it the table is one with a known finding, and one lower bound more is false.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pyarrow as pa

from lab.provision import translator_output
from xtable_audit.formats.installed import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

TABLE, COLUMN = "types_nan_plain", "record_key"
ABOVE = "zzz"
"""Greater than every value of the column."""
NAMED = os.environ.get("SPOILT")


def spoilt(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics, spoilt if they are of that table."""
    stored = read_stored(objects, metadata_location)
    table, _, column = (NAMED or f"{TABLE}:{COLUMN}").partition(":")
    if f"/{table}/" not in metadata_location:
        return stored
    change = _raised if NAMED is None else _without
    changed = {name: change(bounds) for name, bounds in stored.columns.items() if column in (name, "*")}
    return replace(stored, columns={**stored.columns, **changed})


def _raised(column: pa.Table) -> pa.Table:
    lower = pa.array([ABOVE] * column.num_rows, column["lower"].type)
    return column.set_column(column.column_names.index("lower"), "lower", lower)


def _without(column: pa.Table) -> pa.Table:
    for bound in ("lower", "upper"):
        nothing = pa.nulls(column.num_rows, column[bound].type)
        column = column.set_column(column.column_names.index(bound), bound, nothing)
    return column


vars(translator_output)["read_stored"] = spoilt
