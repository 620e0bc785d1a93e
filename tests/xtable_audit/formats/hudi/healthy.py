"""A Hudi table made by hand, whose indexes say what its values say and whose reader answers by them.

Nothing here is worked out by the judge but which files a perfect reader would plan.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from xtable_audit.formats.hudi.claims.layers import could_match
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, INDEX, PARTITION_STATISTICS
from xtable_audit.formats.hudi.indexed_table import FILE, PARTITION, HudiCase, HudiStage, HudiTrial, Mode, partition_of
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate

NAN = math.nan
NY1, NY2, CA1, CA2 = "state=NY/a.parquet", "state=NY/b.parquet", "state=CA/c.parquet", "state=CA/d.parquet"
NY2_OLD, TX = "state=NY/b-old.parquet", "state=TX/e.parquet"
BOTH = frozenset({"files", COLUMN_STATISTICS, PARTITION_STATISTICS})
UTC = dt.UTC

SCHEMA = pa.schema(
    [
        ("_hoodie_record_key", pa.string()),
        ("state", pa.string()),
        ("zip_code", pa.string()),
        ("text", pa.large_string()),
        ("number", pa.int32()),
        ("long", pa.int64()),
        ("float", pa.float32()),
        ("double", pa.float64()),
        ("with_nan", pa.float64()),
        ("flag", pa.bool_()),
        ("day", pa.date32()),
        ("at", pa.timestamp("us", "UTC")),
        ("wall", pa.timestamp("us")),
        ("money", pa.decimal128(10, 2)),
        ("wide", pa.decimal128(38, 10)),
        ("bytes", pa.binary()),
        ("gap", pa.int32()),
        ("nothing", pa.string()),
        ("inside", pa.struct([("leaf", pa.int32())])),
        ("unindexed", pa.int32()),
    ]
)
UNINDEXED = ("inside", "unindexed")
LEAF = "inside.leaf"
COLUMNS = (*(name for name in SCHEMA.names if name not in UNINDEXED), LEAF)
"""Those that column statistics know of the newest stage."""
OF_PARTITIONS = ("state", "zip_code", "number", "double", "with_nan", "wide", "day", "nothing")
AT_FIRST = ("zip_code", "number", "day")
"""The columns that both indexes are given of the first stage: more are added later."""

Row = dict[str, Any]


def row(key: int, zip_code: str, **others: Any) -> Row:
    """One row whose values follow from its key."""
    made = {
        "_hoodie_record_key": f"key-{key:03}",
        "state": "",
        "zip_code": zip_code,
        "text": ("中" if key % 2 else "😀") + str(key),
        "number": key,
        "long": key * 10**12,
        "float": key + 0.5,
        "double": -key / 3,
        "with_nan": NAN if key % 4 == 0 else float(key),
        "flag": key > 10,
        "day": dt.date(1969, 12, 25) + dt.timedelta(days=key),
        "at": dt.datetime(2023, 1, 1, key, 0, 0, 123456, tzinfo=UTC),
        "wall": dt.datetime(1969, 12, 31, key, 0, 0, 1),
        "money": Decimal(key * 100 + 25).scaleb(-2),
        "wide": Decimal(-(10**26) * key + 1).scaleb(-10),
        "bytes": bytes([250 - key, key]),
        "gap": None if key % 3 == 0 else key,
        "nothing": None,
        "inside": {"leaf": key * 2},
        "unindexed": key % 5,
    }
    return made | others


FIRST: Mapping[str, Sequence[Row]] = {
    NY1: [row(1, "10001"), row(2, "10050"), row(3, "10120"), row(4, "10199")],
    NY2_OLD: [row(5, "14001"), row(6, "14500"), row(7, "14999")],
    CA1: [row(8, "90001"), row(9, "90210")],
    CA2: [row(11, "94016"), row(12, "95555"), row(13, "96199")],
}
NEWEST: Mapping[str, Sequence[Row]] = {
    NY1: FIRST[NY1],
    NY2: [row(5, "14001"), row(6, "14600"), row(7, "14999"), row(10, "14002", with_nan=2.5)],
    CA1: [row(8, "90001"), row(9, "90210")],
    CA2: [row(11, "94016"), row(12, "95555"), row(13, "96199")],
    TX: [],
}

PUBLISHED = Compare("zip_code", "=", "10001")
WITH_NAN = Compare("with_nan", ">", 9.0)
GAPS = IsNull("gap")
EITHER = Or(Compare("zip_code", "=", "96199"), Compare("number", "<", 2))
UNKNOWN = And(Compare("unindexed", "!=", 0), In("zip_code", ("10001", "90210"), negated=True))
IN_STATE = And(Compare("state", "=", "NY"), Compare("number", ">=", 5))
NONE = Compare("zip_code", "=", "50000")
DRAWN: Mapping[Predicate, Sequence[int]] = {
    PUBLISHED: [1],
    WITH_NAN: [4, 8, 11, 12, 13],
    GAPS: [3, 6, 9, 12],
    EITHER: [1, 13],
    UNKNOWN: [2, 3, 4, 6, 7, 8, 11, 12, 13],
    IN_STATE: [5, 6, 7, 10],
    NONE: [],
}
"""Predicate -> keys of the rows of the newest stage that match, by hand. NaN is greater than 9."""


def case() -> HudiCase:
    stages = (
        stage("the first insert", FIRST, columns=AT_FIRST),
        HudiStage("the indexes dropped", frozenset({"files"}), values(FIRST), INDEX.empty_table()),
        stage("an upsert", NEWEST, beside=frozenset({NY2_OLD}), old={NY2_OLD: FIRST[NY2_OLD]}),
    )
    return HudiCase("by_hand-hudi1.0.2", "1.0.2", stages, tuple(trials(stages[-1])))


def stage(
    words: str,
    files: Mapping[str, Sequence[Row]],
    beside: frozenset[str] = frozenset(),
    old: Mapping[str, Sequence[Row]] | None = None,
    columns: Sequence[str] = COLUMNS,
) -> HudiStage:
    """`old` are files that are live no more, and whose column statistics have not been cleaned."""
    empty = frozenset(file for file, rows in files.items() if not rows)
    return HudiStage(words, BOTH, values(files), index(files, old or {}, columns), empty, beside)


def values(files: Mapping[str, Sequence[Row]]) -> pa.Table:
    rows = [(file, one | {"state": state(file)}) for file, several in files.items() for one in several]
    table = pa.Table.from_pylist([one for _, one in rows], schema=SCHEMA)
    encoded = table.set_column(
        table.column_names.index("zip_code"), "zip_code", table["zip_code"].combine_chunks().dictionary_encode()
    )
    return encoded.append_column(FILE, pa.array([file for file, _ in rows], pa.string())).append_column(
        PARTITION, pa.array([partition_of(file) for file, _ in rows], pa.string())
    )


def state(file: str) -> str:
    return file.partition("/")[0].partition("=")[2]


def index(files: Mapping[str, Sequence[Row]], old: Mapping[str, Sequence[Row]], columns: Sequence[str]) -> pa.Table:
    partitions: dict[str, list[Row]] = {}
    for file, rows in files.items():
        partitions.setdefault(partition_of(file), []).extend(one | {"state": state(file)} for one in rows)
    of_partitions = [column for column in columns if column in OF_PARTITIONS]
    records = [
        record(PARTITION_STATISTICS, of, column, rows)
        for of, rows in partitions.items()
        for column in of_partitions
        if rows
    ]
    for file, rows in {**files, **old}.items():
        own = [one | {"state": state(file)} for one in rows]
        records += [record(COLUMN_STATISTICS, file, column, own) for column in columns if own]
    return pa.Table.from_pylist(records, schema=INDEX)


def record(kind: str, of: str, column: str, rows: Sequence[Row]) -> dict[str, Any]:
    held = [one["inside"]["leaf"] if column == LEAF else one[column] for one in rows]
    there = [value for value in held if value is not None]
    numbers = [value for value in there if value == value]
    order = (lambda value: value.encode()) if any(isinstance(value, str) for value in there) else (lambda value: value)
    low = min(numbers, key=order, default=None)
    high = NAN if len(numbers) < len(there) else max(numbers, key=order, default=None)
    return {
        "kind": kind,
        "of": of,
        "column": column,
        "lower": index_text(low),
        "upper": index_text(high),
        "nulls": len(held) - len(there),
        "values": len(held),
        "tight": True,
    }


def index_text(bound: Any) -> str | None:
    """The JSON that Spark makes of a bound in Hudi's wrappers (`spark_jobs.battery.indexed`)."""
    match bound:
        case None:
            return None
        case bytes():
            return json.dumps(base64.b64encode(bound).decode())
        case dt.datetime():
            return json.dumps(bound.strftime("%Y-%m-%dT%H:%M:%S.%fZ"))
        case dt.date():
            return json.dumps((bound - dt.date(1970, 1, 1)).days)
        case Decimal():
            return f"{bound:f}" + "0" * 5
        case float() if bound != bound:
            return '"NaN"'
    return json.dumps(bound, ensure_ascii=False)


def trials(newest: HudiStage) -> Iterator[HudiTrial]:
    modes: tuple[Mode, ...] = ("off", "unlisted", "on")
    for mode in modes:
        for predicate, keys in DRAWN.items():
            yield trial(newest, predicate, mode, len(keys))


def trial(newest: HudiStage, predicate: Predicate, mode: Mode, rows: int) -> HudiTrial:
    by_path = predicate is IN_STATE  # Spark leaves out the folders of other states, and Hudi reads no partition index
    live = frozenset(file for file in newest.files if not by_path or state(file) == "NY")
    folders, planned = newest.partitions, live
    if mode == "on":
        if not by_path:
            folders = could_match(newest, PARTITION_STATISTICS, predicate)
        kept = frozenset(file for file in live if partition_of(file) in folders)
        planned = kept & could_match(newest, COLUMN_STATISTICS, predicate)
    return HudiTrial(
        predicate=predicate,
        mode=mode,
        rows=rows,
        planned=planned,
        live=len(live),
        after_partition_statistics=sum(partition_of(file) in folders for file in live),
        after_column_statistics=len(planned),
        partitions=tuple(sorted(folders)) if mode == "on" and not by_path else None,
        read=planned | {CA2},
        seconds=0.1,
    )
