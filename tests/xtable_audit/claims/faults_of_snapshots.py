"""Faults of the snapshots in metadata.json, and of what the current one says of the commit that made it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from tests.tables.draft import XTABLE, Draft, Fault, Record, current_snapshot
from tests.tables.healthy_by_pyiceberg import LATER
from tests.xtable_audit.claims import mutate
from xtable_audit.formats.iceberg.manifests import STATUSES
from xtable_audit.formats.iceberg.snapshot_summary import ADDED, TOTALS
from xtable_audit.model.finding import Verdict
from xtable_audit.table.synced import PROPERTY

TABLES = ("typed", XTABLE, "native_iceberg")
TWO_MINUTES = 120_000
SCHEMAS = {"snapshots_name_schemas": Verdict.UNREADABLE}
REFERENCES = {"references_name_snapshots": Verdict.UNREADABLE}
GROWTH = {"sequence_numbers_grow": Verdict.UNREADABLE}
OPERATION = "operation_is_what_the_entries_show"
PARENT = dict.fromkeys(("snapshot_has_a_parent", "snapshots_descend_from_those_before"), Verdict.UNREADABLE)
LOG = {"log_ends_with_the_current_snapshot": Verdict.STALE}
SCHEMA = {"snapshot_schema_reads_its_files": Verdict.UNSOUND}


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


OF_SNAPSHOTS = (
    *(fault for table in TABLES for fault in _of(table)),
    Fault("main names an older snapshot", "history", in_metadata(older_main), REFERENCES, ()),
    Fault(
        "snapshot made before its parent", "history", in_metadata(made_before_its_parent), times(Verdict.COSMETIC), ()
    ),
    Fault("snapshot whose parent is its child", "history", in_metadata(parent_of_a_child), GROWTH, ()),
)


def called(operation: str) -> Callable[[Draft], None]:
    return in_metadata(lambda metadata: current_snapshot(metadata)["summary"].update(operation=operation))


def called_with(draft: Draft, operation: str, removed: int, rows: int, added: bool) -> None:
    """An operation, and an entry for each of so many removed files; without `added`, no other entry is the commit's."""

    def change(entries: list[Record]) -> None:
        mine = [entry for entry in entries if entry["status"] == STATUSES["added"]]
        gone = [entry | {"status": STATUSES["deleted"], "data_file": dict(entry["data_file"])} for entry in mine]
        for number, entry in enumerate(gone[:removed]):
            entry["data_file"] |= {"file_path": f"{entry['data_file']['file_path']}-{number}", "record_count": rows}
        for entry in mine if not added else ():
            entry |= {"status": STATUSES["existing"], "sequence_number": entry["sequence_number"] or 1}
        for entry in [*mine, *gone]:
            entry["snapshot_id"] = draft.metadata()["current-snapshot-id"]
        entries.extend(gone[:removed])

    draft.change_entries(0, change)
    called(operation)(draft)


def logged_earlier(metadata: Record) -> None:
    metadata["snapshot-log"].append(metadata["snapshot-log"][0] | {"snapshot-id": 77})
    metadata["snapshot-log"][-1]["timestamp-ms"] = metadata["last-updated-ms"]


def of_schema(id: int) -> Callable[[Draft], None]:
    return in_metadata(lambda metadata: current_snapshot(metadata).update({"schema-id": id}))


def narrower(metadata: Record) -> None:
    """The snapshot's schema has an int where the files and the table have a long."""
    like = next(one for one in metadata["schemas"] if one["schema-id"] == metadata["current-schema-id"])
    fields = [one | {"type": "int"} if one["name"] == "long" else one for one in like["fields"]]
    metadata["schemas"].append(like | {"schema-id": 9, "fields": fields})
    current_snapshot(metadata)["schema-id"] = 9


def told_of_table(metadata: Record, last: str) -> None:
    """Another commit that was synced last, by the table's property alone."""
    told = json.loads(metadata["properties"][PROPERTY]) | {"lastInstantSynced": last}
    metadata["properties"][PROPERTY] = json.dumps(told)


def behind(verdict: Verdict) -> dict[str, Verdict]:
    return {"last_commit_is_told_alike": verdict}


def orphan(metadata: Record) -> None:
    current_snapshot(metadata).pop("parent-snapshot-id")


def _of_commit(table: str) -> Iterator[Fault]:
    yield Fault("append called a delete", table, called("delete"), {OPERATION: Verdict.STALE}, ())
    for words, operation, removed, rows, added, verdict in (
        ("overwrite called an append", "append", 1, 9, True, Verdict.DUPLICATE),
        ("delete called an append", "append", 1, 9, False, Verdict.STALE),
        ("overwrite of more rows called a replacement", "replace", 1, 0, True, Verdict.STALE),
    ):
        spoil = partial(called_with, operation=operation, removed=removed, rows=rows, added=added)
        yield Fault(words, table, spoil, {OPERATION: verdict}, ())
    yield Fault("log that ends with another snapshot", table, in_metadata(logged_earlier), LOG, ())


OF_COMMITS = (
    *(fault for table in ("typed", XTABLE, "native_iceberg") for fault in _of_commit(table)),
    *(
        Fault(words, XTABLE, in_metadata(partial(told_of_table, last=last)), behind(verdict), ())
        for words, last, verdict in (
            ("table of a later commit than its snapshot", "2199-01-01T00:00:00Z", Verdict.FAILED_SILENTLY),
            ("table of an earlier commit than its snapshot", "2001-01-01T00:00:00Z", Verdict.COSMETIC),
        )
    ),
    Fault("last snapshot without a parent", "history", in_metadata(orphan), PARENT, ()),
    Fault("snapshot of the schema before its column", "history", of_schema(0), SCHEMA, (0,), LATER),
    Fault("snapshot of a narrower schema", "history", in_metadata(narrower), SCHEMA, (0, 1, 2), "long"),
)


FAULTS = (*OF_SNAPSHOTS, *OF_COMMITS)
