"""Tables of format version 3 by hand: deletion vectors in a Puffin file, and row ids."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyroaring import BitMap

from tests.audit.deletes import POSITION, add_manifest
from tests.audit.draft import KEPT_BY_WRITER, Draft, Record, current_snapshot, read_records
from xtable_audit.formats.iceberg.iceberg_table import LAST_UPDATED, ROW_ID, iceberg_of

MAGIC, VECTOR = b"PFA1", b"\xd1\xd3\x39\x64"
ROW_IDS = 1000
"""The first row id of the table."""
LONG = ["null", "long"]
OF_FILE = {"first_row_id": LONG, "referenced_data_file": ["null", "string"]} | dict.fromkeys(
    ("content_offset", "content_size_in_bytes"), LONG
)
"""Fields of a data file that format version 3 adds (Iceberg spec, Data File Fields)."""
OF_MANIFEST = {"first_row_id": LONG}
FIELD_IDS = {"first_row_id": 142, "referenced_data_file": 143, "content_offset": 144, "content_size_in_bytes": 145}


def vector(positions: Sequence[int]) -> bytes:
    """The blob `deletion-vector-v1` (Puffin specification) of positions below 2**32."""
    bitmap = (1).to_bytes(8, "little") + (0).to_bytes(4, "little") + BitMap(positions).serialize()
    content = VECTOR + bitmap
    return len(content).to_bytes(4, "big") + content + zlib.crc32(content).to_bytes(4, "big")


def write_puffin(file: Path, blobs: Sequence[tuple[Record, bytes]]) -> list[tuple[int, int]]:
    """Writes blobs with their metadata, and returns the offset and length of each."""
    content, told, places = MAGIC, [], []
    for metadata, payload in blobs:
        places.append((len(content), len(payload)))
        told.append(metadata | {"offset": len(content), "length": len(payload)})
        content += payload
    footer = json.dumps({"blobs": told}).encode()
    file.write_bytes(content + MAGIC + footer + len(footer).to_bytes(4, "little") + bytes(4) + MAGIC)
    return places


def of_vector(path: str, positions: Sequence[int]) -> tuple[Record, bytes]:
    """A blob and its metadata."""
    properties = {"referenced-data-file": path, "cardinality": str(len(positions))}
    told = {"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1}
    return told | {"properties": properties}, vector(positions)


def upgrade(draft: Draft) -> None:
    """Makes it a table of format version 3 whose only snapshot assigns the row ids."""

    def change(metadata: Record) -> None:
        rows = sum(draft.table.case.stored.files["record_count"].to_pylist())
        metadata |= {"format-version": 3, "next-row-id": ROW_IDS + rows}
        current_snapshot(metadata).update({"first-row-id": ROW_IDS, "added-rows": rows})

    draft.change_metadata(change)
    for listed in draft.manifests():
        rewrite(draft.mirror.file(listed["manifest_path"]), with_files_of_3, lambda record: None)
    rewrite(
        draft.mirror.file(draft.manifest_list),
        lambda schema: _with(schema, OF_MANIFEST, {"first_row_id": 520}),
        _assigned,
    )
    draft.change_manifests(draft.count_manifests)


def _assigned(listed: Record) -> None:
    listed["first_row_id"] = None if listed["content"] else ROW_IDS


def with_files_of_3(schema: Record) -> None:
    """Widens the schema of a manifest by what format version 3 says of files."""
    _with(_data_file(schema), OF_FILE)


def _data_file(schema: Record) -> Record:
    found: Record = next(field["type"] for field in schema["fields"] if field["name"] == "data_file")
    return found


def _with(schema: Record, fields: Mapping[str, Any], ids: Mapping[str, int] = FIELD_IDS) -> None:
    schema["fields"] += [
        {"name": name, "type": kind, "default": None, "field-id": ids[name]} for name, kind in fields.items()
    ]


def rewrite(file: Path, widen: Callable[[Record], None], change: Callable[[Record], None], version: int = 3) -> None:
    """Rewrites an Avro file under a wider schema, of that format version, each record changed."""
    records = read_records(file)
    with file.open("rb") as stream:
        header = dict(fastavro.reader(stream).metadata)
    schema = json.loads(header["avro.schema"])
    widen(schema)
    for record in records:
        change(record)
    kept = {name: value for name, value in header.items() if name not in KEPT_BY_WRITER} | {
        "format-version": str(version)
    }
    with file.open("wb") as stream:
        fastavro.writer(stream, schema, records, header.get("avro.codec", "null"), metadata=kept)


def hold_lineage(draft: Draft, ids: Callable[[int, int], int], updated: int) -> None:
    """The first file holds the lineage of its rows: `ids` of the number of the row and of the table's next-row-id."""
    path = draft.path(0)
    file, end = draft.mirror.file(path), draft.metadata()["next-row-id"]
    held = pq.read_table(file)
    rows = held.select([name for name in held.column_names if not name.startswith("_")]).cast(
        schema_to_pyarrow(iceberg_of(draft.table.case.stored).schema)
    )  # with field ids
    given = {ROW_ID: [ids(row, end) for row in range(rows.num_rows)], LAST_UPDATED: [updated] * rows.num_rows}
    for column, values in given.items():
        told = {"PARQUET:field_id": str(column.field_id)}
        rows = rows.append_column(pa.field(column.path, column.arrow, metadata=told), pa.array(values, column.arrow))
    pq.write_table(rows, file, store_schema=False)
    draft.values_changed = True
    draft.change_file(0, lambda entry: entry.update(file_size_in_bytes=file.stat().st_size, split_offsets=None))


def delete_by_vectors(draft: Draft, deleted: Mapping[int, Sequence[int]]) -> str:
    """Adds a Puffin file of vectors, of the files at these places, in a manifest of its own. Returns its address."""
    first, *_ = deleted
    uri = f"{draft.path(first).rpartition('/')[0]}/vectors.puffin"
    blobs = [of_vector(draft.path(place), positions) for place, positions in deleted.items()]
    places = write_puffin(draft.mirror.file(uri), blobs)
    draft.values_changed = True
    mine = draft.manifest_of(first)
    manifest = mine.replace(".avro", "-vectors.avro")
    size = draft.mirror.file(uri).stat().st_size
    entries = []
    for (place, positions), (offset, length) in zip(deleted.items(), places, strict=True):
        records = read_records(draft.mirror.file(mine))
        entry = next(one for one in records if one["data_file"]["file_path"] == draft.path(place))
        told = {"content": POSITION, "file_path": uri, "file_format": "PUFFIN", "record_count": len(positions)}
        told |= {"file_size_in_bytes": size, "referenced_data_file": draft.path(place)}
        told |= {"content_offset": offset, "content_size_in_bytes": length}
        entry["data_file"] |= dict.fromkeys(METRICS) | told
        entries.append(entry | {"sequence_number": None})
    add_manifest(draft, mine, manifest, entries)
    return uri


METRICS = (
    *("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds"),
    *("split_offsets", "sort_order_id", "equality_ids"),
)
