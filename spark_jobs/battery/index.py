"""index_*: tables with partial column statistics in Hudi: unpartitioned, limited to some columns, added later."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, file, write
from spark_jobs.battery.values import decimals
from spark_jobs.battery.variants import INDEX, INDEX_COLUMNS

SCHEMA = {"i": pa.int32(), "s": pa.string(), "m": pa.decimal128(10, 2), "st": pa.struct([("n", pa.int32())])}
PARTED = {"part": pa.string()} | SCHEMA


def rows(n: int, **more: str) -> File:
    """Two rows, different for each n."""
    return file(
        **more,
        i=[10 * n, 10 * n + 5],
        s=[f"s{n}0", f"s{n}5"],
        m=decimals(f"{n}.50", f"{n}.75"),
        st=[{"n": 10 * n}, {"n": 10 * n + 5}],
    )


def parted(n: int) -> File:
    return rows(n, part=f"p{n}")


def limited(name: str, description: str, columns: str) -> BatteryTable:
    return BatteryTable(
        name,
        description,
        (write("bulk_insert", PARTED, parted(1), parted(2)),),
        partition_by=("part",),
        partition_spec="part:VALUE",
        options=INDEX | {INDEX_COLUMNS: columns},
    )


def in_two_commits(
    name: str, description: str, first: Mapping[str, str], then: Mapping[str, str], *, seen_between: bool = False
) -> BatteryTable:
    """Two files, then a third; `seen_between` keeps a stage of the two as well."""
    return BatteryTable(
        name,
        description,
        (
            write("bulk_insert", PARTED, parted(1), parted(2), options=first, words="two files", staged=seen_between),
            write("bulk_insert", PARTED, parted(3), options=then, prefix="n", words="a third file"),
        ),
        partition_by=("part",),
        partition_spec="part:VALUE",
    )


METADATA_ONLY = {"hoodie.metadata.enable": "true"}

TABLES = (
    BatteryTable(
        "index_flat",
        "Hudi's column index on an unpartitioned table.",
        (
            write("bulk_insert", SCHEMA, rows(1), rows(2), words="two files"),
            write("bulk_insert", SCHEMA, rows(3), prefix="n", words="a third file"),
        ),
        options=INDEX,
    ),
    in_two_commits(
        "index_whole", "Hudi's column index from the first commit on, partitioned.", INDEX, INDEX, seen_between=True
    ),
    in_two_commits(
        "index_afterwards", "Hudi's column index, added after a first commit that nobody synced.", METADATA_ONLY, INDEX
    ),
    in_two_commits(
        "index_second_thought",
        "Hudi's column index, added after a commit that was synced without it.",
        {},
        INDEX,
        seen_between=True,
    ),
    limited("index_some", "Hudi's column index limited to one column of the top level.", "i"),
    limited("index_inner", "Hudi's column index limited to a column inside a struct.", "st.n"),
    BatteryTable(
        "index_none",
        "Hudi's metadata table without column statistics.",
        (write("bulk_insert", PARTED, parted(1), parted(2)),),
        partition_by=("part",),
        partition_spec="part:VALUE",
        options=METADATA_ONLY,
    ),
)
