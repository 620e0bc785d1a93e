"""What the current snapshot says of the commit that made it: schema, operation, parent, its entry in the log.

Readers of the whole table use the schema alone; those that follow it from snapshot to snapshot use the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.iceberg.claims.needs import (
    CURRENT_MANIFESTS,
    LOGGED,
    OPERATION,
    SCHEMA_OF_CURRENT,
    kept_manifests,
    schema_of_current,
)
from xtable_audit.formats.iceberg.claims.schema import file_schemas, first_file
from xtable_audit.formats.iceberg.fields import held, misread, name_mapping, nodes
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.snapshot_summary import Changes
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.table.synced import PROPERTY
from xtable_audit.values.parquet import FileSchema, carries_ids


@claim(
    "the current snapshot's schema has the columns that its files hold, in types that read their values",
    needs=SCHEMA_OF_CURRENT,
    spec=rules.SNAPSHOT_SCHEMA,
    breaks=Verdict.UNSOUND,
)
def snapshot_schema_reads_its_files(case: Case) -> Iterator[Deviation]:
    """ClickHouse reads the files by it: a column that it lacks is null in every row, and a long that it calls an int
    is another number (26.9, tried). Java and PyIceberg read the current snapshot by the table's schema.

    A column that came after the snapshot is in none of its files. Only files without field ids may hold it all the
    same, so they are judged in translations alone, where schema and files come in one commit.
    """
    own = schema_of_current(case)
    if own is None or own.as_struct() == iceberg_of(case.stored).schema.as_struct():
        return
    mapping = name_mapping(iceberg_of(case.stored).metadata, case.stored.metadata_location)
    by_id, paths = {node.field_id: node for node in nodes(own)}, {node.path for node in nodes(own)}
    for schema, places in file_schemas(case):
        if not (carries_ids(schema) or PROPERTY in iceberg_of(case.stored).metadata.properties):
            continue
        for node, found in held(iceberg_of(case.stored).schema, FileSchema.of(schema, mapping).schema):
            named = by_id.get(node.field_id)
            if named is None and node.path not in paths:
                saw = "no such column"
            elif named is not None and misread(found, named.type) and not misread(found, node.type):
                saw = f"{named.type}"
            else:
                continue
            expected = f"{node.type}, for {first_file(case, places)}"
            saw = f"{saw} in schema {own.schema_id} of the snapshot"
            yield Deviation(places, saw, expected, node.path, rows=_values(case, node.path, places))


def _values(case: Case, column: str, places: Sequence[int]) -> int:
    """The values of a column in these files; 0 if it is not judged."""
    if column not in case.actual.columns:
        return 0
    true = case.actual.columns[column].take(pa.array(places))
    return int(pc.sum(pc.subtract(true["value_count"], true["null_count"])).as_py() or 0)


@claim(
    "the current snapshot's operation is what its entries show",
    needs=OPERATION,
    spec=rules.OPERATION,
    breaks=Verdict.STALE,
)
def operation_is_what_the_entries_show(case: Case) -> Iterator[Deviation]:
    """A stream or an incremental read by Iceberg's Java takes the added files of an `append`, takes nothing of a
    `replace`, and refuses a `delete` or skips it (`BaseIncrementalAppendScan`, `SparkMicroBatchStream`). It keeps rows
    that an `append` removes, DUPLICATE if their files are written anew, and lacks rows that the others add.
    """
    metadata = iceberg_of(case.stored).metadata
    current, shown = metadata.current_snapshot(), iceberg_of(case.stored).changed
    if current is None or current.summary is None:
        return
    operation = current.summary.operation.value
    if wrong := _wrong(operation, shown):
        verdict = Verdict.DUPLICATE if operation == "append" and shown.added and shown.removed else None
        yield Deviation((), f"operation {operation}", wrong, verdict=verdict, whole=True, stored=operation)


def _wrong(operation: str, shown: Changes) -> str | None:
    """What the entries show that the operation excludes. An overwrite may be any of them."""
    match operation:
        case "append" if shown.removed or shown.deletes:
            gone = f"removes {many(shown.removed, 'data file')}, adds {many(shown.deletes, 'delete file')}"
            return f"overwrite or delete: the snapshot {gone}"
        case "delete" if shown.added:
            return f"overwrite: the snapshot adds {many(shown.added, 'data file')}"
        case "replace" if shown.removed and shown.added_rows > shown.removed_rows:
            return f"overwrite: the snapshot writes {shown.added_rows} rows for {shown.removed_rows}"
    return None


@claim(
    "a snapshot that keeps files of an earlier one names a parent",
    needs=CURRENT_MANIFESTS,
    spec=rules.PARENT,
    breaks=Verdict.UNREADABLE,
)
def snapshot_has_a_parent(case: Case) -> Iterator[Deviation]:
    """A stream or an incremental read by Iceberg's Java goes from parent to parent, and fails if it does not come to
    where it began (`SnapshotUtil.ancestorsBetween`). Where metadata.json has no earlier snapshot, nothing is lost:
    Nessie keeps the current one alone, without its parent.
    """
    current, kept = iceberg_of(case.stored).metadata.current_snapshot(), kept_manifests(case)
    if current is not None and current.parent_snapshot_id is None and kept:
        saw = f"no parent-snapshot-id of snapshot {current.snapshot_id}"
        expected = f"a snapshot before it: {many(len(kept), 'manifest')} of it came before"
        yield Deviation((), saw, expected, whole=True)


@claim(
    "the last entry of snapshot-log is the current snapshot",
    needs=LOGGED,
    spec=rules.SNAPSHOT_LOG,
    breaks=Verdict.STALE,
)
def log_ends_with_the_current_snapshot(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java reads the table as of a time by it (`SnapshotUtil.snapshotIdAsOfTime`), as PyIceberg does."""
    metadata = iceberg_of(case.stored).metadata
    last = next((entry.snapshot_id for entry in reversed(metadata.snapshot_log)), None)
    if None not in (last, metadata.current_snapshot_id) and last != metadata.current_snapshot_id:
        yield Deviation((), f"snapshot {last}", f"{metadata.current_snapshot_id}, the current one", whole=True)
