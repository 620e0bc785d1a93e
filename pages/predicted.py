"""New findings that the register predicts: of a recorded table that meets an entry's condition and that no entry names.

Such a finding needs no edit of the register: `pages.extents` takes its table into the locked file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pages.affected import UpgradeCase, answer, recorded
from provision.register import REGISTER
from xtable.writer import ICEBERG, WRITERS
from xtable_audit.affected.releases import covered, release_of
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry, Where
from xtable_audit.report.document import Document


def is_new(claim: ClaimResult) -> bool:
    """Whether it is a finding of its own that no entry has, at this extent or another."""
    return _is_own(claim) and claim.outcome is Outcome.FINDING


def may_be_predicted(claim: ClaimResult) -> bool:
    """Whether it is new, or known by its cause alone perhaps."""
    return _is_own(claim) and claim.outcome in FAILS


def _is_own(claim: ClaimResult) -> bool:
    return claim.finding is not None and not claim.follows and claim.finding.changed_from is None


def predicting(claim: ClaimResult, document: Document, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entry that names the table since the run; else those whose condition the table meets or may meet, and that
    describe such a finding on other tables. Of several, the one that has it in what another writer of XTable's made of
    the same source.
    """
    dataset, _, translator = (claim.table or "").partition("-")
    if claim.finding is None or translator not in WRITERS or dataset not in recorded():
        return ()
    finding = claim.finding
    if names := tuple(one for one in entries if any(where.resembles(finding) for where in _at(one, claim))):
        return names
    named = _named(dataset, translator, document)
    alike = tuple(
        entry
        for entry in entries
        if entry.id in named
        and any(block.concerns(WRITERS[translator].target) for block in entry.affects)
        and any(
            where.locked and claim.claim in where.claims and replace(where, columns=()).resembles(finding)
            for where in entry.where
        )
    )
    twins = tuple(
        entry for entry in alike if any(_at(entry, replace(claim, table=f"{dataset}-{by}")) for by in WRITERS)
    )
    return twins if len(twins) == 1 else alike


def _at(entry: Entry, claim: ClaimResult) -> list[Where]:
    return [one for one in entry.where if claim.claim in one.claims and claim.table in one.subjects]


def _named(dataset: str, translator: str, document: Document) -> frozenset[str]:
    """What the table meets or may meet by the facts of its source, though no run has seen it in this target yet."""
    release, since = (
        release_of(version, covered(REGISTER)) if version else None
        for version in (document.translation.release, document.run.upgrade_from)
    )
    assert release is not None
    by = WRITERS[translator]
    cases = (
        UpgradeCase(dataset, release.to(target), since.to(target) if since else None, by)
        for target in (by.target, ICEBERG.target)
    )
    return frozenset(one.id for case in cases for one in answer(case))
