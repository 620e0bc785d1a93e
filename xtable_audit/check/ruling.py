"""Whose fault a finding is: that of what wrote the files it names, as the commits that added them say."""

from __future__ import annotations

from collections.abc import Iterable

from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.formats.targets import target_of
from xtable_audit.formats.writer import MetadataWriter
from xtable_audit.model.finding import Blame
from xtable_audit.table.stored_metrics import StoredMetrics


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
