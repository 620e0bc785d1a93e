"""Recognises findings on a table that the register does not name, by the sign that the deviating values share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xtable_audit.claims.translation.rows import no_row_is_stale
from xtable_audit.formats.registered import is_source, source_format
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.finding import Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.sign import Sign
from xtable_audit.model.source_fact import TableFact
from xtable_audit.register.entry import Entry, Where

COMPONENT = "xtable"


def recognise(finding: Finding, writer: MetadataWriter, entries: Iterable[Entry]) -> Finding:
    """The finding, with the entry whose sign it has. Who errs is then known from the entry."""
    if not writer.is_xtable or not finding.blame.is_xtables:
        return finding
    entries = tuple(entries)
    if Sign.KEPT_BESIDE in finding.signs and finding.claim == no_row_is_stale.id:
        known_as = next((entry.id for entry in entries if _leaves_out(entry, writer.source)), None)
        because = f"the source keeps updates or deletes of these files in its {_kept_in(writer.source)}"
        return replace(finding, because=because).known_as(known_as) if known_as else finding
    for entry in entries:
        for known in entry.with_sign:
            if _has_sign(finding, known, writer):
                because = f"known by its sign: {known.sign}"
                return replace(finding, blame=known.blame, because=because).known_as(entry.id)
    return finding


def _leaves_out(entry: Entry, source: str) -> bool:
    """Whether the entry is that XTable leaves out what such a source keeps beside its data files."""
    return any(one.format == source and one.facts == (_kept_in(source),) and not one.unseen for one in entry.affects)


def _kept_in(source: str) -> TableFact | None:
    """What a source of that format keeps updates and deletes in, beside its data files."""
    return source_format(source).keeps_beside if is_source(source) else None


def _has_sign(finding: Finding, known: Where, writer: MetadataWriter) -> bool:
    """The sign tells the path to the code that errs, so the finding's own blame does not count."""
    if known.component != COMPONENT or not known.blame.is_xtables:
        return False
    blamed = replace(finding, blame=known.blame)
    releases = writer.releases or tuple(one.version for one in known.releases)
    return any(known.knows(blamed, {COMPONENT: release}) for release in releases)


def with_companions(results: Iterable[ClaimResult], entries: Iterable[Entry]) -> tuple[ClaimResult, ...]:
    """The results, in which a finding is also known if its columns are those of one that is known by its sign, and the
    entry lists its claim: one cause breaks several claims.
    """
    found, by_id = tuple(results), {entry.id: entry for entry in entries}
    leaders = [result.finding for result in found if result.finding is not None and result.finding.registered]
    return tuple(_companion(result, leaders, by_id) for result in found)


def _companion(result: ClaimResult, leaders: Sequence[Finding], by_id: dict[str, Entry]) -> ClaimResult:
    finding = result.finding
    if finding is None or finding.registered or not finding.columns or not finding.blame.is_xtables:
        return result
    for leader in leaders:
        entry = by_id[str(leader.registered)]
        if set(finding.columns) <= set(leader.columns) and any(_lists(one, finding) for one in entry.where):
            because = f"as {leader.claim} on the same columns"
            known = replace(finding, blame=leader.blame, because=because).known_as(entry.id)
            return replace(result, finding=known, outcome=Outcome.KNOWN)
    return result


def _lists(where: Where, finding: Finding) -> bool:
    return where.component == COMPONENT and finding.claim in where.claims and finding.verdict is where.verdict
