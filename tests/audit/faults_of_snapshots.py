"""Faults of the snapshots in metadata.json, and of the current one's summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit import mutate
from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.fault import Fault
from tests.audit.tables import XTABLE
from xtable_audit.formats.iceberg.snapshot_summary import ADDED, TOTALS
from xtable_audit.model.finding import Verdict

TABLES = ("typed", XTABLE, "native_iceberg")
TWO_MINUTES = 120_000
SCHEMAS = {"snapshots_name_schemas": Verdict.UNREADABLE}
REFERENCES = {"references_name_snapshots": Verdict.UNREADABLE}
GROWTH = {"sequence_numbers_grow": Verdict.UNREADABLE}


def times(verdict: Verdict = Verdict.UNREADABLE) -> dict[str, Verdict]:
    return {"times_are_in_order": verdict}


def reference(metadata: Record) -> None:
    metadata.setdefault("refs", {})["audited"] = {"snapshot-id": 77, "type": "tag"}


def older_main(metadata: Record) -> None:
    metadata["refs"]["main"]["snapshot-id"] = metadata["snapshots"][0]["snapshot-id"]


def log_backwards(metadata: Record) -> None:
    metadata["snapshot-log"].insert(
        0, metadata["snapshot-log"][0] | {"timestamp-ms": metadata["last-updated-ms"] + TWO_MINUTES}
    )
    metadata["last-updated-ms"] += TWO_MINUTES


def metadata_log_backwards(metadata: Record) -> None:
    late = {"metadata-file": "s3://xtable-audit/v0.metadata.json", "timestamp-ms": metadata["last-updated-ms"] + 10**6}
    metadata["metadata-log"] = [late, *metadata.get("metadata-log", [])]
    metadata["last-updated-ms"] += 10**6
    if len(metadata["metadata-log"]) == 1:
        metadata["last-updated-ms"] -= TWO_MINUTES


def updated_early(metadata: Record) -> None:
    metadata["last-updated-ms"] -= TWO_MINUTES


def made_after_the_log(metadata: Record) -> None:
    current_snapshot(metadata)["timestamp-ms"] += TWO_MINUTES
    metadata["last-updated-ms"] += TWO_MINUTES


def made_after_the_update(metadata: Record) -> None:
    metadata["snapshot-log"] = []
    current_snapshot(metadata)["timestamp-ms"] = metadata["last-updated-ms"] + TWO_MINUTES


def made_before_its_parent(metadata: Record) -> None:
    current_snapshot(metadata)["timestamp-ms"] -= TWO_MINUTES


def own_parent(metadata: Record) -> None:
    snapshot = current_snapshot(metadata)
    snapshot["parent-snapshot-id"] = snapshot["snapshot-id"]


def parent_of_a_child(metadata: Record) -> None:
    metadata["snapshots"][0]["parent-snapshot-id"] = metadata["current-snapshot-id"]


def in_metadata(change: Callable[[Record], object]) -> Callable[[Draft], None]:
    return lambda draft: draft.change_metadata(change)


def _of(table: str) -> Iterator[Fault]:
    for words, change, breaks in (
        ("snapshot of no schema", lambda m: current_snapshot(m).update({"schema-id": 77}), SCHEMAS),
        ("reference to no snapshot", reference, REFERENCES),
        ("snapshot log backwards", log_backwards, times()),
        ("metadata log backwards", metadata_log_backwards, times()),
        ("updated before the last commit", updated_early, times()),
        ("snapshot made after it was logged", made_after_the_log, times(Verdict.COSMETIC)),
        ("snapshot made after the last update", made_after_the_update, times(Verdict.COSMETIC)),
        ("last sequence number behind", lambda m: m.update({"last-sequence-number": 0}), GROWTH),
        ("snapshot that is its own parent", own_parent, GROWTH),
    ):
        yield Fault(words, table, in_metadata(change), breaks, ())
    for name in TOTALS:
        verdict = Verdict.UNSOUND if name == "total-records" else Verdict.COSMETIC
        totals = {"totals_are_those_of_the_manifests": verdict}
        yield Fault(f"{name} one too high", table, partial(mutate.set_summary_field, name=name), totals, ())
    for name in (ADDED[0], ADDED[1], ADDED[-1]):
        changes = {"changes_are_those_of_the_manifests": Verdict.COSMETIC}
        yield Fault(f"{name} one too high", table, partial(mutate.set_summary_field, name=name), changes, ())


FAULTS = (
    *(fault for table in TABLES for fault in _of(table)),
    Fault("main names an older snapshot", "history", in_metadata(older_main), REFERENCES, ()),
    Fault(
        "snapshot made before its parent", "history", in_metadata(made_before_its_parent), times(Verdict.COSMETIC), ()
    ),
    Fault("snapshot whose parent is its child", "history", in_metadata(parent_of_a_child), GROWTH, ()),
)
