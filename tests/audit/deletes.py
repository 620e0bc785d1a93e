"""Row-level deletes beside a healthy table, in files of each format, by writers that are not Iceberg's."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from tests.audit.draft import Draft, Record, current_snapshot, read_records, write_records

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


def delete(draft: Draft, place: int, kind: str, content: int, table: pa.Table, ids: list[int] | None = None) -> str:
    """Adds a delete file to the partition of the file at `place`, in a manifest of its own. Returns its address."""
    uri = f"{draft.path(place).rpartition('/')[0]}/deletes-{content}.{kind.lower()}"
    WRITERS[kind](table, draft.mirror.file(uri))
    draft.values_changed = True
    mine = draft.manifest_of(place)
    manifest = mine.replace(".avro", f"-deletes-{content}.avro")
    shutil.copyfile(draft.mirror.file(mine), draft.mirror.file(manifest))
    entry = next(one for one in read_records(draft.mirror.file(mine)) if _path(one) == draft.path(place))
    entry["data_file"] |= {"content": content, "file_path": uri, "file_format": kind, "equality_ids": ids}
    write_records(draft.mirror.file(manifest), [entry | {"sequence_number": None}])

    def add(manifests: list[Record]) -> None:
        record = copy.deepcopy(next(one for one in manifests if one["manifest_path"] == mine))
        for older in manifests:
            older["added_snapshot_id"] = EXPIRED
        sequence = current_snapshot(draft.metadata())["sequence-number"]
        manifests.append(record | {"manifest_path": manifest, "content": 1, "sequence_number": sequence})
        draft.count_manifests(manifests)

    draft.change_metadata(_next_sequence_number)
    draft.change_manifests(add)
    draft.sum_up()
    return uri


def _next_sequence_number(metadata: Record) -> None:
    metadata["last-sequence-number"] += 1
    current_snapshot(metadata)["sequence-number"] = metadata["last-sequence-number"]


def _path(entry: Record) -> str:
    path: str = entry["data_file"]["file_path"]
    return path


def delete_rows(draft: Draft, place: int, kind: str, rows: list[int]) -> str:
    """Deletes these rows of the file at `place` by position."""
    return delete(draft, place, kind, POSITION, pa.table({"file_path": [draft.path(place)] * len(rows), "pos": rows}))


def delete_values(draft: Draft, place: int, kind: str, column: str, values: list[int]) -> str:
    """Deletes the rows of the partition of the file at `place` whose `column` has one of these values."""
    kept = pa.schema([pa.field(column, pa.int64(), metadata={"PARQUET:field_id": str(draft.leaf(column).field_id)})])
    return delete(draft, place, kind, EQUALITY, pa.table([values], schema=kept), [draft.leaf(column).field_id])
