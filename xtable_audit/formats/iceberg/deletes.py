"""Row-level deletes: the live delete files, and which rows they remove.

Iceberg spec, Row-level Deletes. Bounds and counts of a data file include its deleted rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema

from xtable_audit.formats.iceberg.avro import read_avro
from xtable_audit.formats.iceberg.columns import arrow_type, leaves
from xtable_audit.model.limits import Limits
from xtable_audit.model.malformed import Malformed, TooLarge, check_reachable, first_line
from xtable_audit.model.objects import USUAL, Objects
from xtable_audit.model.scalars import plain, without_views
from xtable_audit.model.wanted import DataFiles, EqualityDelete, Positions, WantedColumn
from xtable_audit.table.deletions import AVRO, EQUALITY, ORC, POSITION, DeleteFile, Deletions, Tuple
from xtable_audit.values.opened import NO_MEMORY, batches, open_held
from xtable_audit.values.parquet import FileSchema, column_values, locate_all
from xtable_audit.values.row_groups import TooMuch, rows_at_once

OF_POSITIONS = pa.schema([("file_path", pa.dictionary(pa.int32(), pa.string())), ("pos", pa.int64())])
"""Columns of a position delete file (spec, Position Delete Files). A path is held once: a page of a few bytes may
repeat one of a megabyte a million times."""


def delete_files(entries: pa.Table) -> Iterator[DeleteFile]:
    """The delete files in a manifest's live entries."""
    rows = entries.select([name for name in OF_ENTRY if name in entries.column_names]).to_pylist()
    for row, of_partition in zip(rows, tuples(entries), strict=True):
        yield DeleteFile(
            row["file_path"],
            row["content"],
            str(row["file_format"]).upper(),
            row["sequence"],
            of_partition,
            tuple(row.get("equality_ids") or ()),
            row.get("referenced_data_file"),
            row["record_count"],
            row["file_size_in_bytes"],
            row.get("content_offset"),
            row.get("content_size_in_bytes"),
            row["snapshot"],
            row.get(KEY_METADATA) is not None,
            tuple((name, _pairs(row[name])) for name in METRICS if row.get(name)),
        )


def _pairs(metric: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, Any], ...]:
    return tuple((pair["key"], pair["value"]) for pair in metric)


KEY_METADATA = "key_metadata"
"""Field of an encrypted file."""
METRICS = ("lower_bounds", "upper_bounds", "value_counts", "null_value_counts")
OF_ENTRY = (
    *("file_path", "content", "file_format", "sequence", "equality_ids", "referenced_data_file", "record_count"),
    *("file_size_in_bytes", "content_offset", "content_size_in_bytes", "snapshot", KEY_METADATA, *METRICS),
)


def tuples(entries: pa.Table) -> list[Tuple]:
    """Each file's partition."""
    specs = entries["spec_id"].to_pylist()
    if "partition" not in entries.column_names:
        return [(spec, ()) for spec in specs]
    structs = entries["partition"].combine_chunks()
    columns = [[printed(value) for value in pc.struct_field(structs, one.name)] for one in structs.type]
    return list(zip(specs, zip(*columns, strict=True), strict=True))


def printed(value: Any) -> str:
    """A partition value as text: the same for equal values, whatever Arrow type they are read as."""
    value = plain(value)
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    return repr(value.bytes if isinstance(value, UUID) else value)


def with_deletes(objects: Objects, files: DataFiles, deletions: Deletions, schemas: Sequence[Schema]) -> DataFiles:
    """The files with their deletes, except files with deletes in a format the judge does not read. Raises Malformed.

    `schemas` are all schemas of the table: the current one may lack a column of an equality delete.
    """
    if not deletions.applied:
        return files
    of_positions: dict[int, dict[str, Positions]] = {}
    equality: dict[int, int] = {}
    # both by identity: a delete file is looked up as often as there are data files, and its hash is slow
    read: list[EqualityDelete] = []
    deleted: list[Positions] = []
    places: list[list[int]] = []
    table = files.table
    if not all(one.is_known for one in deletions.files):
        known = [all(one.is_known for one in deletions.applied.get(path, ())) for path in table["path"].to_pylist()]
        table = table.filter(pa.array(known))
    for path in table["path"].to_pylist():
        mine = deletions.applied.get(path, ())
        by_position = [one for one in mine if one.content == POSITION]
        for one in by_position:
            if id(one) not in of_positions:
                of_positions[id(one)] = _positions(objects, one)
        found = [of_positions[id(one)][path] for one in by_position if path in of_positions[id(one)]]
        deleted.append(np.unique(np.concatenate([NONE, *found])))
        by_value = [one for one in mine if one.content == EQUALITY]
        for one in by_value:
            if id(one) not in equality:
                equality[id(one)] = len(read)
                read.append(_equality(objects, one, schemas))
        places.append([equality[id(one)] for one in by_value])
    table = table.append_column("deleted", pa.array(deleted, pa.list_(pa.int64())))
    table = table.append_column("equality", pa.array(places, pa.list_(pa.int32())))
    return replace(files, table=table, equality=tuple(read))


NONE: Positions = np.zeros(0, np.int64)


