"""Faults of what the current snapshot says of the commit that made it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.fault import Fault
from tests.audit.faults_of_snapshots import in_metadata
from tests.audit.healthy_history import LATER
from tests.audit.tables import XTABLE
from xtable_audit.metadata.manifests import STATUSES
from xtable_audit.model.finding import Verdict
from xtable_audit.table.synced import PROPERTY

OPERATION = "operation_is_what_the_entries_show"
PARENT = dict.fromkeys(("snapshot_has_a_parent", "snapshots_descend_from_those_before"), Verdict.UNREADABLE)
LOG = {"log_ends_with_the_current_snapshot": Verdict.STALE}
SCHEMA = {"snapshot_schema_reads_its_files": Verdict.UNSOUND}


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


def _of(table: str) -> Iterator[Fault]:
    yield Fault("append called a delete", table, called("delete"), {OPERATION: Verdict.STALE}, ())
    for words, operation, removed, rows, added, verdict in (
        ("overwrite called an append", "append", 1, 9, True, Verdict.DUPLICATE),
        ("delete called an append", "append", 1, 9, False, Verdict.STALE),
        ("overwrite of more rows called a replacement", "replace", 1, 0, True, Verdict.STALE),
    ):
        spoil = partial(called_with, operation=operation, removed=removed, rows=rows, added=added)
        yield Fault(words, table, spoil, {OPERATION: verdict}, ())
    yield Fault("log that ends with another snapshot", table, in_metadata(logged_earlier), LOG, ())


FAULTS = (
    *(fault for table in ("typed", XTABLE, "native_iceberg") for fault in _of(table)),
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
