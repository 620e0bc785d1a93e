"""index_*, flat_*: partial column statistics in Hudi, limited to some columns or added later; flat: unpartitioned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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


def partitioning(flat: bool) -> dict[str, Any]:
    return {} if flat else {"partition_by": ("part",), "partition_spec": "part:VALUE"}


def files(*numbers: int, flat: bool) -> tuple[dict[str, pa.DataType], *tuple[File, ...]]:
    """The schema and the files of these numbers: each in a partition of its own, or all in the table's folder."""
    return (SCHEMA, *map(rows, numbers)) if flat else (PARTED, *map(parted, numbers))


def once(name: str, description: str, options: Mapping[str, str], *, flat: bool = False) -> BatteryTable:
    """Two files in one commit."""
    return BatteryTable(
        name,
        description,
        (write("bulk_insert", *files(1, 2, flat=flat)),),
        options=options,
        **partitioning(flat),
    )


def in_two_commits(
    name: str,
    description: str,
    first: Mapping[str, str],
    then: Mapping[str, str],
    *,
    seen_between: bool = False,
    flat: bool = False,
) -> BatteryTable:
    """Two files, then a third; `seen_between` keeps a stage of the two as well."""
    return BatteryTable(
        name,
        description,
        (
            write("bulk_insert", *files(1, 2, flat=flat), options=first, words="two files", staged=seen_between),
            write("bulk_insert", *files(3, flat=flat), options=then, prefix="n", words="a third file"),
        ),
        **partitioning(flat),
    )


METADATA_ONLY = {"hoodie.metadata.enable": "true"}
ONE_COLUMN = INDEX | {INDEX_COLUMNS: "i"}
IN_STRUCT = INDEX | {INDEX_COLUMNS: "st.n"}

PARTITIONED = (
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
    once("index_some", "Hudi's column index limited to one column of the top level.", ONE_COLUMN),
    once("index_inner", "Hudi's column index limited to a column inside a struct.", IN_STRUCT),
    once("index_none", "Hudi's metadata table without column statistics.", METADATA_ONLY),
)

FLAT = (
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
        "flat_afterwards",
        "Unpartitioned: Hudi's column index, added after a first commit that nobody synced.",
        METADATA_ONLY,
        INDEX,
        flat=True,
    ),
    in_two_commits(
        "flat_second_thought",
        "Unpartitioned: Hudi's column index, added after a commit that was synced without it.",
        {},
        INDEX,
        seen_between=True,
        flat=True,
    ),
    once(
        "flat_some", "Unpartitioned: Hudi's column index limited to one column of the top level.", ONE_COLUMN, flat=True
    ),
    once("flat_inner", "Unpartitioned: Hudi's column index limited to a column inside a struct.", IN_STRUCT, flat=True),
    once("flat_none", "Unpartitioned: Hudi's metadata table without column statistics.", METADATA_ONLY, flat=True),
)
"""The twins of PARTITIONED without partitions, in its order: without them XTable takes other ways to statistics."""

TABLES = PARTITIONED + FLAT
