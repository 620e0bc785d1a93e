"""edge_*: values at the edges of a file: a column's first null, both signs side by side."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa

from spark_jobs.battery.edges import delta_edge, edge
from spark_jobs.battery.signs import BOTH_SIGNS, SIGNED
from spark_jobs.battery.table import File, Operation, Step, file, write
from spark_jobs.battery.values import EPOCH
from spark_jobs.battery.variants import INDEX

TYPES = {
    "i": pa.int32(),
    "l": pa.int64(),
    "d": pa.float64(),
    "f": pa.float32(),
    "s": pa.string(),
    "long": pa.string(),
    "m": pa.decimal128(10, 2),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
}
PART = {"part": pa.string()}


def values(part: str, start: int, nulls: int = 0) -> File:
    """Four rows; of each column the last `nulls` are null."""

    def known(value: object, row: int) -> object:
        return value if row < 4 - nulls else None

    numbers = [(start + row, row) for row in range(4)]
    return file(
        part=part,
        i=[known(n, row) for n, row in numbers],
        l=[known(10**12 + n, row) for n, row in numbers],
        d=[known(n / 2, row) for n, row in numbers],
        f=[known(n / 4, row) for n, row in numbers],
        s=[known(f"s{n:03d}", row) for n, row in numbers],
        long=[known(f"sixteen bytes of{n:04d}", row) for n, row in numbers],
        m=[known(Decimal(25 * n).scaleb(-2), row) for n, row in numbers],
        day=[known(date(2024, 1, 1) + timedelta(days=n), row) for n, row in numbers],
        at=[known(EPOCH + timedelta(days=19000 + n), row) for n, row in numbers],
    )


def first_null(operation: Operation) -> tuple[Step, ...]:
    """No null in two files; then a file with one null in each column, and one with three."""
    return (
        write(operation, PART | TYPES, values("a", 0), values("b", 10), words="no null"),
        write(
            operation, PART | TYPES, values("b", 20, 1), values("c", 30, 3), words="nulls in each column", prefix="n"
        ),
    )


TABLES = (
    edge("first_null", "Columns without a null, until a later file has some.", *first_null("bulk_insert")),
    edge(
        "null_in_index",
        "Columns without a null, until a later file has some. Statistics from Hudi's column index.",
        *first_null("bulk_insert"),
        options=INDEX,
    ),
    delta_edge(
        "first_null",
        "Columns without a null, until a later file has some.",
        *first_null("append"),
        partition_by=("part",),
    ),
    delta_edge(
        "both_signs", "Negative and positive values of each type in one file.", write("append", SIGNED, *BOTH_SIGNS)
    ),
)
