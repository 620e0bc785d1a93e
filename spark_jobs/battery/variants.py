"""The ways in which one set of values can reach XTable: footers of small files, of several row groups, Hudi's index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from spark_jobs.battery.table import BatteryTable, File, write

GROUP_ROWS = 100
"""Parquet checks the size of a row group after this many rows and ends it if it is large enough: here, always."""

ROW_GROUPS = {"hoodie.parquet.block.size": "1024"}

INDEX = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.column.stats.file.group.count": "1",
    "hoodie.metadata.index.column.stats.parallelism": "1",
}
"""Hudi's own column statistics, in its metadata table. XTable prefers them to the footers."""

INDEX_COLUMNS = "hoodie.metadata.index.column.stats.column.list"


def variants(
    name: str,
    description: str,
    schema: Mapping[str, pa.DataType],
    files: Sequence[File],
    *,
    only: Sequence[str] = ("plain", "groups", "index"),
    options: Mapping[str, str] | None = None,
    twin: str = "",
) -> tuple[BatteryTable, ...]:
    """The same files three times, as `<name>_plain`, `<name>_groups` and `<name>_index`.

    Plain: an unpartitioned table without Hudi's index, a file each. Groups: the same, in one file whose row groups
    hold a hundred rows of each. Index: with Hudi's column statistics, each file in a partition of its own. Their twins
    are named `twin` and the same ending.
    """
    parts = {"part": pa.string()} | dict(schema)
    apart = [File({"part": (f"p{number}",) * one.rows, **one.columns}) for number, one in enumerate(files)]
    whole = [grouped(files)]
    given = dict(options or {})
    made = {
        "plain": lambda: BatteryTable(
            f"{name}_plain",
            f"{description} Statistics from the footers.",
            (write("bulk_insert", schema, *files),),
            options=given,
        ),
        "groups": lambda: BatteryTable(
            f"{name}_groups",
            f"{description} One file, a row group of each hundred rows.",
            (write("bulk_insert", schema, *whole),),
            options=given | ROW_GROUPS,
        ),
        "index": lambda: BatteryTable(
            f"{name}_index",
            f"{description} Statistics from Hudi's column index, a partition a file.",
            (write("bulk_insert", parts, *apart),),
            partition_by=("part",),
            partition_spec="part:VALUE",
            options=given | INDEX,
        ),
    }
    return tuple(replace(made[which](), twin=twin and f"{twin}_{which}") for which in only)


def grouped(files: Sequence[File]) -> File:
    """One file with a hundred rows of each file, their values repeated, so that each fills a row group."""
    return File(
        {
            column: tuple(one.columns[column][row % one.rows] for one in files for row in range(GROUP_ROWS))
            for column in files[0].columns
        }
    )
