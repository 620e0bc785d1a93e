"""Needs of the claims that only Iceberg's metadata can break, among them those about delete files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import pyarrow as pa
from pyiceberg.schema import Schema

from xtable_audit.claims.needs import BESIDE_UNREAD, READABLE_FILES, VALUES_UNREAD, unread
from xtable_audit.formats.iceberg.beside_data_files import NOTHING_BESIDE, Beside
from xtable_audit.formats.iceberg.delete_contents import DeleteContents
from xtable_audit.formats.iceberg.fields import nodes
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.manifests import Manifest
from xtable_audit.formats.iceberg.snapshot_summary import (
    ADDED,
    REMOVED,
    TOTALS,
    recorded,
)
from xtable_audit.model.claim import Need
from xtable_audit.subject.case import Case, Part
from xtable_audit.table.deletions import EQUALITY, POSITION
from xtable_audit.values.parquet import carries_ids


def beside_of(case: Case) -> Beside:
    return NOTHING_BESIDE if case.beside is None else cast(Beside, case.beside)


COLUMNS = Need[Case]("a column", lambda case: any(True for _ in nodes(iceberg_of(case.stored).schema)))
WRITTEN = Need[Case]("a value of metadata.json", lambda case: iceberg_of(case.stored).as_written.values)
MANIFESTS = Need[Case]("a manifest", lambda case: len(iceberg_of(case.stored).manifests))
TUPLES_OF_MANIFESTS = Need[Case](
    "a manifest of a partitioned spec that lists a live file",
    lambda case: sum(
        bool(one.live.num_rows) and _is_partitioned(case, one) for one in iceberg_of(case.stored).manifests
    ),
)


def _is_partitioned(case: Case, manifest: Manifest) -> bool:
    spec = iceberg_of(case.stored).metadata.specs().get(manifest.listed["partition_spec_id"])
    return spec is not None and not spec.is_unpartitioned()


COUNTED_MANIFESTS = Need[Case](
    "a manifest whose files or rows are counted",
    lambda case: any(
        name.endswith(("files_count", "rows_count")) and value is not None
        for manifest in iceberg_of(case.stored).manifests
        for name, value in manifest.listed.items()
    ),
)
NUMBERED_MANIFESTS = Need[Case](
    "a manifest with a sequence number",
    lambda case: sum(bool(manifest.listed.get("sequence_number")) for manifest in iceberg_of(case.stored).manifests),
)
SCHEMAS_OF_SNAPSHOTS = Need[Case](
    "a snapshot with a schema-id",
    lambda case: sum(snapshot.schema_id is not None for snapshot in iceberg_of(case.stored).metadata.snapshots),
)
SCHEMA_OF_CURRENT = Need[Case](
    "a current snapshot with a schema-id, and a data file that exists",
    lambda case: int(schema_of_current(case) is not None) and READABLE_FILES.count(case),
    waits=unread(Part.VALUES, lambda case: schema_of_current(case) is not None),
)


def schema_of_current(case: Case) -> Schema | None:
    """The schema that the current snapshot names; None if it names none, or one that the table does not have."""
    metadata = iceberg_of(case.stored).metadata
    current = metadata.current_snapshot()
    return next((one for one in metadata.schemas if current is not None and one.schema_id == current.schema_id), None)


OPERATION = Need[Case](
    "an operation in the current snapshot's summary, and a file that the snapshot adds or removes",
    lambda case: int(_has_operation(case) and any(iceberg_of(case.stored).changed)),
)


def _has_operation(case: Case) -> bool:
    current = iceberg_of(case.stored).metadata.current_snapshot()
    return current is not None and current.summary is not None


CURRENT_MANIFESTS = Need[Case](
    "a manifest of the current snapshot that another snapshot of the table added, or a parent",
    lambda case: len(kept_manifests(case)) + int(_parent(case) is not None),
)


def kept_manifests(case: Case) -> list[Manifest]:
    """The manifests that other snapshots of the table added."""
    metadata = iceberg_of(case.stored).metadata
    others = {one.snapshot_id for one in metadata.snapshots} - {metadata.current_snapshot_id}
    return [one for one in iceberg_of(case.stored).manifests if one.listed.get("added_snapshot_id") in others]


def _parent(case: Case) -> int | None:
    current = iceberg_of(case.stored).metadata.current_snapshot()
    return None if current is None else current.parent_snapshot_id


def is_of_main(case: Case) -> bool:
    """Whether the judged snapshot is the table's current one, not an older one or a branch's that a user asks for."""
    return "main" in iceberg_of(case.stored).metadata.refs


LOGGED = Need[Case](
    "the table's current snapshot, and an entry of snapshot-log",
    lambda case: len(iceberg_of(case.stored).metadata.snapshot_log) if is_of_main(case) else 0,
)
REFERENCES = Need[Case]("a snapshot reference", lambda case: len(iceberg_of(case.stored).metadata.refs))
OTHER_REFERENCES = Need[Case](
    "a branch or tag of another snapshot than the current one",
    lambda case: len(beside_of(case).references),
    waits=BESIDE_UNREAD,
)
LOGGED_TIMES = Need[Case](
    "a snapshot, or an entry of snapshot-log or metadata-log",
    lambda case: sum(
        len(times)
        for times in (
            iceberg_of(case.stored).metadata.snapshots,
            iceberg_of(case.stored).metadata.snapshot_log,
            iceberg_of(case.stored).metadata.metadata_log,
        )
    ),
)
NUMBERED_SNAPSHOTS = Need[Case](
    "a snapshot with a sequence number",
    lambda case: sum(bool(snapshot.sequence_number) for snapshot in iceberg_of(case.stored).metadata.snapshots),
)


def totals(case: Case) -> dict[str, tuple[str, int]]:
    """Each total in the current snapshot's summary, with what its manifests add up to."""
    table = iceberg_of(case.stored)
    return _both(recorded(table.metadata, TOTALS), table.totals)


