"""Coverage of Hudi's indexes: every live file and partition, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from xtable_audit.claims.hudi.index_walk import KINDS, IndexAtStage, claim_on_records, indexes, true
from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind, actual_metrics_of
from xtable_audit.hudi.case import HudiCase
from xtable_audit.hudi.deviation import Deviation
from xtable_audit.hudi.index import is_column, recorded_columns, records
from xtable_audit.model.finding import Verdict

SPEC = "Hudi, Metadata Table"


@claim_on_records(
    "every live file has column statistics of the columns that any file has them of",
    spec=f"{SPEC}; ColumnStatsIndexSupport: a column that a file has none of, and others it has, is taken for all null",
    breaks=Verdict.UNSOUND,
)
def every_live_file_has_its_column_statistics(case: HudiCase) -> Iterator[Deviation]:
    """LOOSE for a file without statistics: Hudi always reads it. COSMETIC if all values are null, as Hudi assumes."""
    yield from _missing(case, COLUMN_STATISTICS)


@claim_on_records(
    "every live partition has partition statistics of the columns that any partition has them of",
    spec=f"{SPEC}; PartitionStatsIndexSupport: a partition that the index does not name is skipped",
    breaks=Verdict.UNSOUND,
)
def every_live_partition_has_its_partition_statistics(case: HudiCase) -> Iterator[Deviation]:
    """COSMETIC if all values are null: Hudi removes null filters before it uses partition stats."""
    yield from _missing(case, PARTITION_STATISTICS)


@claim_on_records(
    "no statistics are of a file, a partition or a column that is gone",
    spec=f"{SPEC}; files that are no longer live keep theirs until they are cleaned",
    breaks=Verdict.COSMETIC,
)
def no_statistics_of_what_is_gone(case: HudiCase) -> Iterator[Deviation]:
    for place in indexes(case, *KINDS):
        there = place.stage.partitions if place.kind == PARTITION_STATISTICS else place.stage.files | place.stage.beside
        for column in recorded_columns(place.stage, place.kind):
            of = records(place.stage, place.kind, column)["of"].to_pylist()
            gone = [one not in there for one in of]
            known = is_column(place.stage, column)
            yield from place.deviation(
                of,
                np.array(gone) if known else np.ones(len(of), dtype=bool),
                lambda i: "statistics of",
                lambda i: "none: it is gone" if known else "none: the table has no such column",  # noqa: B023
                column,
            )


def _missing(case: HudiCase, kind: Kind) -> Iterator[Deviation]:
    for place in indexes(case, kind):
        columns = [column for column in recorded_columns(place.stage, kind) if is_column(place.stage, column)]
        if not columns and place.stage.files:
            saw = f"an index without a record {place.words}"
            yield Deviation(saw, "one of each file", place.stage.files, place.number, verdict=Verdict.LOOSE)
        named = {column: set(records(place.stage, kind, column)["of"].to_pylist()) for column in columns}
        somewhere = set().union(*named.values())
        for column in columns:
            yield from _missing_of(place, column, named[column], somewhere)


def _missing_of(place: IndexAtStage, column: str, named: set[str], somewhere: set[str]) -> Iterator[Deviation]:
    actual = actual_metrics_of(place.stage, place.kind, column)
    of = actual["of"].to_pylist()
    if not named & set(of):
        return  # no live file or partition has statistics: the column is no longer indexed
    absent = np.array([one not in named for one in of])
    values = true(pc.less(actual["nulls"], actual["rows"]))
    partial = np.array([one in somewhere for one in of])
    misled = absent & values & (partial if place.kind == COLUMN_STATISTICS else True)
    unread = absent & values & ~misled
    null = absent & ~values & true(pc.greater(actual["rows"], 0))
    for mask, verdict in ((misled, None), (unread, Verdict.LOOSE), (null, Verdict.COSMETIC)):
        yield from place.deviation(
            of,
            mask,
            lambda i: "no statistics of",
            lambda i: f"{actual['rows'][i].as_py() - actual['nulls'][i].as_py()} values",
            column,
            verdict,
        )
