"""Row-level deletes: the live delete files, and which rows they remove.

Iceberg spec, Row-level Deletes. Bounds and counts of a data file include its deleted rows.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
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
from xtable_audit.model.malformed import Malformed, TooLarge, check_reachable, first_line, given_up
from xtable_audit.model.objects import USUAL, Objects
from xtable_audit.model.scalars import plain, without_views
from xtable_audit.model.scan_input import DataFiles, EqualityDeletes, Positions, WantedColumn
from xtable_audit.table.deletions import AVRO, EQUALITY, ORC, DeleteFile, Deletions, Tuple
from xtable_audit.values.deleted_rows import joined
from xtable_audit.values.open_parquet import NO_MEMORY, at_hand, batches, open_held
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
    known = [deletions.applied.all_known(path) for path in files.table["path"].to_pylist()]
    table = files.table.filter(pa.array(known, pa.bool_()))
    mine = deletions.only(table["path"].to_pylist())
    positions: dict[str, list[Positions]] = defaultdict(lambda: [NONE])
    by_value = _ByValue()
    for delete, read in _each_read(objects, [*mine.applied.each()], schemas):
        if isinstance(read, tuple):
            by_value.add(mine.applied.scope(delete), delete, read)
            continue
        for path, found in read.items():
            if mine.applied.applies(delete, path):
                positions[path].append(found)
    equality, places = by_value.joined()
    rows = {
        "deleted": pa.array([np.unique(np.concatenate(positions[path])) for path in mine.data], pa.list_(pa.int64())),
        "equality": pa.array([places(*one) for one in mine.data.values()], pa.list_(pa.int32())),
        "sequence": pa.array([sequence for sequence, _ in mine.data.values()], pa.int64()),
    }
    for name, values in rows.items():
        table = table.append_column(name, values)
    return replace(files, table=table, equality=equality)


Keys = tuple[tuple[WantedColumn, ...], pa.Table]
"""Columns to delete by, and their values in a delete file."""
PositionsByPath = dict[str, Positions]
"""Data file -> positions of its deleted rows."""


def _each_read(
    objects: Objects, deletes: Sequence[DeleteFile], schemas: Sequence[Schema]
) -> Iterator[tuple[DeleteFile, Keys | PositionsByPath]]:
    """Each file is read once: a Puffin file has the vectors of many data files."""
    columns = _ByIds(schemas)

    def read(delete: DeleteFile) -> Keys | PositionsByPath:
        return _keys(objects, delete, columns) if delete.content == EQUALITY else _positions(objects, delete)

    files = [(one.path, one.content, one.format, one.equality_ids) for one in deletes]
    once = dict(zip(files, deletes, strict=True))
    found = objects.each(read, [*once.values()], lambda delete, error: given_up(delete.path, error))
    of_file = dict(zip(once, found, strict=True))
    return zip(deletes, (of_file[file] for file in files), strict=True)


class _ByValue:
    """Equality deletes, by the partition in which they apply and the columns by which they delete."""

    def __init__(self) -> None:
        self._read: dict[tuple[Tuple | None, tuple[int, ...]], list[tuple[int, Keys]]] = defaultdict(list)

    def add(self, scope: Tuple | None, delete: DeleteFile, keys: Keys) -> None:
        self._read[scope, delete.equality_ids].append((delete.sequence, keys))

    def joined(self) -> tuple[tuple[EqualityDeletes, ...], Callable[[int, Tuple], list[int]]]:
        """All, and which of them apply to a data file of this sequence number and partition."""
        latest: dict[Tuple | None, list[tuple[int, int]]] = defaultdict(list)
        for place, ((scope, _), read) in enumerate(self._read.items()):
            latest[scope].append((place, max(number for number, _ in read)))

        def places(sequence: int, of_partition: Tuple) -> list[int]:
            return [place for scope in (of_partition, None) for place, last in latest[scope] if last > sequence]

        every = (joined(read[0][1][0], [(number, keys) for number, (_, keys) in read]) for read in self._read.values())
        return tuple(every), places


NONE: Positions = np.zeros(0, np.int64)


def _positions(objects: Objects, delete: DeleteFile) -> PositionsByPath:
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


def by_path(paths: pa.DictionaryArray, positions: Positions) -> PositionsByPath:
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
    rows_at_once(file.footer, names, None, limits.row_group)
    return without_views(file.read(names))


def _each_once(paths: pa.ChunkedArray) -> pa.DictionaryArray:
    """A dictionary that a stranger wrote may hold a path twice."""
    codes = (paths if pa.types.is_dictionary(paths.type) else paths.dictionary_encode()).combine_chunks()
    once = codes.dictionary.cast(pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(once.indices.take(codes.indices), once.dictionary)


def _keys(objects: Objects, delete: DeleteFile, known: _ByIds) -> Keys:
    columns = tuple(known.column(id, delete) for id in delete.equality_ids)

    def keys(source: pa.NativeFile) -> pa.Table:
        file = open_held(source, objects.limits.footer)
        places = locate_all(FileSchema.of(file.schema_arrow, None), columns)
        if len(places) < len(columns):
            raise pa.ArrowInvalid(f"it holds {len(places)} of {len(columns)} columns to delete by")
        roots = sorted({place[0] for place in places.values()})
        rows_at_once(file.footer, roots, None, objects.limits.row_group)
        deleted = list(batches(file, columns=roots))
        return pa.table(
            {
                column.path: pa.chunked_array(
                    [column_values(batch, places[column.path], column.arrow) for batch in deleted], column.arrow
                )
                for column in columns
            }
        )

    return columns, _read(objects, delete, keys)


class _ByIds:
    """The columns of a table's schemas; those of the first that has one of this id."""

    def __init__(self, schemas: Sequence[Schema]) -> None:
        self._schemas = schemas
        self._judged = [{leaf.field_id: leaf.column for leaf in leaves(schema)} for schema in schemas]

    def column(self, id: int, delete: DeleteFile) -> WantedColumn:
        for schema, judged in zip(self._schemas, self._judged, strict=True):
            path = schema.find_column_name(id)
            if path is not None:
                return judged.get(id) or WantedColumn(id, path, arrow_type(schema.find_type(id)))
        raise Malformed(delete.path, f"deletes by field {id}, which no schema of the table has")


def _opened(objects: Objects, delete: DeleteFile, read: Callable[[pa.NativeFile], pa.Table]) -> pa.Table:
    with objects.open(delete.path) as source, at_hand(source) as content:
        return read(content)


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