def changes(case: Case) -> dict[str, tuple[str, int]]:
    """Each count of additions or removals in the current snapshot's summary, with what its manifests show."""
    table = iceberg_of(case.stored)
    return _both(recorded(table.metadata, ADDED + REMOVED), table.changes)


def _both(stored: Mapping[str, str], true: Mapping[str, int]) -> dict[str, tuple[str, int]]:
    return {name: (text, true[name]) for name, text in stored.items() if name in true}


TOTALS_OF_SUMMARY = Need[Case]("a total in the current snapshot's summary", lambda case: len(totals(case)))
CHANGES_OF_SUMMARY = Need[Case](
    "a count of additions or removals in the current snapshot's summary, and entries that show them",
    lambda case: len(changes(case)),
)


def _distinct(schemas: Iterable[pa.Schema | None]) -> Iterable[pa.Schema]:
    """Each schema once: files with equal schemas share one object."""
    return {id(schema): schema for schema in schemas if schema is not None}.values()


OLDER_SCHEMAS = Need[Case](
    "an older schema, in the metadata or after a sync",
    lambda case: (
        len(iceberg_of(case.stored).metadata.schemas) + sum(state.stored is not None for state in case.history) - 1
    ),
)
FILES_WITHOUT_IDS = Need[Case](
    "a data file without field ids",
    lambda case: any(not carries_ids(schema) for schema in _distinct(case.actual.schemas)),
    waits=VALUES_UNREAD,
)
REQUIRED_COLUMNS = Need[Case](
    "a required field",
    lambda case: bool(case.actual.inside) or any(node.required for node in nodes(iceberg_of(case.stored).schema)),
    waits=VALUES_UNREAD,
)


def positions(one: DeleteContents) -> bool:
    """Whether it is a position delete file that is no vector."""
    return one.file.content == POSITION and not one.file.is_vector


def vectors(case: Case) -> list[DeleteContents]:
    return [one for one in beside_of(case).deletes if one.file.is_vector]


def names_columns(one: DeleteContents) -> bool:
    """Whether it is an equality delete file whose columns are known."""
    return one.file.content == EQUALITY and one.file.is_known and one.malformed is None and one.size is not None


DELETE_FILES = Need[Case]("a live delete file", lambda case: len(beside_of(case).deletes), waits=BESIDE_UNREAD)
EXISTING_DELETES = Need[Case](
    "a live delete file that exists",
    lambda case: sum(one.size is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
READ_DELETES = Need[Case](
    "a live delete file whose rows are read",
    lambda case: sum(one.record_count is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
DELETE_BOUNDS = Need[Case](
    "a stored bound of a delete file whose rows are read",
    lambda case: any(
        one.columns and any(name.endswith("bounds") for name, _ in one.file.metrics) for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
DELETE_COUNTS = Need[Case](
    "a stored count of a delete file whose rows are read",
    lambda case: any(
        one.columns and any(name.endswith("counts") for name, _ in one.file.metrics) for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
TARGETS = Need[Case](
    "a row of a live data file that is deleted by position",
    lambda case: any(path in case.stored.deletions.data for one in beside_of(case).deletes for path in one.targets),
    waits=BESIDE_UNREAD,
)
POSITION_FILES = Need[Case](
    "a live position delete file that is read",
    lambda case: any(positions(one) and one.record_count is not None for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
REFERENCES_TO_FILES = Need[Case](
    "a live position delete file with a referenced_data_file",
    lambda case: any(
        positions(one) and one.file.referenced is not None and one.targets for one in beside_of(case).deletes
    ),
    waits=BESIDE_UNREAD,
)
POSITION_FILES_IN_3 = Need[Case](
    "a live position delete file of a table of format version 3",
    lambda case: iceberg_of(case.stored).metadata.format_version >= 3 and any(map(positions, beside_of(case).deletes)),
    waits=unread(Part.BESIDE, lambda case: iceberg_of(case.stored).metadata.format_version >= 3),
)
EQUALITY_FILES = Need[Case](
    "a live equality delete file in Parquet",
    lambda case: sum(names_columns(one) for one in beside_of(case).deletes),
    waits=BESIDE_UNREAD,
)
VECTORS = Need[Case]("a live deletion vector", lambda case: len(vectors(case)), waits=BESIDE_UNREAD)
BLOBS = Need[Case](
    "a live deletion vector with a blob in its Puffin file's footer",
    lambda case: sum(one.blob is not None and one.record_count is not None for one in vectors(case)),
    waits=BESIDE_UNREAD,
)
MERGED_VECTORS = Need[Case](
    "a deletion vector of a live data file, and a position delete file in the same partition",
    lambda case: (
        any(map(positions, beside_of(case).deletes))
        and any(one.file.referenced in case.stored.deletions.data for one in vectors(case))
    ),
    waits=BESIDE_UNREAD,
)
