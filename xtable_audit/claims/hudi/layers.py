"""How many files each of Hudi's two indexes keeps, against what exact bounds would keep, and which files are read."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.claims.hudi.answers import answered, shown
from xtable_audit.hudi.actual_values import COLUMN_STATISTICS, PARTITION_STATISTICS
from xtable_audit.hudi.case import HudiCase, HudiTrial, partition_of
from xtable_audit.hudi.deviation import READ_IT, Deviation
from xtable_audit.hudi.ideal_bounds import could_match
from xtable_audit.hudi.needs import ANY_WAY, WITH_SKIPPING
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import columns_of

SPEC = "Hudi, Data Skipping: partitions are left out by partition statistics, then files by column statistics"
FOR_THE_SCHEMA = 1
"""Extra files read: Hudi reads the schema from the footer of a file of the last commit."""


@claim(
    "the files that are planned are those that Hudi's layers leave",
    needs=ANY_WAY,
    spec=SPEC,
    breaks=Verdict.LOOSE,
    blame=READ_IT,
    asks=("off", "unlisted", "on"),
)
def planned_files_are_those_the_layers_leave(case: HudiCase) -> Iterator[Deviation]:
    """No layer adds files, and the scan has as many files as the last layer keeps."""
    for trial in answered(case):
        layers = (trial.live, trial.after_partition_statistics, trial.after_column_statistics)
        told = [count for count in layers if count is not None]
        planned = [] if trial.planned is None else [len(trial.planned)]
        grows = told != sorted(told, reverse=True)
        unlike = bool(planned) and trial.after_column_statistics not in (None, *planned)
        if grows or unlike:
            steps = " → ".join(f"{count:,}" for count in told)
            saw = f"{steps} files by the layers, {planned[0] if planned else 'none known'} planned for {shown(trial)}"
            yield Deviation(saw, "as many as the last layer leaves", trial.planned or frozenset())


@claim(
    "partition statistics leave no more than the partitions that could match",
    needs=WITH_SKIPPING,
    spec=f"{SPEC}; by the smallest and the largest value of each partition",
    breaks=Verdict.LOOSE,
    blame=READ_IT,
    asks=("on",),
)
def partition_statistics_leave_the_partitions_that_could_match(case: HudiCase) -> Iterator[Deviation]:
    """Hudi does not use the index if the predicate names a partition column."""
    stage = case.newest
    for trial in _skipping(case, PARTITION_STATISTICS):
        if columns_of(trial.predicate) & stage.partitioned_by:
            continue
        could = could_match(stage, PARTITION_STATISTICS, trial.predicate)
        left = stage.partitions if trial.partitions is None else frozenset(trial.partitions)
        if more := left - could:
            asked = "" if trial.partitions is not None else ": the index was not asked"
            yield Deviation(
                f"{len(left)} of {many(len(stage.partitions), 'partition')} left for {shown(trial)}{asked}",
                f"{len(could)}: by its values {min(more)!r} holds no match",
                frozenset(file for file in stage.files if partition_of(file) in more),
            )


@claim(
    "column statistics leave no more than the files that could match",
    needs=WITH_SKIPPING,
    spec=f"{SPEC}; by the smallest and the largest value of each file",
    breaks=Verdict.LOOSE,
    blame=READ_IT,
    asks=("on",),
)
def column_statistics_leave_the_files_that_could_match(case: HudiCase) -> Iterator[Deviation]:
    """Counts only files in the partitions that the partition stats keep."""
    for trial in _skipping(case, COLUMN_STATISTICS):
        if trial.after_column_statistics is None:
            continue
        could = could_match(case.newest, COLUMN_STATISTICS, trial.predicate)
        if trial.partitions is not None:
            could = frozenset(file for file in could if partition_of(file) in trial.partitions)
        if trial.after_column_statistics > len(could):
            yield Deviation(
                f"{trial.after_column_statistics:,} of {many(len(case.newest.files), 'file')} left for {shown(trial)}",
                f"{len(could):,}, by their values",
                (trial.planned or frozenset()) - could,
            )


@claim(
    "the files that are read are those that are planned, and one for the schema",
    needs=ANY_WAY,
    spec="the store's own request log",
    breaks=Verdict.LOOSE,
    blame=READ_IT,
    asks=("off", "unlisted", "on"),
)
def read_files_are_those_planned(case: HudiCase) -> Iterator[Deviation]:
    """COSMETIC if the request log lacks a planned file: the log is then not reliable for the others either."""
    for trial in answered(case):
        if trial.read is None or trial.planned is None:
            continue
        more, fewer = trial.read - trial.planned, trial.planned - trial.read
        if len(more) > FOR_THE_SCHEMA:
            saw = f"{many(len(trial.read), 'file')} read for {shown(trial)}"
            yield Deviation(saw, f"{len(trial.planned):,}, and one for the schema", more)
        if fewer:
            saw = f"{len(fewer):,} of {many(len(trial.planned), 'file')} planned and never read for {shown(trial)}"
            yield Deviation(saw, "each of them planned", fewer, verdict=Verdict.COSMETIC)


def _skipping(case: HudiCase, index: str) -> Iterator[HudiTrial]:
    """Trials with skipping on, over a table with the index."""
    return (trial for trial in answered(case) if trial.mode == "on" and index in case.newest.indexed)
