"""types_*: both signs side by side in a file, and bytes that differ only after the sixteenth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, file
from spark_jobs.battery.values import EPOCH
from spark_jobs.battery.variants import variants

SIGNED: Mapping[str, pa.DataType] = {
    "i": pa.int32(),
    "j": pa.int32(),
    "l": pa.int64(),
    "k": pa.int64(),
    "d": pa.float64(),
    "f": pa.float32(),
    "m10": pa.decimal128(10, 2),
    "m15": pa.decimal128(15, 3),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
}
VALUES: Mapping[str, Callable[[int], Any]] = {
    "i": lambda n: n,
    "j": lambda n: -7 * n,
    "l": lambda n: n * 10**12,
    "k": lambda n: -n,
    "d": lambda n: n / 4,
    "f": lambda n: n / 2,
    "m10": lambda n: Decimal(n).scaleb(-2),
    "m15": lambda n: Decimal(n * 1001).scaleb(-3),
    "day": lambda n: (EPOCH + timedelta(days=n)).date(),
    "at": lambda n: EPOCH + timedelta(hours=n),
}


def signed(*numbers: int | None) -> File:
    """A row for each number, which has its sign in every column; `j` and `k` have the other one."""
    return File(
        {name: tuple(None if number is None else of(number) for number in numbers) for name, of in VALUES.items()}
    )


BOTH_SIGNS = [signed(-5, 3), signed(-300, -200), signed(40, 700), signed(-1, 0, None, 1)]

BEGINNING = b"sixteen bytes of"
LONG_BYTES = [
    file(b=[BEGINNING + b"\x01", BEGINNING + b"\x02", BEGINNING], n=[b"a" * 16, b"a" * 17, b"a" * 40]),
    file(b=[BEGINNING + b"\x03", BEGINNING + b"\x05"], n=[b"a" * 41, b"a" * 300]),
    file(b=[BEGINNING + b"\x04" * 20, None], n=[b"b" * 20, None]),
    file(b=[BEGINNING + b"\x7f", BEGINNING + b"\x7f\x7f"], n=[b"", b"c" * 33]),
]

TABLES: tuple[BatteryTable, ...] = (
    *variants("types_signs", "Negative and positive values of each type in one file.", SIGNED, BOTH_SIGNS),
    *variants(
        "types_long_bytes",
        "Bytes whose first sixteen are equal: sixteen, seventeen and more, as far as three hundred.",
        {"b": pa.binary(), "n": pa.binary()},
        LONG_BYTES,
    ),
)
