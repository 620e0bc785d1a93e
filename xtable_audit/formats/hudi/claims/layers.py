"""How many files each of Hudi's two indexes keeps, against what exact bounds would keep, and which files are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import compress

import numpy as np
import pyarrow.compute as pc

from xtable_audit.formats.hudi.claims.answers import ANY_WAY, WITH_SKIPPING, claim_on_answers
from xtable_audit.formats.hudi.claims.deviation import HudiDeviation, in_files, recorded_columns, view
from xtable_audit.formats.hudi.index import COLUMN_STATISTICS, PARTITION_STATISTICS, Kind
from xtable_audit.formats.hudi.indexed_table import (
    HudiCase,
    HudiStage,
    HudiTrial,
    actual_metrics,
    column_values,
    columns,
    partition_of,
)
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, columns_of
from xtable_audit.model.scalars import Mask
from xtable_audit.planning.judge_planner import select
from xtable_audit.planning.pruning_trial import shown

SPEC = "Hudi, Data Skipping: partitions are left out by partition statistics, then files by column statistics"
FOR_THE_SCHEMA = 1
"""Extra files read: Hudi reads the schema from the footer of a file of the last commit."""


@claim_on_answers(
    "the files that are planned are those that Hudi's layers leave", ANY_WAY, spec=SPEC, breaks=Verdict.LOOSE
)
def planned_files_are_those_the_layers_leave(case: HudiCase) -> Iterator[HudiDeviation]:
    """No layer adds files, and the scan has as many files as the last layer keeps."""
    for trial in case.answered:
        layers = (trial.live, trial.after_partition_statistics, trial.after_column_statistics)
        told = [count for count in layers if count is not None]
        planned = [] if trial.planned is None else [len(trial.planned)]
        grows = told != sorted(told, reverse=True)
        unlike = bool(planned) and trial.after_column_statistics not in (None, *planned)
        if grows or unlike:
            steps = " → ".join(f"{count:,}" for count in told)
            scan = f"{planned[0] if planned else 'none known'} planned for {shown(trial.predicate)}"
            saw = f"{steps} files by the layers, {scan}"
            yield in_files(case, trial.planned or (), saw, "as many as the last layer leaves")


@claim_on_answers(
    "partition statistics leave no more than the partitions that could match",
    WITH_SKIPPING,
    spec=f"{SPEC}; by the smallest and the largest value of each partition",
    breaks=Verdict.LOOSE,
)
def partition_statistics_leave_the_partitions_that_could_match(case: HudiCase) -> Iterator[HudiDeviation]:
    """Hudi does not use the index if the predicate names a partition column."""
    stage = case.newest
    for trial in _skipping(case, PARTITION_STATISTICS):
        if columns_of(trial.predicate) & stage.partitioned_by:
            continue
        could = could_match(stage, PARTITION_STATISTICS, trial.predicate)
        left = stage.partitions if trial.partitions is None else frozenset(trial.partitions)
        if more := left - could:
            asked = "" if trial.partitions is not None else ": the index was not asked"
            yield in_files(
                case,
                (file for file in stage.files if partition_of(file) in more),
                f"{len(left)} of {many(len(stage.partitions), 'partition')} left for {shown(trial.predicate)}{asked}",
                f"{len(could)}: by its values {min(more)!r} holds no match",
            )


@claim_on_answers(
    "column statistics leave no more than the files that could match",
    WITH_SKIPPING,
    spec=f"{SPEC}; by the smallest and the largest value of each file",
    breaks=Verdict.LOOSE,
)
def column_statistics_leave_the_files_that_could_match(case: HudiCase) -> Iterator[HudiDeviation]:
    """Counts only files in the partitions that the partition stats keep."""
    for trial in _skipping(case, COLUMN_STATISTICS):
        if trial.after_column_statistics is None:
            continue
        could = could_match(case.newest, COLUMN_STATISTICS, trial.predicate)
        if trial.partitions is not None:
            could = frozenset(file for file in could if partition_of(file) in trial.partitions)
        if trial.after_column_statistics > len(could):
            files = many(len(case.newest.files), "file")
            yield in_files(
                case,
                (trial.planned or frozenset()) - could,
                f"{trial.after_column_statistics:,} of {files} left for {shown(trial.predicate)}",
                f"{len(could):,}, by their values",
            )


@claim_on_answers(
    "the files that are read are those that are planned, and one for the schema",
    ANY_WAY,
    spec="the store's own request log",
    breaks=Verdict.LOOSE,
)
def read_files_are_those_planned(case: HudiCase) -> Iterator[HudiDeviation]:
    """COSMETIC if the request log lacks a planned file: the log is then not reliable for the others either."""
    for trial in case.answered:
        if trial.read is None or trial.planned is None:
            continue
        more, fewer = trial.read - trial.planned, trial.planned - trial.read
        if len(more) > FOR_THE_SCHEMA:
            saw = f"{many(len(trial.read), 'file')} read for {shown(trial.predicate)}"
            yield in_files(case, more, saw, f"{len(trial.planned):,}, and one for the schema")
        if fewer:
            unread = f"{len(fewer):,} of {many(len(trial.planned), 'file')} planned and never read"
            saw = f"{unread} for {shown(trial.predicate)}"
            yield in_files(case, fewer, saw, "each of them planned", verdict=Verdict.COSMETIC)


def _skipping(case: HudiCase, index: Kind) -> Iterator[HudiTrial]:
    """Trials with skipping on, over a table with the index."""
    return (trial for trial in case.answered if trial.mode == "on" and index in case.newest.indexed)


def could_match(stage: HudiStage, kind: Kind, predicate: Predicate) -> frozenset[str]:
    """The live files or partitions that exact bounds keep; all of them for predicates that Hudi does not prune by.

    Hudi uses both indexes for =, <, <=, >, >= and IN on indexed columns, joined by AND and OR, and column stats for
    IS NULL and IS NOT NULL too. DataSkippingUtils also supports prefixes, != and NOT IN; here they prune nothing.
    """
    return frozenset(compress(stage.live(kind), _kept(stage, kind, predicate)))


def _kept(stage: HudiStage, kind: Kind, predicate: Predicate) -> Mask:
    match predicate:
        case And(left, right):
            return _kept(stage, kind, left) & _kept(stage, kind, right)
        case Or(left, right):
            return _kept(stage, kind, left) | _kept(stage, kind, right)
        case Compare(column, "=" | "<" | "<=" | ">" | ">=") | In(column, negated=False):
            return _by_exact_bounds(stage, kind, column, predicate)
        case IsNull(column) if kind == COLUMN_STATISTICS:
            return _by_exact_bounds(stage, kind, column, predicate)
    return np.ones(len(stage.live(kind)), dtype=bool)


def _by_exact_bounds(stage: HudiStage, kind: Kind, column: str, predicate: Predicate) -> Mask:
    """NaN is greater than any number: what holds it is kept for `>` and `>=`."""
    case = view(stage, kind)
    if not _is_indexed(stage, kind, column):
        return np.ones(len(case.stored.files), dtype=bool)
    actual = actual_metrics(stage, kind, column)
    exact = actual.rename_columns(["lower", "upper", *actual.column_names[2:]])
    kept = select(replace(case.stored, columns={column: exact}), predicate, by_tuples=False)
    if isinstance(predicate, Compare) and predicate.operator in (">", ">="):
        kept = kept | np.asarray(pc.greater(actual["nan_count"], 0))
    return kept


def _is_indexed(stage: HudiStage, kind: Kind, column: str) -> bool:
    """Whether the index has records of the column; of every column if it exists and its records were not read."""
    unread = kind in stage.indexed and stage.index.num_rows == 0
    known = columns(stage) if unread else recorded_columns(stage, kind)
    return column in known and column_values(stage, column) is not None
