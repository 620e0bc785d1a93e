"""Results of Hudi's own reader, with and without skipping, against the actual values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xtable_audit.formats.hudi.claims.deviation import READ_IT, HudiClaim, HudiDeviation, LostRows, in_files
from xtable_audit.formats.hudi.index import PARTITION_STATISTICS
from xtable_audit.formats.hudi.indexed_table import HudiCase, HudiTrial, Mode, matching, partition_of
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.model.predicate import columns_of
from xtable_audit.planning.pruning_trial import Question, shown

SPEC = "Hudi, Data Skipping: files are left out that hold no matching row"


WITH_SKIPPING: tuple[Mode, ...] = ("on",)
WITHOUT_SKIPPING: tuple[Mode, ...] = ("off", "unlisted")
ANY_WAY = (*WITHOUT_SKIPPING, *WITH_SKIPPING)


def answers(*modes: Mode) -> Need[HudiCase]:
    """The need of an answer in one of these modes."""
    return Need(
        f"an answer of Hudi's reader with skipping {' or '.join(modes)}",
        lambda case: sum(trial.mode in modes for trial in case.answered),
    )


def claim_on_answers(
    sentence: str, modes: tuple[Mode, ...], *, spec: str, breaks: Verdict, blame: tuple[Blame, str] = READ_IT
) -> Callable[[Callable[[HudiCase], Iterator[HudiDeviation]]], HudiClaim]:
    """A claim about what Hudi's reader answers in these modes."""
    return claim(sentence, needs=answers(*modes), spec=spec, breaks=breaks, blame=blame, asks=modes)


@claim(
    "Hudi's reader answers every question, also where an index that fails may not be passed over",
    needs=Need[HudiCase]("a question to Hudi's reader", lambda case: len(case.trials)),
    spec="hoodie.fileIndex.dataSkippingFailureMode=strict",
    breaks=Verdict.UNREADABLE,
    blame=READ_IT,
    asks=ANY_WAY,
)
def every_question_is_answered(case: HudiCase) -> Iterator[HudiDeviation]:
    for trial in case.trials:
        if trial.error is not None:
            saw = f"{trial.error} {_asked(trial)}"
            yield in_files(case, case.newest.files, saw, "an answer", column=_column(trial))


@claim_on_answers(
    "without skipping Hudi's reader finds every row",
    WITHOUT_SKIPPING,
    spec="the control: the values are what they are taken for",
    breaks=Verdict.UNSOUND,
)
def no_row_is_lost_without_skipping(case: HudiCase) -> Iterator[HudiDeviation]:
    """DUPLICATE if it finds more rows."""
    for trial in case.answered:
        if trial.mode != "on" and trial.rows != _question(case, trial).rows:
            yield _other_rows(case, trial)


@claim_on_answers("with skipping Hudi's reader finds every row", WITH_SKIPPING, spec=SPEC, breaks=Verdict.UNSOUND)
def no_row_is_lost_by_skipping(case: HudiCase) -> Iterator[HudiDeviation]:
    """Ignores wrong counts that also occur without skipping: another claim reports them. DUPLICATE if it finds more."""
    without = {trial.predicate: trial.rows for trial in case.answered if trial.mode == "off"}
    for trial in case.answered:
        if trial.mode == "on" and trial.rows not in (_question(case, trial).rows, without.get(trial.predicate)):
            yield _other_rows(case, trial)


@claim_on_answers(
    "with skipping Hudi's reader reads every file that holds a matching row",
    WITH_SKIPPING,
    spec=SPEC,
    breaks=Verdict.UNSOUND,
)
def no_matching_file_is_left_out(case: HudiCase) -> Iterator[HudiDeviation]:
    for trial in case.answered:
        wanted = _question(case, trial).matching
        if trial.mode == "on" and trial.planned is not None and (lost := wanted - trial.planned):
            which = f"{len(lost)} of {len(wanted)} matching files left out"
            saw = f"{which} {_asked(trial)}: {_layer(case, trial, lost)}"
            yield _of_rows(case, trial, lost, saw, "each of them planned")


@claim_on_answers(
    "without skipping Hudi's reader leaves out no file but by its partition",
    WITHOUT_SKIPPING,
    spec="hoodie.enable.data.skipping=false; the control: what is left out with skipping is left out by it",
    breaks=Verdict.LOOSE,
    blame=(Blame.SUITE, "what is left out with skipping must be left out by it"),
)
def nothing_is_skipped_when_skipping_is_off(case: HudiCase) -> Iterator[HudiDeviation]:
    """Hudi may skip whole partitions if the predicate names a partition column."""
    for trial in case.answered:
        if trial.mode == "on" or trial.planned is None:
            continue
        skipped = case.newest.files - trial.planned
        if columns_of(trial.predicate) & case.newest.partitioned_by:
            touched = {partition_of(file) for file in trial.planned}
            skipped = frozenset(file for file in skipped if partition_of(file) in touched)
        if skipped:
            saw = f"{len(skipped)} of {many(len(case.newest.files), 'file')} left out {_asked(trial)}"
            yield in_files(case, skipped, saw, "none", column=_column(trial))


def _question(case: HudiCase, trial: HudiTrial) -> Question:
    """What the trial asks, with the matching rows by the actual values."""
    return Question(trial.predicate, _column(trial) or "", matching(case.newest, trial.predicate))


def _other_rows(case: HudiCase, trial: HudiTrial) -> HudiDeviation:
    asked = _question(case, trial)
    assert trial.rows is not None
    saw, expected = f"{many(trial.rows, 'row')} {_asked(trial)}", f"{many(asked.rows, 'row')}, by the values"
    lost = asked.matching - (trial.planned or frozenset())
    if trial.rows > asked.rows:
        return in_files(case, lost, saw, expected, column=_column(trial), verdict=Verdict.DUPLICATE)
    return _of_rows(case, trial, lost, saw, expected)


def _of_rows(case: HudiCase, trial: HudiTrial, files: frozenset[str], saw: str, expected: str) -> HudiDeviation:
    loss = LostRows(_question(case, trial), files, trial.rows)
    return in_files(case, files, saw, expected, column=_column(trial), loss=loss)


def _asked(trial: HudiTrial) -> str:
    skipping = {"off": "skipping off", "unlisted": "the metadata table off", "on": "skipping on"}[trial.mode]
    return f"for {shown(trial.predicate)} with {skipping}"


def _column(trial: HudiTrial) -> str | None:
    """The predicate's column, if it names exactly one."""
    named = columns_of(trial.predicate)
    return next(iter(named)) if len(named) == 1 else None


def _layer(case: HudiCase, trial: HudiTrial, lost: frozenset[str]) -> str:
    """Which of the two indexes drops the files, and how many each."""
    if PARTITION_STATISTICS not in case.newest.indexed or trial.partitions is None:
        return "by column statistics"
    early = {file for file in lost if partition_of(file) not in trial.partitions}
    told = [(len(early), "by partition statistics"), (len(lost) - len(early), "by column statistics")]
    return ", ".join(f"{count} {by}" for count, by in told if count)
