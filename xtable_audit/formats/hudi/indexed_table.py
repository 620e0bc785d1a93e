"""A Hudi table with its indexes, and the queries run on it with Hudi's own reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

import pyarrow as pa

from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, Kind
from xtable_audit.model.predicate import Predicate

FILE = "_file"
PARTITION = "_partition"
"""Columns of `HudiStage.values` in addition to the table's own."""
Mode = Literal["off", "unlisted", "on"]
"""How Hudi's reader runs: skipping off; skipping and metadata table off; skipping on, with all indexes of the table."""


@dataclass(frozen=True, eq=False)
class HudiStage:
    """The table after one event of its history. It hashes by identity, and caches rely on that."""

    words: str
    indexed: frozenset[str]
    """The indexes that the table lists in `hoodie.table.metadata.partitions`."""
    values: pa.Table
    """Every row of every live base file. FILE is the file's path below the table, PARTITION its folder's."""
    index: pa.Table
    """Records with the schema `index.INDEX`."""
    empty: frozenset[str] = frozenset()
    """Live base files without rows, which `values` cannot name. They remain when all rows are deleted."""
    beside: frozenset[str] = frozenset()
    """Other files of the table: log files, and older or replaced base files that are not cleaned yet."""

    @property
    def has_logs(self) -> bool:
        """Whether the table has log files (MERGE_ON_READ). Rows then come from a base file merged with its logs."""
        return any(".log." in file for file in self.beside)

    @cached_property
    def files(self) -> frozenset[str]:
        """Every live base file."""
        return self.empty.union(self.values[FILE].unique().to_pylist())

    @cached_property
    def partitions(self) -> frozenset[str]:
        """Paths of the folders with a live base file."""
        return frozenset(partition_of(file) for file in self.files)

    def live(self, kind: Kind) -> list[str]:
        """What an index of this kind has records of: every live file, or every such partition, sorted."""
        return sorted(self.files if kind == COLUMN_STATISTICS else self.partitions)

    def of_rows(self, kind: Kind) -> pa.ChunkedArray:
        """The one of `live` that each row is in."""
        return self.values[FILE if kind == COLUMN_STATISTICS else PARTITION]

    @cached_property
    def partitioned_by(self) -> frozenset[str]:
        """The columns named in hive-style folders (`state=NY`); empty for other folders."""
        levels = [level for partition in self.partitions for level in partition.split("/")]
        return frozenset(level.partition("=")[0] for level in levels if "=" in level)


@dataclass(frozen=True)
class HudiTrial:
    """One query by Hudi's own reader over the newest stage. Files are paths below the table.

    If the reader refuses or fails, `error` holds the start of its message and the fields of an answer are None.
    """

    predicate: Predicate
    mode: Mode
    rows: int | None
    planned: frozenset[str] | None
    """The base files of the executed scan; None if they cannot be read from the plan."""
    live: int | None
    after_partition_statistics: int | None
    after_column_statistics: int | None
    partitions: tuple[str, ...] | None
    """The partitions that the partition stats index keeps; None if Hudi does not use it."""
    read: frozenset[str] | None
    """Files requested from the store, by its request log; None for tables on local disk."""
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class HudiCase:
    """A Hudi table under audit. `id` is `<dataset>-hudi<release>`, the id that users type after `-k`."""

    id: str
    release: str
    stages: tuple[HudiStage, ...]
    trials: tuple[HudiTrial, ...]

    @property
    def newest(self) -> HudiStage:
        return self.stages[-1]

    @property
    def answered(self) -> Iterator[HudiTrial]:
        """Trials with an answer."""
        return (trial for trial in self.trials if trial.error is None and trial.rows is not None)


def partition_of(file: str) -> str:
    """The path of a file's folder below the table; "" for a table without partitions."""
    folder = PurePosixPath(file).parent.as_posix()
    return "" if folder == "." else folder
