"""v6_*, v8_native, v9_native, upgrade_*: addresses by state, by several releases of Hudi and in their table versions.

XTable up to 0.4 reads table version 6. Hudi 1.x writes it if configured to (KEEP_6), and upgrades such a table to its
own version at the first write without that setting.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, ExpectedRefusal, File, Step, file, write
from spark_jobs.battery.values import days, decimals, moments
from spark_jobs.battery.variants import INDEX

SCHEMA = {
    "state": pa.string(),
    "zip_code": pa.string(),
    "floor": pa.int32(),
    "parcel": pa.int64(),
    "weight": pa.float64(),
    "price": pa.decimal128(10, 2),
    "ordered": pa.date32(),
    "delivered": pa.timestamp("us", tz="UTC"),
}
WITHOUT_DECIMAL = {name: type_ for name, type_ in SCHEMA.items() if name != "price"}
"""1.0.2 cannot build an index over existing files with a decimal, which its upgrade of a table has to do."""

NO_UPGRADE = {"hoodie.write.auto.upgrade": "false"}
KEEP_6 = {"hoodie.write.table.version": "6"} | NO_UPGRADE

NOT_KNOWN = ExpectedRefusal("java.lang.IllegalArgumentException")
"""The whole error of XTable's Hudi, 0.14, on a timeline of table version 8 or later: its check there has no message."""


def addresses(state: str, first: int) -> File:
    """Four rows, zip codes `first` to `first` + 300; the second has only its keys."""
    day, at = days(f"2024-01-{1 + first % 28:02d}", "2024-02-29"), moments("2024-03-01 12:00:00.000001", "2024-03-02")
    return file(
        state=state,
        zip_code=[f"{first:05d}", f"{first + 100:05d}", f"{first + 200:05d}", f"{first + 300:05d}"],
        floor=[first % 7, None, -1, 40],
        parcel=[first * 10**10, None, first, first + 1],
        weight=[first / 8, None, 0.25, 31.5],
        price=decimals(f"{first}.10", None, "0.05", f"{first}.95"),
        ordered=[day[0], None, day[1], day[1]],
        delivered=[at[0], None, at[1], at[1]],
    )


FIRST = (
    addresses("CA", 90001), addresses("CA", 93001), addresses("CA", 95001),
    addresses("NY", 10001), addresses("NY", 11001), addresses("NY", 14001),
    addresses("WY", 82001), addresses("WY", 83001),
)  # fmt: skip
LATER = (addresses("NY", 12001),)


def shipping(
    name: str,
    description: str,
    hudi: str,
    *steps: Step,
    options: dict[str, str],
    refused: ExpectedRefusal | None = None,
) -> BatteryTable:
    return BatteryTable(
        name,
        f"{description} Written by Hudi {hudi}.",
        steps,
        partition_by=("state",),
        partition_spec="state:VALUE",
        options=options,
        hudi=hudi,
        refused=refused,
    )


def bulk(schema: dict[str, pa.DataType] = SCHEMA, options: dict[str, str] | None = None) -> Step:
    return write("bulk_insert", schema, *_of(FIRST, schema), words="eight files in three states", options=options)


def later(words: str, schema: dict[str, pa.DataType] = SCHEMA, options: dict[str, str] | None = None) -> Step:
    return write("insert", schema, *_of(LATER, schema), prefix="n", words=words, options=options)


def _of(files: tuple[File, ...], schema: dict[str, pa.DataType]) -> tuple[File, ...]:
    return tuple(File({name: one.columns[name] for name in schema}) for one in files)


def version_6(hudi: str) -> tuple[BatteryTable, BatteryTable]:
    """The same rows with Hudi's own column statistics, and without its metadata table."""
    kept = {} if hudi == "0.15.0" else KEEP_6
    digits = hudi.replace(".", "")
    steps = (bulk(), later("one file more in NY"))
    footers = shipping(
        f"v6_footers_{digits}", "Table version 6 without Hudi's metadata table.", hudi, *steps, options=kept
    )
    index = shipping(
        f"v6_index_{digits}", "Table version 6 with Hudi's column statistics.", hudi, *steps, options=INDEX | kept
    )
    return replace(index, without_index=footers.name), footers


def upgrade(hudi: str, version: int) -> tuple[BatteryTable, BatteryTable]:
    """A table of version 6, opened for writing by a release that has a newer one: as it comes, and prevented."""
    digits = hudi.replace(".", "")
    begun = bulk(WITHOUT_DECIMAL, KEEP_6)
    return (
        shipping(
            f"upgrade_taken_{digits}",
            f"Table version 6, then a write with nothing said, which makes it version {version}.",
            hudi,
            begun,
            later(f"a write that upgrades the table to version {version}", WITHOUT_DECIMAL),
            options={},
            refused=ExpectedRefusal(NOT_KNOWN.words, since=2),
        ),
        shipping(
            f"upgrade_prevented_{digits}",
            "Table version 6, then a write with hoodie.write.auto.upgrade=false, which leaves it so.",
            hudi,
            begun,
            later("a write that is not to upgrade the table", WITHOUT_DECIMAL, NO_UPGRADE),
            options={},
        ),
    )


TABLES = (
    *version_6("0.15.0"),
    *version_6("1.0.2"),
    *version_6("1.2.0"),
    shipping("v8_native", "Table version 8, Hudi's own choice.", "1.0.2", bulk(), options=INDEX, refused=NOT_KNOWN),
    shipping("v9_native", "Table version 9, Hudi's own choice.", "1.2.0", bulk(), options=INDEX, refused=NOT_KNOWN),
    *upgrade("1.0.2", 8),
    *upgrade("1.2.0", 9),
)
