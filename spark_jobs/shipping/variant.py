"""What kinds of the table there are: its order, its indexes, and the version of its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from lab.stack.versions import HudiRelease
from spark_jobs.shipping.layout import ZIPS, Zips
from xtable_audit.model.problem import Problem

Indexes = Literal["both", "column", "none"]
INDEXES: tuple[Indexes, ...] = get_args(Indexes)

NAMES: dict[Indexes, tuple[str, ...]] = {
    "both": ("column_stats", "files", "partition_stats"),
    "column": ("column_stats", "files"),
    "none": ("files",),
}
"""What `hoodie.table.metadata.partitions` says, sorted."""

OLD = 6
"""The table version of Hudi 0.14 and 0.15, the newest that XTable up to 0.4 reads."""
PARTITION_STATISTICS_SINCE = 8
TABLE_VERSIONS = (6, 8, 9)


@dataclass(frozen=True)
class Variant:
    """One kind of the table."""

    zips: Zips
    indexes: Indexes

    @classmethod
    def parse(cls, text: str) -> Variant:
        """`random:both`, `sorted:both`, `random:column`, … Raises ValueError for anything else."""
        zips, _, indexes = text.partition(":")
        if zips not in ZIPS or indexes not in INDEXES:
            raise ValueError(f"{text!r} is not one of {'|'.join(ZIPS)}:{'|'.join(INDEXES)}")
        return cls(zips, indexes)

    def __str__(self) -> str:
        return f"{self.zips}:{self.indexes}"


def demand_writable(release: HudiRelease, table_version: int, indexes: Indexes) -> None:
    """Raises Problem where that release cannot write such a table."""
    if table_version > release.table_version:
        raise Problem(
            f"Hudi {release} writes tables of version {release.table_version} at most, not {table_version}: "
            "choose another --table-version or --hudi."
        )
    if indexes == "both" and table_version < PARTITION_STATISTICS_SINCE:
        raise Problem(
            f"A table of version {table_version} has no partition statistics "
            f"(version {PARTITION_STATISTICS_SINCE} or newer has): choose --indexes column."
        )
