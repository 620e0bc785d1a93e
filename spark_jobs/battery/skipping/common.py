"""What the laboratory's tables share: Hudi's column and partition statistics, and a small table of two states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, Step, file, write
from spark_jobs.battery.variants import INDEX, INDEX_COLUMNS

STATISTICS = INDEX | {"hoodie.metadata.index.partition.stats.enable": "true"}
ZIPS = {"state": pa.string(), "zip_code": pa.string()}


def lab(
    name: str, description: str, *steps: Step, columns: str = "zip_code", options: Mapping[str, str] | None = None
) -> BatteryTable:
    """A table partitioned by `state`, with statistics of these columns (separated by commas; "" for all)."""
    listed = {INDEX_COLUMNS: columns} if columns else {}
    return BatteryTable(
        f"skip_{name}",
        description,
        steps,
        partition_by=("state",),
        partition_spec="state:VALUE",
        options=STATISTICS | listed | dict(options or {}),
    )


def zips(state: str, keys: Sequence[str], *codes: str) -> File:
    """Rows of one state with these keys and zip codes."""
    return file(record_key=list(keys), state=state, zip_code=list(codes))


FIRST = write(
    "bulk_insert",
    ZIPS,
    zips("NY", ["n1", "n2"], "10001", "10300"),
    zips("NY", ["n3", "n4"], "10200", "14999"),
    zips("CA", ["c1", "c2"], "90001", "90500"),
    zips("CA", ["c3", "c4"], "95000", "96199"),
    words="two files in NY, two in CA",
)
