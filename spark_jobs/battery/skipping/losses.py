"""skip_*: the smallest tables that lose rows when Hudi skips files by its statistics, one for each cause."""

from __future__ import annotations

from math import nan

import pyarrow as pa

from spark_jobs.battery.skipping.common import ZIPS, lab
from spark_jobs.battery.table import file, write
from spark_jobs.battery.variants import INDEX_COLUMNS

LONG = 5000
"""Length in bytes of a string without bounds in Parquet: its limit is 4096 for minimum and maximum together."""

PREFIX = lab(
    "prefix",
    "Zip codes with a common beginning.",
    write(
        "bulk_insert",
        ZIPS,
        file(state="NY", zip_code=["10001", "10002"]),
        file(state="CA", zip_code=["90001", "90002"]),
    ),
)

NAN = lab(
    "nan",
    "NaN beside numbers in one of three files.",
    write(
        "bulk_insert",
        {"state": pa.string(), "reading": pa.float64()},
        file(state="NY", reading=[5.0, nan]),
        file(state="NY", reading=[1.0, 2.0]),
        file(state="CA", reading=[3.0, 4.0]),
    ),
    columns="reading",
)

LONG_TEXT = lab(
    "long_text",
    "A string of 5000 bytes beside a short one in one of three files.",
    write(
        "bulk_insert",
        {"state": pa.string(), "text": pa.string()},
        file(state="NY", text=["a" * LONG, "ab"]),
        file(state="NY", text=["c", "d"]),
        file(state="CA", text=["e", "f"]),
    ),
    columns="text",
)

NUMBERED = ZIPS | {"number": pa.int32()}
LIST_EXTENDED = lab(
    "list_extended",
    "The list of indexed columns gets one more with the second commit.",
    write("bulk_insert", NUMBERED, file(state="NY", zip_code=["10001"], number=[1]), words="zip_code is indexed"),
    write(
        "bulk_insert",
        NUMBERED,
        file(state="CA", zip_code=["90001"], number=[2]),
        words="number too",
        prefix="n",
        options={INDEX_COLUMNS: "zip_code,number"},
    ),
)

NEW_COLUMN = lab(
    "new_column",
    "A column that the table gets with its second commit.",
    write("bulk_insert", ZIPS, file(state="NY", zip_code=["10001"]), words="no note"),
    write(
        "bulk_insert",
        ZIPS | {"note": pa.string()},
        file(state="CA", zip_code=["90001"], note=["new"]),
        words="a note",
        prefix="n",
    ),
    columns="",
)

BYTES = lab(
    "bytes",
    "A column of bytes, on both sides of 0x80, where signed and unsigned order differ.",
    write(
        "bulk_insert",
        {"state": pa.string(), "raw": pa.binary()},
        file(state="NY", raw=[b"\x10", b"\x1f"]),
        file(state="CA", raw=[b"\x90", b"\x9f"]),
    ),
    columns="raw",
)

TABLES = (PREFIX, NAN, LONG_TEXT, LIST_EXTENDED, NEW_COLUMN, BYTES)
