"""types_*: numbers, texts and bytes at the edges of their types."""

from __future__ import annotations

from math import inf, nan

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, file
from spark_jobs.battery.values import EMOJI, decimals
from spark_jobs.battery.variants import variants

LIKE_SPARK = {"hoodie.parquet.writelegacyformat.enabled": "false"}
"""Decimals as INT32 and INT64 where they fit; Hudi's default are fixed bytes for all."""

LAST_OF_PLANE = "\uffff"

DOUBLES = {"d": pa.float64(), "f": pa.float32()}

NAN = variants(
    "types_nan",
    "NaN among ordinary doubles and floats.",
    DOUBLES,
    [
        file(d=[1.0, 5.0, nan], f=[1.0, 5.0, nan]),
        file(d=[nan, -3.5], f=[nan, -3.5]),
        file(d=[None, nan, 9.0], f=[None, nan, 9.0]),
        file(d=[nan, nan], f=[nan, nan]),
        file(d=[2.0, 4.0], f=[2.0, 4.0]),
    ],
)

FLOAT_EDGES = variants(
    "types_float_edges",
    "Signed zeros, infinities, the smallest and largest doubles and floats.",
    {"zero": pa.float64(), "inf": pa.float64(), "edge": pa.float64(), "small": pa.float32()},
    [
        file(zero=[-0.0, 0.0], inf=[-inf, 1.0], edge=[-1.7976931348623157e308, 5e-324], small=[-0.0, 1e-45]),
        file(zero=[0.0, 1.0], inf=[1.0, inf], edge=[2.5, 1.7976931348623157e308], small=[0.0, 3.4028234663852886e38]),
        file(zero=[-1.0, -0.0], inf=[-inf, inf], edge=[-5e-324, -1e-300], small=[-inf, inf]),
    ],
)

INTS = variants(
    "types_ints",
    "The smallest and largest integers of each width, and booleans.",
    {"tiny": pa.int8(), "short": pa.int16(), "i": pa.int32(), "l": pa.int64(), "b": pa.bool_()},
    [
        file(tiny=[-128, 0], short=[-(2**15), -1], i=[-(2**31), -1], l=[-(2**63), -(2**31) - 1], b=[False, False]),
        file(tiny=[1, 127], short=[0, 2**15 - 1], i=[0, 2**31 - 1], l=[0, 2**63 - 1], b=[True, True]),
        file(tiny=[None, 5], short=[None, 5], i=[None, 5], l=[None, 2**53 + 1], b=[None, True]),
    ],
)

STRINGS = variants(
    "types_strings",
    "Empty, blank, NUL, 16, 17 and 2000 bytes, long equal beginnings, accents, emoji.",
    {"s": pa.string()},
    [
        file(s=["", " ", "\x00"]),
        file(s=["a" * 16, "a" * 17, "a" * 16 + "b"]),
        file(s=["prefix-that-is-equal-1", "prefix-that-is-equal-2", "prefix-that-is-equal-3"]),
        file(s=["e\u0301tude", "étude", "ß"]),  # an accent of its own, and one that is part of its letter
        file(s=["m" * 2000, "n" * 2000, None]),
        file(s=[LAST_OF_PLANE, EMOJI, EMOJI * 3]),
    ],
)

LONG_STRINGS = variants(
    "types_long_strings",
    "Strings so long that Parquet leaves out their statistics: 4096 bytes and more for minimum and maximum together.",
    {"s": pa.string(), "i": pa.int32()},
    [
        file(s=["a" * 5000, "b" * 5000, "ab"], i=[1, 2, 3]),
        file(s=["c" * 2100, "d" * 2100, "cd"], i=[4, 5, 6]),
        file(s=["e" * 10, "f" * 5000, None], i=[7, 8, 9]),
        file(s=["g", "h", "i"], i=[10, 11, 12]),
    ],
)

EMOJIS = variants(
    "types_emoji",
    "U+FFFF in one row group, an emoji in the next: Java's order of strings is not that of UTF-8.",
    {"s": pa.string()},
    [
        file(s=[f"{LAST_OF_PLANE}{number:02d}" for number in range(10)]),
        file(s=[f"{EMOJI}{number:02d}" for number in range(10)]),
        file(s=[f"a{number:02d}" for number in range(10)]),
    ],
    only=("groups", "index"),
)

BINARY = variants(
    "types_binary",
    "Bytes on both sides of 0x80, where signed and unsigned order differ, and no bytes at all.",
    {"b": pa.binary(), "any": pa.binary()},
    [
        file(b=[b"\x10", b"\x1f"], any=[b"", b"\x00"]),
        file(b=[b"\x90", b"\x9f"], any=[b"\xff\xff", None]),
        file(b=[b"\x70", b"\x8f"], any=[b"\x7f\xff", b"\x80"]),
    ],
)

DECIMALS = {
    "m4": pa.decimal128(4, 2),
    "m10": pa.decimal128(10, 2),
    "m18": pa.decimal128(18, 0),
    "m38": pa.decimal128(38, 10),
}
ROUND_DECIMALS = [
    file(
        m4=decimals("-99.99", "0.01"),
        m10=decimals("10.50", "10.75"),
        m18=decimals("-128", "128"),
        m38=decimals("-128.5", "128.5"),
    ),
    file(
        m4=decimals("1.00", "99.99"),
        m10=decimals("-99999999.99", "99999999.99"),
        m18=decimals("1000", "99999999999999"),
        m38=decimals("1000.25", "123456789.0000000001"),
    ),
    file(m4=decimals(None, "5"), m10=decimals(None, "5"), m18=decimals(None, "5"), m38=decimals(None, "5")),
]
"""The limit of Hudi's index: decimals with 15 digits on either side of the point."""

LARGEST = file(
    m4=decimals("-99.99", "99.99"),
    m10=decimals("0", "0.01"),
    m18=decimals("-999999999999999999", "999999999999999999"),
    m38=decimals("-9999999999999999999999999999.9999999999", "9999999999999999999999999999.9999999999"),
)
DECIMAL = (
    *variants(
        "types_decimal_ints",
        "Decimals as INT32, INT64 and fixed bytes.",
        DECIMALS,
        [*ROUND_DECIMALS, LARGEST],
        options=LIKE_SPARK,
        only=("plain", "groups"),
    ),
    *variants(
        "types_decimal_bytes",
        "Decimals as fixed bytes, Hudi's way.",
        DECIMALS,
        [*ROUND_DECIMALS, LARGEST],
        only=("plain", "groups"),
    ),
    *variants("types_decimal", "Decimals of four widths.", DECIMALS, ROUND_DECIMALS, only=("index",)),
    *variants(
        "types_decimal_null",
        "Decimals that are all null in one file.",
        {"m10": pa.decimal128(10, 2), "i": pa.int32()},
        [file(m10=decimals("10.50", "10.75"), i=[1, 2]), file(m10=decimals(None, None), i=[3, 4])],
        only=("index",),
    ),
)

TABLES: tuple[BatteryTable, ...] = (
    *NAN,
    *FLOAT_EDGES,
    *INTS,
    *STRINGS,
    *LONG_STRINGS,
    *EMOJIS,
    *BINARY,
    *DECIMAL,
)
