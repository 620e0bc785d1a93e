"""Healthy tables with row-level deletes: by position and by value, and by deletion vectors after an upgrade."""

from __future__ import annotations

from dataclasses import replace

from tests.audit import deletes, statistics, vectors
from tests.audit.deletes import EXPIRED
from tests.audit.draft import Draft, Record
from tests.audit.faults_of_data_files import declared
from tests.audit.healthy import Table
from tests.audit.typed import rows

DELETED, VECTORS, COUNTED = "deleted", "vectors", "counted"
POSITIONS = [1, 3]
"""What is deleted by position."""
BY_POSITION, BY_VALUE, UNTOUCHED = 1, 2, 0
"""Places of `deleted`: of the files with these deletes, and of one without any."""
OLD, NEW = 0, 1
"""Places of `vectors`: of a file with a position delete file and a vector, and of one with a vector alone."""


def deleted(table: Table) -> Table:
    """Format version 2: rows deleted by position in one file, by value in another."""
    draft = Draft(table, table.mirror)
    deletes.delete_rows(draft, BY_POSITION, "PARQUET", POSITIONS)
    deletes.delete_values(draft, BY_VALUE, "PARQUET", "long", sorted(rows(BY_VALUE)["long"])[:2])
    for listed in draft.manifests():
        file = draft.mirror.file(listed["manifest_path"])
        vectors.rewrite(file, vectors.with_files_of_3, lambda record: None, version=2)

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
    vectors.upgrade(draft)
    vectors.delete_by_vectors(draft, {OLD: [1, 3, 5], NEW: [0, 2]})
    vectors.hold_lineage(draft, lambda row, end: row, updated=1)
    return replace(table)


def counted(table: Table) -> Table:
    """As `deleted`, with a statistics file and a partition statistics file."""
    table = deleted(table)
    draft = Draft(table, table.mirror)
    statistics.describe(draft)
    return replace(table)
