"""Results of Hudi's own reader, with and without skipping, against the actual values."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.hudi.actual_values import PARTITION_STATISTICS, matching, matching_files
from xtable_audit.hudi.case import HudiCase, HudiTrial, partition_of
from xtable_audit.hudi.deviation import READ_IT, Deviation, Loss
from xtable_audit.hudi.needs import QUESTIONS, WITH_SKIPPING, WITHOUT_SKIPPING
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import columns_of

SPEC = "Hudi, Data Skipping: files are left out that hold no matching row"


@claim(
    "Hudi's reader answers every question, also where an index that fails may not be passed over",
    needs=QUESTIONS,
    spec="hoodie.fileIndex.dataSkippingFailureMode=strict",
    breaks=Verdict.UNREADABLE,
    blame=READ_IT,
    asks=("off", "unlisted", "on"),
)
def every_question_is_answered(case: HudiCase) -> Iterator[Deviation]:
    for trial in case.trials:
        if trial.error is not None:
            saw = f"{trial.error} {_asked(trial)}"
            yield Deviation(saw, "an answer", case.newest.files, column=_column(trial))


@claim(
    "without skipping Hudi's reader finds every row",
    needs=WITHOUT_SKIPPING,
    spec="the control: the values are what they are taken for",
    breaks=Verdict.UNSOUND,
    blame=READ_IT,
    asks=("off", "unlisted"),
)
def no_row_is_lost_without_skipping(case: HudiCase) -> Iterator[Deviation]:
    """DUPLICATE if it finds more rows."""
    for trial in answered(case):
        actual = sum(matching(case, trial.predicate).values())
        if trial.mode != "on" and trial.rows != actual:
            yield _rows(case, trial, actual)


@claim(
    "with skipping Hudi's reader finds every row",
    needs=WITH_SKIPPING,
    spec=SPEC,
    breaks=Verdict.UNSOUND,
    blame=READ_IT,
    asks=("on",),
)
def no_row_is_lost_by_skipping(case: HudiCase) -> Iterator[Deviation]:
    """Ignores wrong counts that also occur without skipping: another claim reports them. DUPLICATE if it finds more."""
    without = {trial.predicate: trial.rows for trial in answered(case) if trial.mode == "off"}
    for trial in answered(case):
        actual = sum(matching(case, trial.predicate).values())
        if trial.mode == "on" and trial.rows not in (actual, without.get(trial.predicate)):
            yield _rows(case, trial, actual)


@claim(
    "with skipping Hudi's reader reads every file that holds a matching row",
    needs=WITH_SKIPPING,
    spec=SPEC,
    breaks=Verdict.UNSOUND,
    blame=READ_IT,
    asks=("on",),
)
def no_matching_file_is_left_out(case: HudiCase) -> Iterator[Deviation]:
    for trial in answered(case):
        if trial.mode != "on" or trial.planned is None:
            continue
        wanted = matching_files(case, trial.predicate)
        if lost := wanted - trial.planned:
            saw = f"{len(lost)} of {len(wanted)} matching files left out {_asked(trial)}: {_layer(case, trial, lost)}"
            actual = matching(case, trial.predicate)
            loss = Loss(trial.predicate, sum(actual.values()), trial.rows)
            yield Deviation(saw, "each of them planned", lost, column=_column(trial), loss=loss)


@claim(
    "without skipping Hudi's reader leaves out no file but by its partition",
    needs=WITHOUT_SKIPPING,
    spec="hoodie.enable.data.skipping=false; the control: what is left out with skipping is left out by it",
    breaks=Verdict.LOOSE,
    blame=(Blame.SUITE, "what is left out with skipping must be left out by it"),
    asks=("off", "unlisted"),
)
def nothing_is_skipped_when_skipping_is_off(case: HudiCase) -> Iterator[Deviation]:
    """Hudi may skip whole partitions if the predicate names a partition column."""
    for trial in answered(case):
        if trial.mode == "on" or trial.planned is None:
            continue
        skipped = case.newest.files - trial.planned
        if columns_of(trial.predicate) & case.newest.partitioned_by:
            touched = {partition_of(file) for file in trial.planned}
            skipped = frozenset(file for file in skipped if partition_of(file) in touched)
        if skipped:
            saw = f"{len(skipped)} of {many(len(case.newest.files), 'file')} left out {_asked(trial)}"
            yield Deviation(saw, "none", skipped, column=_column(trial))


def answered(case: HudiCase) -> Iterator[HudiTrial]:
    """Trials with an answer."""
    return (trial for trial in case.trials if trial.error is None and trial.rows is not None)


def _rows(case: HudiCase, trial: HudiTrial, actual: int) -> Deviation:
    assert trial.rows is not None
    lost = matching_files(case, trial.predicate) - (trial.planned if trial.planned is not None else frozenset())
    return Deviation(
        f"{many(trial.rows, 'row')} {_asked(trial)}",
        f"{many(actual, 'row')}, by the values",
        lost,
        column=_column(trial),
        verdict=None if trial.rows < actual else Verdict.DUPLICATE,
        loss=Loss(trial.predicate, actual, trial.rows) if trial.rows < actual else None,
    )


def _asked(trial: HudiTrial) -> str:
    skipping = {"off": "skipping off", "unlisted": "the metadata table off", "on": "skipping on"}[trial.mode]
    return f"for {shown(trial)} with {skipping}"


def shown(trial: HudiTrial) -> str:
    """The predicate as SQL, cut to LONGEST characters."""
    words = str(trial.predicate)
    return words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"


LONGEST = 160


def _column(trial: HudiTrial) -> str | None:
    """The predicate's column, if it names exactly one."""
    named = columns_of(trial.predicate)
    return next(iter(named)) if len(named) == 1 else None


def _layer(case: HudiCase, trial: HudiTrial, lost: frozenset[str]) -> str:
    """Which of the two indexes drops the files, and how many each."""
    if PARTITION_STATISTICS not in case.newest.indexed or trial.partitions is None:
        return "by column statistics"
    early = {file for file in lost if partition_of(file) not in trial.partitions}
    told = [
        (len(early), "by partition statistics"),
        (len(lost) - len(early), "by column statistics"),
    ]
    return ", ".join(f"{count} {by}" for count, by in told if count)
