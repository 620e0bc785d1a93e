"""Whose fault a finding is: that of what wrote the files it names, as the snapshots that added them say."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.check.writer import Writer, named_in
from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
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
    added = _added({paths[place] for one in found for place in one.places}, stored)
    by_snapshot = {one.snapshot_id: named_in(one).name for one in iceberg_of(stored).metadata.snapshots}
    names = {by_snapshot.get(id, "") for id in added} if added else {*by_snapshot.values()}
    whose = "the snapshots that added these files" if added else "the table's snapshots"
    if names <= {""}:
        return Blame.writer("unknown"), f"no summary of {whose} says what wrote them"
    if len(names) == 1:
        (name,) = names
        return Blame.writer(name), f"the summaries of {whose} name it"
    known = ", ".join(sorted(name or "another" for name in names))
    return Blame.writer("unknown"), f"the summaries of {whose} name several: {known}"


def _added(paths: Iterable[str], stored: StoredMetrics) -> set[int]:
    """Ids of the snapshots that added these files."""
    wanted = pa.array(sorted(paths), pa.string())
    if not len(wanted):
        return set()
    found = (
        one.live.filter(pc.is_in(one.live["file_path"].cast(pa.string()), wanted))
        for one in iceberg_of(stored).manifests
    )
    return {id for live in found for id in live["snapshot"].to_pylist()}
