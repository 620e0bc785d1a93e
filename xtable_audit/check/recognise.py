"""Which finding of the register one of this table is or may be, and whose fault it is, by who wrote the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.claims.translation.rows import no_row_is_stale
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.formats.installed import is_source, source_format, target_of
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.deviation_kind import Sign
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.source_fact import TableFact
from xtable_audit.register.affects import Affects
from xtable_audit.register.entry import Common, Entry, Where
from xtable_audit.table.stored_metrics import StoredMetrics

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


ORDER = list(Common)
WHOSE = (Blame.XTABLE, Blame.writer("unknown"))
OF_SYNCS = ("metadata_and_data_files_can_be_read",)
"""Claims of which the register has failed syncs, which leave no table."""


def candidates(
    target: TargetFormat, finding: Finding, stored: StoredMetrics, writer: MetadataWriter, entries: Iterable[Entry]
) -> tuple[str, ...]:
    """Ids of the entries, those that most users meet first. None for what another wrote, and for a known finding."""
    if not writer.is_xtable or finding.registered or finding.claim in OF_SYNCS or finding.blame not in WHOSE:
        return ()
    columns = [leaf for leaf in stored.leaves if leaf.path in finding.columns]
    types = {kind for leaf in columns for kind in target.check.source_types(leaf)}
    found = [
        entry
        for entry in entries
        if any(_says(one, finding, writer) and target.name in one.targets for one in entry.where)
        and any(one.concerns(target.name) and _may_affect(one, types, writer) for one in entry.affects)
    ]
    return tuple(entry.id for entry in sorted(found, key=lambda entry: (ORDER.index(entry.common), entry.id)))


def _says(where: Where, finding: Finding, writer: MetadataWriter) -> bool:
    return (
        where.component == COMPONENT
        and finding.claim in where.claims
        and finding.verdict is where.verdict
        and where.upgrade_from is None
        and (not writer.releases or any(where.covers(release) for release in writer.releases))
    )


def _may_affect(block: Affects, types: set[str], writer: MetadataWriter) -> bool:
    if block.format != writer.source or block.writer not in ("", writer.by):
        return False
    return not block.types or not types or bool(types & {*block.types})


def ruling(writer: MetadataWriter, stored: StoredMetrics, deviations: Iterable[Deviation]) -> tuple[Blame, str]:
    """The blame, and why. A table may have several writers: what XTable translated is XTable's, unless its files are of
    commits that tell another.

    `stored` is what the places of the deviations count in.
    """
    found, support = tuple(deviations), target_of(stored.metadata_location).check
    if writer.is_xtable and not support.tells_translator:
        return writer.ruling
    if all(one.kind == NO_OBJECT for one in found):
        return Blame.writer("unknown"), "the metadata does not say who deleted or moved it"
    paths = stored.paths
    accused = frozenset(paths[place] for one in found for place in one.places)
    authors = support.authors(stored, accused)
    if writer.is_xtable and (not accused or authors.names <= {"", writer.name}):
        return writer.ruling
    if authors.names <= {""}:
        return Blame.writer("unknown"), f"no {authors.record} of {authors.commits} says what wrote them"
    if len(authors.names) == 1:
        (name,) = authors.names
        return Blame.writer(name), f"the {authors.records} of {authors.commits} name it"
    known = ", ".join(sorted(name or "another" for name in authors.names))
    return Blame.writer("unknown"), f"the {authors.records} of {authors.commits} name several: {known}"
