"""What metadata.json says of the table's snapshots: what they name, their order, and the summary of the current one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from xtable_audit.claims.deviation import NO_OBJECT, Deviation
from xtable_audit.formats.iceberg.claims.needs import (
    CHANGES_OF_SUMMARY,
    LOGGED_TIMES,
    NUMBERED_SNAPSHOTS,
    OTHER_REFERENCES,
    REFERENCES,
    SCHEMAS_OF_SNAPSHOTS,
    TOTALS_OF_SUMMARY,
    beside_of,
    changes,
    totals,
)
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case

CLOCK_SKEW = 60_000
"""Milliseconds by which Iceberg's Java lets times of two writers be out of order (`TableMetadata`)."""


@claim(
    "the schema-id of every snapshot names a schema of the table",
    needs=SCHEMAS_OF_SNAPSHOTS,
    spec=rules.SNAPSHOT_SCHEMA,
    breaks=Verdict.UNREADABLE,
)
def snapshots_name_schemas(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java takes the columns of an older snapshot, a branch or a tag from it, and ClickHouse those of the
    current snapshot. Both refuse an unknown one.
    """
    known = {schema.schema_id for schema in iceberg_of(case.stored).metadata.schemas}
    for snapshot in iceberg_of(case.stored).metadata.snapshots:
        if snapshot.schema_id is not None and snapshot.schema_id not in known:
            saw = f"schema-id {snapshot.schema_id} of snapshot {snapshot.snapshot_id}"
            yield _of_table(saw, f"one of {', '.join(map(str, sorted(known)))}")


@claim(
    "every reference names a snapshot of the table, and main names the current one",
    needs=REFERENCES,
    spec=rules.MAIN,
    breaks=Verdict.UNREADABLE,
)
def references_name_snapshots(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java refuses metadata that breaks it."""
    metadata = iceberg_of(case.stored).metadata
    known = {snapshot.snapshot_id for snapshot in metadata.snapshots}
    for name, reference in sorted(metadata.refs.items()):
        if reference.snapshot_id not in known:
            yield _of_table(f"{name} names snapshot {reference.snapshot_id}", "a snapshot of the table")
        elif name == "main" and reference.snapshot_id != metadata.current_snapshot_id:
            saw = f"main names snapshot {reference.snapshot_id}"
            yield _of_table(saw, f"{metadata.current_snapshot_id or 'none'}, which current-snapshot-id names")


@claim(
    "the manifest list of every branch and tag exists",
    needs=OTHER_REFERENCES,
    spec=rules.MANIFEST_LIST,
    breaks=Verdict.UNREADABLE,
)
def branches_and_tags_can_be_read(case: Case) -> Iterator[Deviation]:
    for one in beside_of(case).references:
        if not one.exists:
            found = _of_table(f"no object at {one.manifest_list}", f"the manifest list of {one.name}")
            yield replace(found, kind=NO_OBJECT, reference=one.name)


@claim(
    "snapshots, their logs and last-updated-ms are in the order of time",
    needs=LOGGED_TIMES,
    spec=rules.SNAPSHOT_LOG,
    breaks=Verdict.UNREADABLE,
)
def times_are_in_order(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java refuses a log that breaks it by more than CLOCK_SKEW. COSMETIC for a snapshot's own time.

    A time that is no long is `metadata_json_has_the_specified_types`' alone: no reader that orders times reads it.
    """
    metadata = iceberg_of(case.stored).metadata
    logs = {
        "snapshot-log": [entry.timestamp_ms for entry in metadata.snapshot_log],
        "metadata-log": [entry.timestamp_ms for entry in metadata.metadata_log],
    }
    for name, times in logs.items():
        whole = [(name, time) for time in times] + [("last-updated-ms", metadata.last_updated_ms)]
        for (_, earlier), (of, later) in pairwise(whole):
            if later < earlier - CLOCK_SKEW:
                yield _of_table(f"{later} in {of} after {earlier} in {name}", f"{earlier} or later")
    made = {one.snapshot_id: one.timestamp_ms for one in metadata.snapshots if one.timestamp_ms < 1 << 63}
    after = [(one.snapshot_id, "last-updated-ms", metadata.last_updated_ms) for one in metadata.snapshots]
    after += [(one.snapshot_id, "snapshot-log", one.timestamp_ms) for one in metadata.snapshot_log]
    after += [(one.parent_snapshot_id or 0, "its child", one.timestamp_ms) for one in metadata.snapshots]
    for id, what, time in after:
        if time < made.get(id, time) - CLOCK_SKEW:
            saw = f"{time} in {what} after {made[id]}, when snapshot {id} was made"
            yield _of_table(saw, f"{made[id]} or later", Verdict.COSMETIC)


@claim(
    "sequence numbers grow from each snapshot to its children, up to last-sequence-number",
    needs=NUMBERED_SNAPSHOTS,
    spec=rules.SNAPSHOT_ORDER,
    breaks=Verdict.UNREADABLE,
)
def sequence_numbers_grow(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java refuses a snapshot beyond last-sequence-number, and follows parents in a circle without end.

    An expired parent is not judged. Snapshots of format version 1 have 0.
    """
    metadata = iceberg_of(case.stored).metadata
    if metadata.format_version == 1:
        return
    number = {snapshot.snapshot_id: snapshot.sequence_number or 0 for snapshot in metadata.snapshots}
    for snapshot in metadata.snapshots:
        own, parent = number[snapshot.snapshot_id], snapshot.parent_snapshot_id
        if own > metadata.last_sequence_number:
            saw = f"sequence number {own} of snapshot {snapshot.snapshot_id}"
            yield _of_table(saw, f"at most {metadata.last_sequence_number}, the last-sequence-number")
        if parent in number and 0 < own <= number[parent]:
            saw = f"sequence number {own} of snapshot {snapshot.snapshot_id}"
            yield _of_table(saw, f"more than {number[parent]}, that of its parent {parent}")


@claim(
    "the current snapshot's totals are what its manifests add up to",
    needs=TOTALS_OF_SUMMARY,
    spec=rules.SUMMARY,
    breaks=Verdict.COSMETIC,
)
def totals_are_those_of_the_manifests(case: Case) -> Iterator[Deviation]:
    """UNSOUND for the numbers by which Apache Doris answers `count(*)`: total-records, if the totals of deletes are 0
    (`IcebergScanNode.getCountFromSnapshot`).
    """
    for name, (stored, true) in totals(case).items():
        if stored != str(true):
            counts = name == "total-records" and not case.stored.delete_files
            hides = name in ("total-position-deletes", "total-equality-deletes") and stored == "0"
            yield _of_table(
                f"{name} {stored}", f"{true}, by its manifests", Verdict.UNSOUND if counts or hides else None
            )


@claim(
    "the current snapshot's counts of what it adds and removes are what its manifests show",
    needs=CHANGES_OF_SUMMARY,
    spec=rules.SUMMARY,
    breaks=Verdict.COSMETIC,
)
def changes_are_those_of_the_manifests(case: Case) -> Iterator[Deviation]:
    for name, (stored, true) in changes(case).items():
        if stored != str(true):
            yield _of_table(f"{name} {stored}", f"{true}, by its manifests")


def _of_table(saw: str, expected: str, verdict: Verdict | None = None) -> Deviation:
    return Deviation((), saw, expected, verdict=verdict, whole=True)
