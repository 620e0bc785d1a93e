"""Coverage of Hudi's indexes: every live file and partition, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from xtable_audit.formats.hudi.claims.deviation import HudiDeviation, in_files, recorded_columns, records_of
from xtable_audit.formats.hudi.claims.records import KINDS, IndexAtStage, claim_on_records, indexes, true
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import Mask

SPEC = "Hudi, Metadata Table"


@claim_on_records(
    "every live file has column statistics of the columns that any file has them of",
    spec=f"{SPEC}; ColumnStatsIndexSupport: a column that a file has none of, and others it has, is taken for all null",
    breaks=Verdict.UNSOUND,
)
def every_live_file_has_its_column_statistics(case: HudiCase) -> Iterator[HudiDeviation]:
    """LOOSE for a file without statistics: Hudi always reads it. COSMETIC if all values are null, as Hudi assumes."""
    yield from _missing(case, COLUMN_STATISTICS)


@claim_on_records(
    "every live partition has partition statistics of the columns that any partition has them of",
    spec=f"{SPEC}; PartitionStatsIndexSupport: a partition that the index does not name is skipped",
    breaks=Verdict.UNSOUND,
)
def every_live_partition_has_its_partition_statistics(case: HudiCase) -> Iterator[HudiDeviation]:
    """COSMETIC if all values are null: Hudi removes null filters before it uses partition stats."""
    yield from _missing(case, PARTITION_STATISTICS)


@claim_on_records(
    "no statistics are of a file, a partition or a column that is gone",
    spec=f"{SPEC}; files that are no longer live keep theirs until they are cleaned",
    breaks=Verdict.COSMETIC,
)
def no_statistics_of_what_is_gone(case: HudiCase) -> Iterator[HudiDeviation]:
    for index in indexes(case, *KINDS):
        stage, kind = index.stage, index.kind
        there = stage.partitions if kind == PARTITION_STATISTICS else stage.files | stage.beside
        for column in recorded_columns(stage, kind):
            known = column in index.case.stored.columns
            of = records_of(stage, kind, column)["of"].to_pylist()
            if gone := [one for one in of if not known or one not in there]:
                expected = "none: it is gone" if known else "none: the table has no such column"
                yield index.deviation(gone, "statistics of", expected, column)


def _missing(case: HudiCase, kind: Kind) -> Iterator[HudiDeviation]:
    for index in indexes(case, kind):
        stage, recorded = index.stage, {name: true(of["recorded"]) for name, of in index.case.stored.columns.items()}
        if not recorded and stage.files:
            saw, expected = f"an index without a record after {stage.words}", "one of each file"
            yield in_files(case, stage.files, saw, expected, stage=index.number, verdict=Verdict.LOOSE)
        somewhere = np.logical_or.reduce([*recorded.values()])
        for column, here in recorded.items():
            if here.any():  # else the column is no longer indexed
                yield from _missing_of(index, column, ~here, somewhere | (kind == PARTITION_STATISTICS))


def _missing_of(index: IndexAtStage, column: str, absent: Mask, misleads: Mask) -> Iterator[HudiDeviation]:
    """`misleads` marks files and partitions that are skipped where a record is absent."""
    actual = index.case.actual.columns[column]
    values = pc.subtract(actual["value_count"], actual["null_count"])
    some, rows = true(pc.greater(values, 0)), true(pc.greater(actual["value_count"], 0))
    masks = ((some & misleads, None), (some & ~misleads, Verdict.LOOSE), (rows & ~some, Verdict.COSMETIC))
    for mask, verdict in masks:
        yield from index.deviations(
            column, absent & mask, lambda i: "no statistics of", lambda i: f"{values[i]} values", verdict
        )
