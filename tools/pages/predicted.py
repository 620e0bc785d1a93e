"""New findings that the register predicts: of a recorded table that meets an entry's condition and that no entry names.

Such a finding needs no edit of the register: `extents.py` takes its table into the locked file. It does so only if
the finding is what one entry, and no other, describes on other tables at that release, in columns that the condition
names. A document does not say how a claim breaks, so nothing is predicted by a block that goes by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lab.provision.register import REGISTER, extents
from tools.pages.affected import CALLED, UpgradeCase, answer, asked, source
from xtable.writer import ICEBERG, WRITERS, Writer
from xtable_audit.affected.conditions import NOT, columns_shown, match
from xtable_audit.affected.releases import covered, release_of
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry, Where
from xtable_audit.register.extent import Extents
from xtable_audit.report.document import Document


def is_new(claim: ClaimResult) -> bool:
    """Whether it is a finding of its own that no entry has, at this extent or another."""
    return _is_own(claim) and claim.outcome is Outcome.FINDING


def predicting(claim: ClaimResult, document: Document, entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries that the finding may belong to, by what they say: it does if there is one.

    An entry that has the claim on this table describes it there, or not at all. Another one describes it if the table
    meets or may meet its condition; of several, the one that has it in what another writer of XTable's made of the same
    source.
    """
    dataset, _, translator = (claim.table or "").partition("-")
    if not (_is_own(claim) and claim.outcome in FAILS and translator in WRITERS and dataset in asked()):
        return ()
    by, id = WRITERS[translator], claim.finding.registered if claim.finding else None
    there = [(entry, blocks) for entry in entries if (blocks := _of_claim(entry, claim, str(claim.table)))]
    found = [entry for entry, blocks in there if any(_describes(one, claim, document) for one in blocks)]
    if not there:
        named = _named(dataset, by, document)
        found = [entry for entry in entries if entry.id in named and _is_alike(entry, claim, document, by)]
        twins = [f"{dataset}-{other}" for other in WRITERS if other != translator]
        of_twins = [entry for entry in found if any(_of_claim(entry, claim, twin) for twin in twins)]
        found = of_twins if len(of_twins) == 1 else found
    return tuple(entry for entry in found if id in (None, entry.id))


def _is_own(claim: ClaimResult) -> bool:
    return claim.finding is not None and not claim.follows and claim.finding.changed_from is None


def _of_claim(entry: Entry, claim: ClaimResult, table: str) -> list[Where]:
    """The lasting blocks that have the claim on a table, and ask for no reader."""
    return [one for one in entry.lasting(claim.claim, table) if not one.readers]


def _describes(where: Where, claim: ClaimResult, document: Document) -> bool:
    """Whether a block that has the claim on this table describes the finding; of a release that is not in the locked
    file yet, as it holds at the newest one that is.
    """
    assert claim.finding is not None
    if where.deviation or where.misfit or not where.resembles(claim.finding):
        return False
    if where.planners and claim.test.removesuffix("]").rpartition("-")[2] not in where.planners:
        return False
    seen = extents(REGISTER) or Extents({})
    return where.in_force(seen.nearest(document.translation.release), document.run.upgrade_from)


def _is_alike(entry: Entry, claim: ClaimResult, document: Document, by: Writer) -> bool:
    """Whether it describes such a finding on other tables, and its condition names the finding's columns here."""
    assert claim.finding is not None
    finding, release, since = claim.finding, document.translation.release, document.run.upgrade_from
    of_others = any(
        one.locked
        and claim.claim in one.claims
        and not (one.deviation or one.misfit or one.readers or one.planners or one.questions)
        and one.in_force(release, since)
        and replace(one, columns=()).resembles(finding)
        for one in entry.where
    )
    table = source(str(claim.table).partition("-")[0])
    asked = (
        columns_shown(block, table)
        for block in entry.affects
        if block.concerns(by.target) and block.writer in ("", CALLED.get(by.id))
        if block.mended or match(block, table) != NOT
    )
    return of_others and any(columns is None or {*finding.columns} <= columns for columns in asked)


def _named(dataset: str, by: Writer, document: Document) -> frozenset[str]:
    """What the table meets or may meet by the facts of its source, though no run has seen it in this target yet."""
    release, since = (
        release_of(version, covered(REGISTER)) if version else None
        for version in (document.translation.release, document.run.upgrade_from)
    )
    assert release is not None
    cases = (
        UpgradeCase(dataset, release.to(target), since.to(target) if since else None, by)
        for target in (by.target, ICEBERG.target)
    )
    return frozenset(one.id for case in cases for one in answer(case))
