"""types_*: timestamps and dates, in all units and at the edges of all calendars."""

from __future__ import annotations

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, file
from spark_jobs.battery.values import EPOCH, MICROSECOND, days, moments
from spark_jobs.battery.variants import variants

DAY_10000 = 2_932_897  # 10000-01-01, beyond Python's own dates
MOMENTS = {"at": pa.timestamp("us", tz="UTC")}

TIMES = variants(
    "types_times",
    "Timestamps in microseconds: before 1970, 1900, 9999, one microsecond off the epoch.",
    MOMENTS,
    [
        file(at=[EPOCH - MICROSECOND, EPOCH + MICROSECOND]),
        file(at=moments("1900-01-01", "1969-12-31T23:59:59.999999")),
        file(at=moments("2024-01-01T00:00:00.123456", "2024-01-01T00:00:00.999999")),
        file(at=moments("0001-01-01", "9999-12-31T23:59:59.999999")),
        file(at=[None, *moments("2024-06-01T12:00:00")]),
    ],
)

MONTHLY = [
    file(at=moments(f"2023-{month:02d}-05T01:02:03.123", f"2023-{month:02d}-25T04:05:06.789")) for month in (2, 5, 8)
]
TIME_UNITS = (
    *variants(
        "types_millis",
        "Timestamps that the files hold in milliseconds.",
        MOMENTS,
        MONTHLY,
        options={"hoodie.parquet.outputtimestamptype": "TIMESTAMP_MILLIS"},
    ),
    *variants(
        "types_int96",
        "Timestamps that the files hold as INT96.",
        MOMENTS,
        MONTHLY,
        only=("plain",),
        options={"hoodie.parquet.outputtimestamptype": "INT96"},
    ),
)

DATES = (
    *variants(
        "types_dates",
        "Dates of the years 1 to 9999.",
        {"day": pa.date32()},
        [
            file(day=days("1969-12-31", "1970-01-01", "1970-01-02")),
            file(day=days("0001-01-01", "0004-02-29")),
            file(day=days("2000-02-29", "9999-12-31")),
            file(day=[None, *days("1582-10-15", "1582-10-04")]),
        ],
    ),
    *variants(
        "types_lost_days",
        "The ten days of October 1582 that Java's old calendar leaves out.",
        {"day": pa.date32()},
        [
            file(day=days("1582-10-05", "1582-10-07")),
            file(day=days("1582-10-10", "1582-10-12")),
            file(day=days("1582-10-14", "1582-10-20")),
        ],
    ),
    *variants(
        "types_year_10000",
        "A date after the year 9999.",
        {"day": pa.date32()},
        [file(day=[DAY_10000, DAY_10000 + 1]), file(day=[0, 1])],
        only=("plain",),
        twin="types_dates",
    ),
)

TABLES: tuple[BatteryTable, ...] = (*TIMES, *TIME_UNITS, *DATES)
