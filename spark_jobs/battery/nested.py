"""types_*: structs, lists, maps, and columns of nulls only."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from math import nan

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, file
from spark_jobs.battery.values import EPOCH, days, decimals, moments
from spark_jobs.battery.variants import variants

INNER = pa.struct([("m", pa.decimal128(10, 2)), ("at", pa.timestamp("us", tz="UTC"))])
STRUCT = pa.struct([("n", pa.int32()), ("d", pa.float64()), ("s", pa.string()), ("in", INNER)])


def struct(n: int | None, d: float | None, s: str | None) -> dict[str, object]:
    inner = None if n is None else {"m": Decimal(n).scaleb(-2), "at": EPOCH + timedelta(days=n)}
    return {"n": n, "d": d, "s": s, "in": inner}


NESTED = variants(
    "types_nested",
    "Structs in structs: null ones, null leaves, a NaN leaf.",
    {"st": STRUCT},
    [
        file(st=[struct(1, 1.5, "a"), struct(2, 2.5, "b")]),
        file(st=[struct(10, 4.0, "m"), struct(20, nan, "n")]),
        file(st=[None, struct(None, None, None), struct(300, -7.0, "z")]),
        file(st=[None, None]),
    ],
)

LISTS = variants(
    "types_lists",
    "Lists, lists of structs and maps: empty, null, with null elements.",
    {
        "xs": pa.list_(pa.int32()),
        "ps": pa.list_(pa.struct([("x", pa.int32()), ("s", pa.string())])),
        "kv": pa.map_(pa.string(), pa.int64()),
    },
    [
        file(xs=[[1, 2, 3], [4]], ps=[[{"x": 1, "s": "a"}], [{"x": 2, "s": None}]], kv=[[("a", 1)], [("b", None)]]),
        file(xs=[[], None], ps=[[], None], kv=[[], None]),
        file(xs=[[7, None], [9]], ps=[[{"x": None, "s": "z"}], [None]], kv=[[("c", 3), ("d", 4)], [("e", 5)]]),
    ],
)

MAPS = variants(
    "types_maps",
    "A map beside a boolean and a number.",
    {"kv": pa.map_(pa.string(), pa.int64()), "b": pa.bool_(), "i": pa.int32()},
    [
        file(kv=[[("a", 1)], [("b", None)]], b=[True, True], i=[1, 2]),
        file(kv=[[], None], b=[False, None], i=[11, 12]),
    ],
    only=("plain",),
)

EVERY_TYPE = {
    "s": pa.string(),
    "i": pa.int32(),
    "l": pa.int64(),
    "d": pa.float64(),
    "f": pa.float32(),
    "b": pa.bool_(),
    "bin": pa.binary(),
    "m": pa.decimal128(10, 2),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
}
ORDINARY = file(
    s=["a", "b"],
    i=[1, 2],
    l=[1, 2],
    d=[1.5, 2.5],
    f=[1.5, 2.5],
    b=[True, False],
    bin=[b"a", b"b"],
    m=decimals("1.25", "2.50"),
    day=days("2024-01-01", "2024-01-02"),
    at=moments("2024-01-01", "2024-01-02"),
)
NOTHING = file(**{name: [None, None] for name in EVERY_TYPE})
NULLS = variants("types_nulls", "Every type, all null in one file.", EVERY_TYPE, [ORDINARY, NOTHING, ORDINARY])

TABLES: tuple[BatteryTable, ...] = (*NESTED, *LISTS, *MAPS, *NULLS)
