"""Whose fault a finding is: that of what wrote the files it names, as the commits that added them say."""

from __future__ import annotations

from collections.abc import Iterable

from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.formats.targets import target_of
from xtable_audit.formats.writer import Writer
from xtable_audit.model.finding import Blame
from xtable_audit.table.stored_metrics import StoredMetrics


def ruling(writer: Writer, stored: StoredMetrics, deviations: Iterable[Deviation]) -> tuple[Blame, str]:
    """The blame, and why. What XTable translated is XTable's; of others a table may have several writers.

    `stored` is what the places of the deviations count in.
    """
    found = tuple(deviations)
    if writer.is_xtable:
        return writer.ruling
    if all(one.kind == NO_OBJECT for one in found):
        return Blame.writer("unknown"), "the metadata does not say who deleted or moved it"
    paths = stored.paths
    accused = frozenset(paths[place] for one in found for place in one.places)
    authors = target_of(stored.metadata_location).check.authors(stored, accused)
    if authors.names <= {""}:
        return Blame.writer("unknown"), f"no {authors.record} of {authors.commits} says what wrote them"
    if len(authors.names) == 1:
        (name,) = authors.names
        return Blame.writer(name), f"the {authors.records} of {authors.commits} name it"
    known = ", ".join(sorted(name or "another" for name in authors.names))
    return Blame.writer("unknown"), f"the {authors.records} of {authors.commits} name several: {known}"
