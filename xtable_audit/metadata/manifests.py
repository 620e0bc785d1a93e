"""Reads the manifest list and manifests into Arrow (Iceberg spec, Manifests and Manifest Lists)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.metadata.avro import read_avro
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects

DELETED = 2
MANIFEST_FIELDS = ("manifest_path", "partition_spec_id")
FILE_FIELDS = ("file_path", "file_format", "record_count", "file_size_in_bytes")
"""Required in every format version. `partition` is required too, but read_avro drops empty ones."""


def read_manifest_list(objects: Objects, uri: str) -> list[dict[str, Any]]:
    """The records of a manifest list. Raises Malformed."""
    table = read_avro(objects, uri)
    _require(uri, "manifest list", MANIFEST_FIELDS, table.column_names)
    manifests: list[dict[str, Any]] = table.to_pylist()
    return manifests


def live_entries(objects: Objects, manifest: Mapping[str, Any]) -> pa.Table:
    """The live entries of a manifest: the fields of `data_file`, and manifest, spec_id and sequence.

    `partition` is absent if the manifest's spec is unpartitioned.

    Raises Malformed, also if the number of entries differs from the manifest list's: readers plan by either.
    """
    path = str(manifest["manifest_path"])
    table = read_avro(objects, path)
    _require(path, "manifest", ("status", "data_file"), table.column_names)
    promised = _promised(manifest)
    if promised is not None and table.num_rows != promised:
        raise Malformed(path, f"holds {table.num_rows} entries where the manifest list promises {promised}")
    live = table.filter(pc.not_equal(table["status"], DELETED))
    file = pc.cast(live["data_file"].combine_chunks(), live["data_file"].type)
    fields = {field.name: pc.struct_field(file, field.name) for field in file.type}
    _require(path, "manifest", FILE_FIELDS, fields)
    return pa.table(
        fields
        | {
            "manifest": pa.array([path] * live.num_rows, pa.string()),
            "spec_id": pa.array([manifest["partition_spec_id"]] * live.num_rows, pa.int32()),
            "sequence": _sequence_numbers(live, manifest),
        }
    )


def _sequence_numbers(live: pa.Table, manifest: Mapping[str, Any]) -> pa.Array:
    """Data sequence numbers. Entries without one inherit the manifest's (spec, Sequence Number Inheritance)."""
    inherited = pa.scalar(manifest.get("sequence_number") or 0, pa.int64())  # none in format version 1
    if "sequence_number" not in live.column_names:
        return pa.repeat(inherited, live.num_rows)
    return pc.fill_null(live["sequence_number"].cast(pa.int64()), inherited).combine_chunks()


def _promised(manifest: Mapping[str, Any]) -> int | None:
    """The number of entries by the manifest list; None if it has no counts (optional in format version 1).

    Older Iceberg libraries, as in XTable 0.2 and 0.3, name the counts `…_data_files_count`.
    """
    counts = [
        manifest.get(f"{kind}_files_count", manifest.get(f"{kind}_data_files_count"))
        for kind in ("added", "existing", "deleted")
    ]
    return None if None in counts else sum(int(count) for count in counts if count is not None)


def _require(uri: str, what: str, needed: tuple[str, ...], present: Iterable[str]) -> None:
    missing = sorted(set(needed) - set(present))
    if missing:
        raise Malformed(uri, f"is not an Iceberg {what}: it has no {', '.join(missing)}")
