"""The metrics that the manifests of an Iceberg source have of each file, as `blame.source_stats` reads them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder, place_of
from xtable_audit.formats.iceberg.source_state import snapshot_synced
from xtable_audit.formats.iceberg.stored_metrics import read_metadata, read_stored_metrics
from xtable_audit.formats.iceberg.table_json import metadata_below
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata


def iceberg_statistics(folder: TableFolder, synced: Synced) -> dict[str, Any]:
    """Of each file that was live at the snapshot that was translated last, by its path below the table.

    A bound is a typed scalar. A column has each name that any schema of the table gives it, as a translation may have
    an older one; a name that two columns have had is left out, as the translation may mean either. Raises Problem,
    Malformed, and Undetermined for a snapshot that the table does not have any more.
    """
    location, _ = metadata_below(folder.objects, folder.root)
    metadata = read_metadata(folder.objects, location)
    snapshot = snapshot_synced(metadata, synced)
    ids: dict[str, set[int]] = {}
    files: dict[str, Any] = {}
    for schema in _schemas(metadata, snapshot):
        stored = read_stored_metrics(folder.objects, location, partial(_at, snapshot=snapshot, schema=schema))
        for leaf in stored.leaves:
            ids.setdefault(leaf.path, set()).add(leaf.field_id)
        for name, rows, columns in _of_files(folder, stored):
            of = files.setdefault(name, {"rows": rows, "columns": {}})
            of["columns"] = columns | of["columns"]
    for of in files.values():
        of["columns"] = {path: column for path, column in of["columns"].items() if len(ids[path]) == 1}
    return {"teller": "iceberg", "files": files, "failures": {}}


def _schemas(metadata: TableMetadata, snapshot: int | None) -> list[int]:
    """The ids of all schemas: that of the snapshot first, by whose types bounds are read, then the newest."""
    found = metadata.snapshot_by_id(snapshot) if snapshot is not None else None
    first = metadata.current_schema_id if found is None or found.schema_id is None else found.schema_id
    others = sorted((one.schema_id for one in metadata.schemas), reverse=True)
    return list(dict.fromkeys([first, *others]))


def _at(metadata: TableMetadata, snapshot: int | None, schema: int) -> TableMetadata:
    return metadata.model_copy(update={"current_snapshot_id": snapshot, "current_schema_id": schema})


def _of_files(folder: TableFolder, stored: StoredMetrics) -> Iterator[tuple[str, int | None, dict[str, Any]]]:
    """Path, rows and columns of each."""
    root, rows = place_of(folder.root), stored.files["record_count"].to_pylist()
    for place, address in enumerate(stored.paths):
        columns = {path: _column(table, place) for path, table in stored.columns.items()}
        yield place_of(address).removeprefix(f"{root}/"), rows[place], columns


def _column(table: pa.Table, place: int) -> dict[str, Any]:
    bounds = {word: table[name][place] for name, word in (("lower", "min"), ("upper", "max"))}
    return {
        **{word: bound if bound.is_valid else None for word, bound in bounds.items()},
        "nulls": table["null_count"][place].as_py(),
        "values": table["value_count"][place].as_py(),
    }
