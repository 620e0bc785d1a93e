"""One table of Hudi's own, with its indexes, and the questions that were put to Hudi's own reader."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

import pyarrow as pa

from xtable_audit.model.predicate import Predicate

FILE = "_file"
PARTITION = "_partition"
"""Columns of `HudiStage.values` beside the table's own."""

INDEX = pa.schema(
    [
        ("kind", pa.string()),  # "column_stats" or "partition_stats"
        ("of", pa.string()),  # a base file's path below the table, or a partition's
        ("column", pa.string()),
        ("lower", pa.string()),  # JSON of the bound, null where there is none
        ("upper", pa.string()),
        ("nulls", pa.int64()),
        ("values", pa.int64()),  # as Hudi counts them: with the nulls
        ("tight", pa.bool_()),  # Hudi's own word for it
    ]
)
"""The live records of Hudi's indexes, a row each."""

Mode = Literal["off", "unlisted", "on"]
"""How Hudi's reader is asked: skipping off; off and without the metadata table; on, over whatever indexes there are."""


@dataclass(frozen=True, eq=False)
class HudiStage:
    """The table after one event of its history. Each is its own: what is worked out of one is kept by identity."""

    words: str
    indexed: frozenset[str]
    """The indexes that the table says it has: `hoodie.table.metadata.partitions`."""
    values: pa.Table
    """Every row of every live base file; FILE is its path below the table, PARTITION that of its folder."""
    index: pa.Table
    """As INDEX."""
    empty: frozenset[str] = frozenset()
    """Live base files without a row, which `values` cannot name: they are left where all rows are deleted."""
    beside: frozenset[str] = frozenset()
    """Files that are there and are no live base file: older versions and replaced ones until they are cleaned, logs."""

    @property
    def has_logs(self) -> bool:
        """Whether updates lie in logs (MERGE_ON_READ): rows are then those of a base file and its logs together."""
        return any(".log." in file for file in self.beside)

    @cached_property
    def files(self) -> frozenset[str]:
        """Every live base file."""
        return self.empty.union(self.values[FILE].unique().to_pylist())

    @cached_property
    def partitions(self) -> frozenset[str]:
        """Paths of the folders that hold a live base file."""
        return frozenset(partition_of(file) for file in self.files)

    @cached_property
    def partitioned_by(self) -> frozenset[str]:
        """The columns that hive-style folders (`state=NY`) are named by; none of other folders."""
        levels = [level for partition in self.partitions for level in partition.split("/")]
        return frozenset(level.partition("=")[0] for level in levels if "=" in level)


@dataclass(frozen=True)
class HudiTrial:
    """One predicate, put to Hudi's own reader over the newest stage. Files are paths below the table.

    `error` is set, and all that follows from an answer None, where the reader refused or failed: its own first words.
    """

    predicate: Predicate
    mode: Mode
    rows: int | None
    planned: frozenset[str] | None
    """The base files of the scan that was run; None where the plan could not be planned."""
    live: int | None
    after_partition_statistics: int | None
    after_column_statistics: int | None
    partitions: tuple[str, ...] | None
    """The partitions that the partition statistics leave; None where they were not asked."""
    read: frozenset[str] | None
    """By the store's request log; None for tables on local disk, where there is none."""
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class HudiCase:
    """`id` is `<dataset>-hudi<release>`, what users type after `-k`."""

    id: str
    release: str
    stages: tuple[HudiStage, ...]
    trials: tuple[HudiTrial, ...]

    @property
    def newest(self) -> HudiStage:
        return self.stages[-1]


def partition_of(file: str) -> str:
    """The path of a file's folder below the table; "" where the table has no partitions."""
    folder = PurePosixPath(file).parent.as_posix()
    return "" if folder == "." else folder
