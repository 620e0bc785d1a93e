"""Known findings that an unknown one of XTable's may be: they break that claim on sources of that kind."""

from __future__ import annotations

from collections.abc import Iterable

from xtable_audit.formats.target import TargetFormat
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.finding import Blame, Finding
from xtable_audit.register.affects import Affects
from xtable_audit.register.entry import Common, Entry, Where
from xtable_audit.table.stored_metrics import StoredMetrics

COMPONENT = "xtable"
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
        if any(_lists(one, finding, writer) and target.name in one.targets for one in entry.where)
        and any(one.concerns(target.name) and _may_affect(one, types, writer) for one in entry.affects)
    ]
    return tuple(entry.id for entry in sorted(found, key=lambda entry: (ORDER.index(entry.common), entry.id)))


def _lists(where: Where, finding: Finding, writer: MetadataWriter) -> bool:
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
