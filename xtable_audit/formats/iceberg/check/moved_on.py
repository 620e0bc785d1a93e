"""Whether an Iceberg table has moved on since its metadata.json was written, and expired the snapshot."""

from __future__ import annotations

from contextlib import suppress

import pyarrow as pa

from xtable_audit.formats.iceberg.find import newest_in
from xtable_audit.formats.iceberg.table_json import read_table_json
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem

GONE = "went while the table was read: {newest} no longer has the snapshot; check the table again"
LOOKED_AT = 3
"""Metadata files that are looked at for a later one."""


def moved_on(objects: Objects, metadata_location: str, snapshot: int | None = None) -> str:
    """Why a missing file accuses no table, in a clause, if a later metadata.json no longer has the snapshot, by default
    the current one of the table's own; "" if there is none, or none is found.

    Writers may give several files one version, so the file's own time says whether it is later.
    """
    folder, _, own = metadata_location.rpartition("/")
    with suppress(Problem, Malformed, OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        _, judged, _ = read_table_json(objects, metadata_location)
        judged_at = judged["current-snapshot-id"] if snapshot is None else snapshot
        for name in newest_in(objects, folder)[:LOOKED_AT]:
            if name == own:
                continue
            _, content, _ = read_table_json(objects, f"{folder}/{name}")
            has = {one["snapshot-id"] for one in content.get("snapshots", ())}
            if content["last-updated-ms"] > judged["last-updated-ms"] and judged_at not in has:
                return GONE.format(newest=name)
    return ""
