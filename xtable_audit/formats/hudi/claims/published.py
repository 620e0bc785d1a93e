"""The published measurement: the indexes of its table, and the share of files that skipping keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.formats.hudi.claims.answers import WITH_SKIPPING, answers
from xtable_audit.formats.hudi.claims.deviation import READ_IT, WROTE_IT, HudiDeviation, in_files
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict

ANSWERS = answers(*WITH_SKIPPING)


@dataclass(frozen=True)
class Published:
    """A table that repeats the published measurement."""

    case: HudiCase
    indexes: frozenset[str]
    """The indexes that it is written with."""
    files_left: int
    """Number of files that match the published share."""


@claim(
    "the table has the indexes it was written with",
    needs=Need[Published]("a table that is written", lambda published: len(published.case.stages)),
    spec="hoodie.table.metadata.partitions",
    breaks=Verdict.LOOSE,
    blame=WROTE_IT,
)
def the_indexes_are_there(published: Published) -> Iterator[HudiDeviation]:
    """Without the indexes, Hudi cannot skip, and the measurement shows nothing."""
    there = published.case.newest.indexed
    if there != published.indexes:
        files = published.case.newest.files
        yield in_files(published.case, files, _listed(there), _listed(published.indexes))


@claim(
    "skipping leaves 19,304 of 393,360 files, as published, to the file at this scale",
    needs=Need[Published](ANSWERS.words, lambda published: ANSWERS.count(published.case)),
    spec="the published measurement of `zip_code = '10001'`",
    breaks=Verdict.LOOSE,
    blame=READ_IT,
)
def skipping_leaves_one_file_in_twenty(published: Published) -> Iterator[HudiDeviation]:
    files = published.case.newest.files
    for trial in published.case.trials:
        if trial.mode == "on" and (trial.planned is None or len(trial.planned) != published.files_left):
            left = "no scan that can be read" if trial.planned is None else f"{len(trial.planned):,} of {len(files):,}"
            yield in_files(published.case, files, left, f"{many(published.files_left, 'file')} planned")


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"
