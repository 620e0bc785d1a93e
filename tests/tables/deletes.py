"""Row-level deletes beside a healthy table, by writers that are not Iceberg's: in files and as vectors."""

from __future__ import annotations

import copy
import json
import shutil
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.types import LongType, PrimitiveType, StringType
from pyroaring import BitMap

from tests.tables.draft import KEPT_BY_WRITER, Draft, Record, current_snapshot, read_records, write_records
from xtable_audit.formats.iceberg.iceberg_table import LAST_UPDATED, ROW_ID, iceberg_of

POSITION, EQUALITY = 1, 2
EXPIRED = 77
"""The snapshot that added whatever was there before."""
AVRO_TYPES = {pa.string(): "string", pa.int64(): "long"}


def write_avro(table: pa.Table, file: Path, codec: str = "deflate") -> None:
    fields = [{"name": field.name, "type": AVRO_TYPES[field.type]} for field in table.schema]
    with file.open("wb") as stream:
        fastavro.writer(stream, {"type": "record", "name": "table", "fields": fields}, table.to_pylist(), codec)


WRITERS: Mapping[str, Callable[[pa.Table, Path], None]] = {
    "PARQUET": pq.write_table,
    "AVRO": write_avro,
    "ORC": orc.write_table,
}


BY_POSITION = {"file_path": 2147483546, "pos": 2147483545}
"""Field ids of the columns of a position delete file (Iceberg spec, Position Delete Files)."""


def metrics(table: pa.Table, ids: Mapping[str, int]) -> Record:
    """What a manifest says of the rows of a delete file."""
    types: Mapping[str, PrimitiveType] = {"file_path": StringType()}
    columns = [(ids[column.name], types.get(column.name, LongType()), table[column.name]) for column in table.schema]
    extremes = [(id, kind, pc.min_max(values).as_py()) for id, kind, values in columns]
    return {
        **dict.fromkeys(("column_sizes", "nan_value_counts", "split_offsets", "sort_order_id")),
        "value_counts": [{"key": id, "value": len(values)} for id, _, values in columns],
        "null_value_counts": [{"key": id, "value": values.null_count} for id, _, values in columns],
        "lower_bounds": [{"key": id, "value": to_bytes(kind, found["min"])} for id, kind, found in extremes],
        "upper_bounds": [{"key": id, "value": to_bytes(kind, found["max"])} for id, kind, found in extremes],
    }


def delete(
    draft: Draft, place: int, kind: str, content: int, table: pa.Table, ids: Mapping[str, int] = BY_POSITION
) -> str:
    """Adds a delete file to the partition of the file at `place`, in a manifest of its own. Returns its address.

    `ids`: the field id of each of its columns.
    """
    uri = f"{draft.path(place).rpartition('/')[0]}/deletes-{content}.{kind.lower()}"
    WRITERS[kind](table, draft.mirror.file(uri))
    size = draft.mirror.file(uri).stat().st_size
    equality = list(ids.values()) if content == EQUALITY else None
    told = {"record_count": table.num_rows, "file_size_in_bytes": size, "equality_ids": equality}
    draft.values_changed = True
    mine = draft.manifest_of(place)
    entry = next(one for one in read_records(draft.mirror.file(mine)) if _path(one) == draft.path(place))
    entry["data_file"] |= {"content": content, "file_path": uri, "file_format": kind, **told, **metrics(table, ids)}
    add_manifest(draft, mine, mine.replace(".avro", f"-deletes-{content}.avro"), [entry | {"sequence_number": None}])
    return uri


def add_manifest(draft: Draft, mine: str, manifest: str, entries: list[Record]) -> None:
    """Adds a manifest of delete files, in the next commit. `mine`: a manifest of data files that it is like."""
    shutil.copyfile(draft.mirror.file(mine), draft.mirror.file(manifest))
    write_records(draft.mirror.file(manifest), entries)

    def add(manifests: list[Record]) -> None:
        record = copy.deepcopy(next(one for one in manifests if one["manifest_path"] == mine))
        for older in manifests:
            older["added_snapshot_id"] = EXPIRED
        sequence = current_snapshot(draft.metadata())["sequence-number"]
        told = {"manifest_path": manifest, "content": 1, "sequence_number": sequence}
        row_ids = {"first_row_id": None} if "first_row_id" in record else {}
        manifests.append(record | told | row_ids)
        draft.count_manifests(manifests)

    draft.change_metadata(_next_commit)
    draft.change_manifests(add)
    draft.sum_up()


def change_deletes(draft: Draft, change: Callable[[list[Record]], None]) -> None:
    """Changes the entries of each manifest of delete files; what sums them up follows."""
    for listed in draft.manifests():
        if listed["content"]:
            file = draft.mirror.file(listed["manifest_path"])
            entries = read_records(file)
            change(entries)
            write_records(file, entries)
    draft.change_manifests(draft.count_manifests)
    draft.sum_up()


def _next_commit(metadata: Record) -> None:
    """The current snapshot is that of a later commit, which overwrites."""
    metadata["last-sequence-number"] += 1
    snapshot = current_snapshot(metadata)
    snapshot |= {"sequence-number": metadata["last-sequence-number"], "parent-snapshot-id": EXPIRED}
    snapshot["summary"]["operation"] = "overwrite"


def _path(entry: Record) -> str:
    path: str = entry["data_file"]["file_path"]
    return path


def delete_rows(draft: Draft, place: int, kind: str, rows: list[int]) -> str:
    """Deletes these rows of the file at `place` by position."""
    return delete(draft, place, kind, POSITION, pa.table({"file_path": [draft.path(place)] * len(rows), "pos": rows}))


def delete_values(draft: Draft, place: int, kind: str, column: str, values: list[int]) -> str:
    """Deletes the rows of the partition of the file at `place` whose `column` has one of these values."""
    id = draft.leaf(column).field_id
    kept = pa.schema([pa.field(column, pa.int64(), metadata={"PARQUET:field_id": str(id)})])
    return delete(draft, place, kind, EQUALITY, pa.table([values], schema=kept), {column: id})


# Tables of format version 3 by hand: deletion vectors in a Puffin file, and row ids.

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
