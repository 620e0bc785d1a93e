"""history_*: tables whose schema changes, and tables for upgrades of XTable in between."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa

from spark_jobs.battery.histories import SCHEMA, history, then
from spark_jobs.battery.table import BatteryTable, Step, file, write
from spark_jobs.battery.variants import INDEX


def widening(first: pa.DataType, then_: pa.DataType, values: tuple[object, object]) -> tuple[Step, ...]:
    """A column of one type, then of a wider one."""
    return tuple(
        write(
            "bulk_insert",
            {"part": pa.string(), "x": type_},
            file(record_key=[key], part=part, x=[value]),
            words=f"x is {type_}",
            options={"hoodie.datasource.write.reconcile.schema": "false"},
        )
        for key, part, type_, value in (("k1", "a", first, values[0]), ("k2", "b", then_, values[1]))
    )


SCHEMA_CHANGES = (
    history(
        "add_column",
        "A column is added.",
        then(
            write(
                "insert",
                SCHEMA | {"extra": pa.float64()},
                file(record_key=["c1"], part="c", i=[30], s=["s030"], extra=[1.5]),
                words="a row with one more column",
            )
        ),
    ),
    history(
        "add_field",
        "A field is added inside a struct.",
        tuple(
            write(
                "bulk_insert",
                {"part": pa.string(), "st": pa.struct([(name, pa.int32()) for name in fields])},
                file(record_key=[key], part=part, st=[dict.fromkeys(fields, number)]),
                words=f"st has {', '.join(fields)}",
            )
            for number, (key, part, fields) in enumerate((("k1", "a", ["x"]), ("k2", "b", ["x", "y"])))
        ),
    ),
    history(
        "drop_columns",
        "Two columns are dropped, and one of them comes back as another type.",
        tuple(
            write(
                "bulk_insert",
                {"part": pa.string()} | {name: type_ for name, (type_, _) in columns.items()},
                file(record_key=[key], part=part, **{name: [value] for name, (_, value) in columns.items()}),
                words=f"columns {', '.join(columns)}",
            )
            for key, part, columns in (
                ("k1", "a", {"keep": (pa.int32(), 1), "x": (pa.int32(), 1), "y": (pa.string(), "y1")}),
                ("k2", "b", {"keep": (pa.int32(), 2)}),
                ("k3", "c", {"keep": (pa.int32(), 3), "y": (pa.float64(), 3.5)}),
            )
        ),
        {"hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true"},
        twin="edge_dropped_then_added",
    ),
    history("widen_int", "A column becomes long after int.", widening(pa.int32(), pa.int64(), (7, 2**40))),
    history("widen_float", "A column becomes double after float.", widening(pa.float32(), pa.float64(), (1.5, 1e300))),
)

# For upgrades: what an old release gets wrong, and one commit for a newer one to go on with.
FOR_UPGRADES = (
    history(
        "upgrade_decimals",
        "Decimals in Hudi's column index, two commits.",
        tuple(
            write(
                "bulk_insert",
                {"part": pa.string(), "m": pa.decimal128(10, 2)},
                file(record_key=[key], part=part, m=[Decimal(text)]),
                words=f"{text} in {part}",
            )
            for key, part, text in (("k1", "a", "10.50"), ("k2", "b", "20.25"))
        ),
        INDEX,
    ),
    BatteryTable(
        "history_upgrade_flat",
        "Hudi's column index on an unpartitioned table, two commits.",
        tuple(
            write("bulk_insert", {"i": pa.int32()}, file(record_key=[key], i=[value]), words=f"{value}")
            for key, value in (("k1", 1), ("k2", 2))
        ),
        options=INDEX,
    ),
)

TABLES = SCHEMA_CHANGES + FOR_UPGRADES
