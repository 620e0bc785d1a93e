"""Row-level deletes beside a healthy table, in files of each format, by writers that are not Iceberg's."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc
from pyiceberg.conversions import to_bytes
from pyiceberg.types import LongType, PrimitiveType, StringType

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
