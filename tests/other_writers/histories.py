"""Histories as Spark's SQL makes them: rows replaced, schemas and specs changed, files and manifests rewritten."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa

from spark_jobs.battery.table import File, Write, file
from tests.other_writers.entry import Entry, rows

TYPES = {"id": pa.int32(), "p": pa.string(), "x": pa.float64(), "at": pa.timestamp("us", "UTC")}


def some(start: int, part: str | None) -> File:
    """Ten rows from `start` on, one value missing."""
    moment = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    ids = list(range(start, start + 10))
    missing = [None, *(n / 4 for n in ids[1:])]
    return file(id=ids, p=part, x=missing, at=[moment + dt.timedelta(hours=n) for n in ids])


def batch(start: int) -> Write:
    return rows(TYPES, some(start, "a"), some(start + 10, "b"), some(start + 20, None))


MERGED = """
MERGE INTO {table} t USING (SELECT explode(array(1, 500)) AS id) s ON t.id = s.id
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED THEN INSERT (id, p, x, at) VALUES (s.id, 'd', NULL, NULL)
"""
ROWS = Entry(
    "history_rows",
    (
        batch(0),
        batch(100),
        "DELETE FROM {table} WHERE id = 3",
        "DELETE FROM {table} WHERE id BETWEEN 10 AND 19",
        "UPDATE {table} SET x = -0.0, p = 'c' WHERE id IN (20, 21, 105)",
        MERGED,
        "INSERT OVERWRITE {table} SELECT id + 1000, p, x, at FROM {table} WHERE p = 'b'",
        "CALL native.system.rewrite_data_files(table => '{name}', options => map('rewrite-all', 'true'))",
        batch(2000),
        "CALL native.system.rewrite_manifests('{name}')",
    ),
    (("p", "identity"),),
)

GROWN = {"i": pa.int32(), "f": pa.float32(), "m": pa.decimal128(9, 2), "s": pa.string()}
PLACE = pa.struct([("city", pa.string()), ("zip", pa.int32())])


def grown(sign: int) -> Write:
    given = GROWN | {"place": PLACE}
    return rows(
        given,
        *(
            file(
                i=[sign * n, sign * 2**30],
                f=[sign * n / 3, sign * 1e10],
                m=[Decimal(sign * n).scaleb(-2), Decimal(sign * 9_999_999).scaleb(-2)],
                s=[f"s{n}", None],
                place=[{"city": f"c{n}", "zip": sign * n}, None],
            )
            for n in (1, 2)
        ),
    )


SCHEMA = Entry(
    "history_schema",
    (
        grown(1),
        "ALTER TABLE {table} ADD COLUMNS (later int, place.country string)",
        "INSERT INTO {table} VALUES (7, 0.5, 1.25, 't', named_struct('city', 'c', 'zip', 1, 'country', 'x'), 70)",
        "ALTER TABLE {table} ALTER COLUMN i TYPE bigint",
        "ALTER TABLE {table} ALTER COLUMN f TYPE double",
        "ALTER TABLE {table} ALTER COLUMN m TYPE decimal(20, 2)",
        "ALTER TABLE {table} ALTER COLUMN place.zip TYPE bigint",
        "INSERT INTO {table} VALUES (9223372036854775807, 1e300, 123456789012345678.25, 'u', NULL, NULL)",
        "ALTER TABLE {table} RENAME COLUMN s TO word",
        "ALTER TABLE {table} ALTER COLUMN later FIRST",
        "INSERT INTO {table} VALUES (71, -9223372036854775808, -1e300, -0.01, 'v', NULL)",
    ),
)
READDED = Entry(
    "history_readded",
    (
        rows({"id": pa.int32(), "s": pa.string()}, file(id=[1, 2], s=["a", "b"])),
        "ALTER TABLE {table} DROP COLUMN s",
        "ALTER TABLE {table} ADD COLUMN s string",
        "INSERT INTO {table} VALUES (3, 'c')",
    ),
)
MAPPED = Entry(
    "name_mapping",
    (
        grown(1),
        "INSERT OVERWRITE DIRECTORY '{folder}' USING parquet SELECT * FROM {table}",
        "CALL native.system.add_files(table => '{name}', source_table => '`parquet`.`{folder}`')",
        "ALTER TABLE {table} RENAME COLUMN s TO word",
        "ALTER TABLE {table} RENAME COLUMN place.zip TO code",
        "ALTER TABLE {table} RENAME COLUMN place TO address",
        "ALTER TABLE {table} DROP COLUMN m",
        "ALTER TABLE {table} ADD COLUMN m decimal(9, 2)",
        "INSERT INTO {table} VALUES (7, 0.5, 't', named_struct('city', 'c', 'code', 1), 1.25)",
    ),
)
"""Files without field ids, added as they are. The column `m` of today is another than theirs."""
SPEC = Entry(
    "history_spec",
    (
        rows(TYPES, some(0, "a")),
        "ALTER TABLE {table} ADD PARTITION FIELD p",
        batch(100),
        "ALTER TABLE {table} ADD PARTITION FIELD bucket(4, id)",
        batch(200),
        "ALTER TABLE {table} DROP PARTITION FIELD p",
        batch(300),
    ),
    repartitioned=(("id", "bucket[4]"),),
)
VERSION_1 = Entry(
    "version_1",
    (batch(0), batch(100), "DELETE FROM {table} WHERE id = 3"),
    (("p", "identity"), ("id", "truncate[10]")),
    {"format-version": "1"},
)

FOUR = dict.fromkeys("abcd", pa.int32())
WIDE = Entry(
    "wide",
    (rows(FOUR, *(file(**{name: [n, n + 1] for name in FOUR}) for n in (0, 10))),),
    properties={"write.metadata.metrics.max-inferred-column-defaults": "2"},  # as of the hundredth column without it
)
METRICS = {"default": "truncate(16)", "left_out": "none", "counted": "counts", "cut": "truncate(4)", "whole": "full"}
MODES = Entry(
    "metrics_modes",
    (rows(dict.fromkeys(METRICS, pa.string()), *(file(**{m: [c * 20, c * 30] for m in METRICS}) for c in "ab")),),
    properties={f"write.metadata.metrics.column.{column}": mode for column, mode in METRICS.items()},
)

HISTORIES = (ROWS, SCHEMA, READDED, MAPPED, SPEC, VERSION_1, WIDE, MODES)
