"""One false bound more in a recorded table that has a known finding. `-p tests.run.spoilt` plants it in a run."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from lab.provision import translated
from xtable_audit.formats.targets import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.table.stored_metrics import StoredMetrics

TABLE, COLUMN = "types_nan_plain", "record_key"
ABOVE = "zzz"
"""Greater than every value of the column."""


def spoilt(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics, with a lower bound of `COLUMN` above its values if it is that table."""
    stored = read_stored(objects, metadata_location)
    if f"/{TABLE}/" not in metadata_location:
        return stored
    column = stored.columns[COLUMN]
    lower = pa.array([ABOVE] * column.num_rows, column["lower"].type)
    column = column.set_column(column.column_names.index("lower"), "lower", lower)
    return replace(stored, columns={**stored.columns, COLUMN: column})


vars(translated)["read_stored"] = spoilt