def _positions(objects: Objects, delete: DeleteFile) -> dict[str, Positions]:
    """Data file -> positions of its deleted rows."""
    if delete.is_vector:
        from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file  # late: few tables have any
        from pyiceberg.table.puffin import PuffinFile

        try:
            vectors = deletion_vectors_from_puffin_file(PuffinFile(objects.read(delete.path)))
            return {one.referenced_data_file: np.asarray(one.to_vector(), np.int64) for one in vectors}
        except (ValueError, KeyError, IndexError) as error:
            raise Malformed(delete.path, f"holds no deletion vectors: {first_line(error)}") from error
    table = position_rows(objects, delete).drop_null()
    return by_path(table["file_path"].combine_chunks(), np.asarray(table["pos"]))


def by_path(paths: pa.DictionaryArray, positions: Positions) -> dict[str, Positions]:
    """The positions of each path, in their order. No path is null."""
    numbers = np.asarray(paths.indices)
    counts = np.bincount(numbers, minlength=len(paths.dictionary))
    parts = np.split(positions[np.argsort(numbers, kind="stable")], np.cumsum(counts))
    named = zip(paths.dictionary.to_pylist(), parts, strict=False)  # the last part is empty
    return {path: part for path, part in named if len(part)}


def position_rows(objects: Objects, delete: DeleteFile) -> pa.Table:
    """The rows of a position delete file, as OF_POSITIONS. Raises Malformed."""
    names = OF_POSITIONS.names
    if delete.format == AVRO:
        table = read_avro(objects, delete.path)
    elif delete.format == ORC:
        from pyarrow.orc import ORCFile  # late: few tables have any

        table = _read(objects, delete, lambda source: ORCFile(source).read(names))
    else:
        table = _read(objects, delete, partial(_positions_in, objects.limits))
    try:
        if set(names) - set(table.column_names):
            raise pa.ArrowInvalid(f"it has no {' and '.join(names)}")
        return pa.table([_each_once(table["file_path"]), table["pos"].cast(pa.int64())], OF_POSITIONS)
    except pa.ArrowException as error:
        raise Malformed(delete.path, f"cannot be read as a delete file: {first_line(error)}") from error


def _positions_in(limits: Limits, source: pa.NativeFile) -> pa.Table:
    names = OF_POSITIONS.names
    file = open_held(source, limits.footer, lambda _: names[:1])
    rows_at_once(file.metadata, names, None, limits.row_group)
    return without_views(file.read(names))


def _each_once(paths: pa.ChunkedArray) -> pa.DictionaryArray:
    """A dictionary that a stranger wrote may hold a path twice."""
    codes = (paths if pa.types.is_dictionary(paths.type) else paths.dictionary_encode()).combine_chunks()
    once = codes.dictionary.cast(pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(once.indices.take(codes.indices), once.dictionary)


def _equality(objects: Objects, delete: DeleteFile, schemas: Sequence[Schema]) -> EqualityDelete:
    columns = tuple(_column(id, delete, schemas) for id in delete.equality_ids)

    def keys(source: pa.NativeFile) -> pa.Table:
        file = open_held(source, objects.limits.footer)
        places = locate_all(FileSchema.of(file.schema_arrow, None), columns)
        if len(places) < len(columns):
            raise pa.ArrowInvalid(f"it holds {len(places)} of {len(columns)} columns to delete by")
        roots = sorted({place[0] for place in places.values()})
        rows_at_once(file.metadata, roots, None, objects.limits.row_group)
        deleted = list(batches(file, columns=roots))
        return pa.table(
            {
                column.path: pa.chunked_array(
                    [column_values(batch, places[column.path], column.arrow) for batch in deleted], column.arrow
                )
                for column in columns
            }
        )

    return EqualityDelete(columns, _read(objects, delete, keys))


def _column(id: int, delete: DeleteFile, schemas: Sequence[Schema]) -> WantedColumn:
    for schema in schemas:
        path = schema.find_column_name(id)
        if path is not None:
            judged = {leaf.field_id: leaf.column for leaf in leaves(schema)}
            return judged.get(id) or WantedColumn(id, path, arrow_type(schema.find_type(id)))
    raise Malformed(delete.path, f"deletes by field {id}, which no schema of the table has")


def _opened(objects: Objects, delete: DeleteFile, read: Callable[[pa.NativeFile], pa.Table]) -> pa.Table:
    with objects.open(delete.path) as source:
        return read(source)


def _read(objects: Objects, delete: DeleteFile, read: Callable[[pa.NativeFile], pa.Table]) -> pa.Table:
    try:
        return objects.within(partial(_opened, objects, delete, read), USUAL)
    except FileNotFoundError:
        raise Malformed(delete.path, "is named by the metadata but does not exist") from None
    except TooMuch as error:
        raise TooLarge(delete.path, first_line(error)) from error
    except (pa.ArrowMemoryError, MemoryError) as error:
        raise TooLarge(delete.path, NO_MEMORY) from error
    except (pa.ArrowException, OSError) as error:
        check_reachable(delete.path, error)
        raise Malformed(delete.path, f"cannot be read as a delete file: {first_line(error)}") from error
