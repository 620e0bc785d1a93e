"""plain_types: healthy values of every plain type, in four files that predicates can separate."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, file, write

ROWS = 40
PARTS = ("a", "b", "c", "d")
WORDS = ("alpha", "alphabet", "blé", "éclair")
"""The prefix of each file's strings: one is a prefix of another, two have accents."""

TYPES: dict[str, pa.DataType] = {
    "s": pa.string(),
    "i": pa.int32(),
    "l": pa.int64(),
    "d": pa.float64(),
    "f": pa.float32(),
    "m": pa.decimal128(10, 2),
    "m38": pa.decimal128(38, 10),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
    "b": pa.bool_(),
}
NULLABLE = {f"{name}_n": type_ for name, type_ in TYPES.items()}
"""A twin of each column with nulls: none in the first file, a third and a half in the next two, all in the last."""

# A value for row r of file n. Of s, i, d, m and day the files share no value; of the others neighbours overlap.
VALUES: dict[str, Callable[[int, int], Any]] = {
    "s": lambda n, r: f"{WORDS[n]}-{r:02d}",
    "i": lambda n, r: 100 * (n - 1) + r,
    "l": lambda n, r: 10**12 + 20 * n + r,
    "d": lambda n, r: 10.0 * (n - 2) + r / 8,
    "f": lambda n, r: 4.0 * n + r / 4 - 3,
    "m": lambda n, r: Decimal(1000 * (n - 1) + 25 * r).scaleb(-2),
    "m38": lambda n, r: Decimal(10**18 * (20 * n + r) + 1).scaleb(-10),
    "day": lambda n, r: date(2023, 1, 1) + timedelta(days=60 * n + r),
    "at": lambda n, r: datetime(2023, 1, 1, tzinfo=UTC) + timedelta(hours=20 * n + r, microseconds=123 + r),
    "b": lambda n, r: (True, False, r % 2 == 0, r < 10)[n],
}


def rows_of(n: int) -> File:
    """The rows of file n."""
    missing = (lambda r: False, lambda r: r % 3 == 0, lambda r: r % 2 == 0, lambda r: True)[n]
    values = {name: [value(n, r) for r in range(ROWS)] for name, value in VALUES.items()}
    twins = {f"{name}_n": [None if missing(r) else known[r] for r in range(ROWS)] for name, known in values.items()}
    return file(part=PARTS[n], **values, **twins)


TABLES = (
    BatteryTable(
        name="plain_types",
        description="Healthy values of every plain type with nullable twins, 4 partitions of one file of 40 rows: "
        "some columns' values are disjoint over the files, others overlap.",
        partition_by=("part",),
        partition_spec="part:VALUE",
        steps=(
            write("bulk_insert", {"part": pa.string()} | TYPES | NULLABLE, *(rows_of(n) for n in range(len(PARTS)))),
        ),
    ),
)
