"""Healthy tables with row-level deletes: by position and by value, and by deletion vectors after an upgrade.

Statistics files and a tag stand beside them, written by hand."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.tables import deletes
from tests.tables.deletes import EXPIRED, write_puffin
from tests.tables.draft import Draft, Record, current_snapshot
from tests.tables.healthy import Table
from tests.tables.typed import rows
from tests.xtable_audit.claims.faults_of_files import declared
from xtable_audit.table.deletions import EQUALITY

DELETED, VECTORS, COUNTED = "deleted", "vectors", "counted"
POSITIONS = [1, 3]
"""What is deleted by position."""
BY_POSITION, BY_VALUE, UNTOUCHED = 1, 2, 0
"""Places of `deleted`: of the files with these deletes, and of one without any."""
OLD, NEW = 0, 1
"""Places of `vectors`: of a file with a position delete file and a vector, and of one with a vector alone."""
TAGGED = 4
"""An older snapshot, which a tag names."""
TYPE = "apache-datasketches-theta-v1"
FOOTER = 4 + 12
"""Bytes of a Puffin footer beside its payload."""
NAMES = (
    *("data_record_count", "data_file_count", "total_data_file_size_in_bytes"),
    *("position_delete_record_count", "position_delete_file_count"),
    *("equality_delete_record_count", "equality_delete_file_count"),
)


def deleted(table: Table) -> Table:
    """Format version 2: rows deleted by position in one file, by value in another."""
    draft = Draft(table, table.mirror)
    deletes.delete_rows(draft, BY_POSITION, "PARQUET", POSITIONS)
    deletes.delete_values(draft, BY_VALUE, "PARQUET", "long", sorted(rows(BY_VALUE)["long"])[:2])
    for listed in draft.manifests():
        file = draft.mirror.file(listed["manifest_path"])
        deletes.rewrite(file, deletes.with_files_of_3, lambda record: None, version=2)

    def refer(entries: list[Record]) -> None:
        for entry in entries:
            if entry["data_file"]["content"] == deletes.POSITION:
                entry["data_file"]["referenced_data_file"] = draft.path(BY_POSITION)

    deletes.change_deletes(draft, refer)
    declared(draft, "long", "asc")
    return replace(table)


def with_vectors(table: Table) -> Table:
    """Upgraded to format version 3: a vector replaces older deletes by position, whose file still stands there."""
    draft = Draft(table, table.mirror)
    deletes.delete_rows(draft, OLD, "PARQUET", POSITIONS)

    def existing(entries: list[Record]) -> None:
        for entry in entries:
            entry |= {"status": 0, "snapshot_id": EXPIRED, "sequence_number": 2}

    deletes.change_deletes(draft, existing)
    deletes.upgrade(draft)
    deletes.delete_by_vectors(draft, {OLD: [1, 3, 5], NEW: [0, 2]})
    deletes.hold_lineage(draft, lambda row, end: row, updated=1)
    return replace(table)


def counted(table: Table) -> Table:
    """As `deleted`, with a statistics file and a partition statistics file."""
    table = deleted(table)
    draft = Draft(table, table.mirror)
    describe(draft)
    return replace(table)


def describe(draft: Draft) -> None:
    """Adds both files for the current snapshot, and a tag of an older one."""
    metadata = draft.metadata()
    snapshot = current_snapshot(metadata)
    folder = f"{draft.table.root}/metadata"
    of_table, of_partitions = f"{folder}/of-table.stats", f"{folder}/of-partitions.parquet"
    told = {"snapshot-id": snapshot["snapshot-id"], "sequence-number": snapshot["sequence-number"]}
    blobs = [{"type": TYPE, "fields": [id], **told} for id in (1, 2)]
    write_puffin(draft.mirror.file(of_table), [(blob, b"sketch") for blob in blobs])
    content = draft.mirror.file(of_table).read_bytes()
    write_partitions(draft, of_partitions, partitions(draft))
    common = {"snapshot-id": snapshot["snapshot-id"]}

    def add(metadata: Record) -> None:
        footer = int.from_bytes(content[-12:-8], "little") + FOOTER
        sizes = {"file-size-in-bytes": len(content), "file-footer-size-in-bytes": footer}
        metadata["statistics"] = [common | {"statistics-path": of_table, "blob-metadata": blobs} | sizes]
        size = draft.mirror.file(of_partitions).stat().st_size
        path = {"statistics-path": of_partitions, "file-size-in-bytes": size}
        metadata["partition-statistics"] = [common | path]
        older: dict[str, Any] = {"snapshot-id": TAGGED, "sequence-number": 1, "manifest-list": f"{folder}/older.avro"}
        shutil.copyfile(draft.mirror.file(snapshot["manifest-list"]), draft.mirror.file(older["manifest-list"]))
        metadata["snapshots"].insert(0, snapshot | older)
        metadata["refs"]["older"] = {"snapshot-id": TAGGED, "type": "tag"}

    draft.change_metadata(add)


def write_partitions(draft: Draft, uri: str, rows: list[Record]) -> None:
    pq.write_table(pa.Table.from_pylist(rows), draft.mirror.file(uri))


def partitions(draft: Draft) -> list[Record]:
    """The rows of the partition statistics file, in order."""
    stored = draft.table.case.stored
    found: dict[str, Counter[str]] = {}
    files = stored.files.select(["record_count", "size"]).to_pylist()
    for region, file in zip(stored.partition["region"].to_pylist(), files, strict=True):
        counts = {"data_record_count": file["record_count"], "total_data_file_size_in_bytes": file["size"]}
        found.setdefault(region, Counter()).update(counts | {"data_file_count": 1})
    for one in stored.deletions.files:
        kind = "equality_delete" if one.content == EQUALITY else "position_delete"
        region = one.partition[1][0].strip("'")
        found[region].update({f"{kind}_record_count": one.record_count, f"{kind}_file_count": 1})
    spec = stored.partitioning.id
    return [
        {"partition": {"region": region}, "spec_id": spec}
        | {name: counts[name] for name in NAMES}
        | {"total_record_count": None}
        for region, counts in sorted(found.items())
    ]
