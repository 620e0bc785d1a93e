"""What live delete files and deletion vectors hold: the rows that they delete, against what manifests say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema

from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.formats.iceberg.deletes import OF_POSITIONS, by_path, position_rows
from xtable_audit.model.columns import Leaf
from xtable_audit.model.malformed import Malformed, Unread, first_line, given_up
from xtable_audit.model.objects import Objects
from xtable_audit.model.scan_input import DataFile, Positions, Wanted, WantedColumn
from xtable_audit.table.deletions import EQUALITY, PARQUET, DeleteFile
from xtable_audit.values.deleted_rows import LENGTH, framed_vector, positions_in
from xtable_audit.values.measure_file import measure_file
from xtable_audit.values.parquet import field_id

if TYPE_CHECKING:
    from pyiceberg.table.puffin import PuffinBlobMetadata, PuffinFile

REFERENCED, CARDINALITY = "referenced-data-file", "cardinality"
"""Properties of a vector's blob."""
TRAILER = 12
"""Bytes of payload size, flags and magic at the end of a file."""
MAGIC = 4


def read_puffin(path: str, content: bytes) -> PuffinFile:
    """The file, with its footer. Raises Malformed."""
    from pyiceberg.table.puffin import PuffinFile  # late: few tables have any

    try:
        return PuffinFile(content)
    except ValueError as error:
        raise Malformed(path, f"is not a Puffin file: {first_line(error)}") from error


def footer_size(content: bytes) -> int:
    """Bytes of the whole footer, with its magics, size and flags (Puffin specification, Footer structure)."""
    payload = int.from_bytes(content[-TRAILER : -TRAILER + LENGTH], "little", signed=True)
    return MAGIC + payload + TRAILER


def vector_at(path: str, content: bytes, offset: int, length: int) -> Positions:
    """The positions of the vector in these bytes of a Puffin file. Raises Malformed unless they are exactly one."""
    return positions_in(path, framed_vector(path, content[offset : offset + length], offset, length))


FILE_PATH, POS = 2147483546, 2147483545
"""Field ids of the columns of a position delete file (Iceberg spec, Position Delete Files)."""


@dataclass(frozen=True)
class Extremes:
    """Of one column of a delete file, by its values."""

    name: str
    min: pa.Scalar
    max: pa.Scalar
    value_count: int
    null_count: int


@dataclass(frozen=True)
class Blob:
    """A vector as the footer of its Puffin file has it."""

    referenced: str | None
    cardinality: str | None


@dataclass(frozen=True)
class DeleteContents:
    """A live delete file, read. What cannot be read is None or empty, and `malformed` says why."""

    file: DeleteFile
    size: int | None
    """Of its object, in bytes; None if it does not exist."""
    malformed: str | None = None
    record_count: int | None = None
    """Rows, or positions of the vector; None if it is not read: `DeleteFile.is_known`."""
    targets: Mapping[str, Positions] = field(default_factory=dict)
    """Data file -> positions that the file deletes of it, in its own order; none for equality deletes."""
    in_order: bool = True
    """Whether the rows of a position delete file are sorted by path, then position."""
    columns: Mapping[int, Extremes] = field(default_factory=dict)
    """By field id: the columns of a position delete file, or those of the table that an equality delete file holds."""
    ids: frozenset[int] = frozenset()
    """Field ids of the columns that an equality delete file holds, at any depth of structs."""
    blob: Blob | None = None
    """None also where the manifest's offset and length are of no blob."""


def read_delete_files(
    objects: Objects, files: Sequence[DeleteFile], schemas: Sequence[Schema]
) -> tuple[DeleteContents, ...]:
    """The contents of each, in this order. `schemas` are all schemas of the table.

    Raises Unread or Unreachable if one of them is not read, for a reason that says nothing against it.
    """
    known = {leaf.field_id: leaf for schema in schemas for leaf in leaves(schema)}
    places: dict[str, list[int]] = {}  # a Puffin file has the vectors of many data files
    for place, file in enumerate(files):
        places.setdefault(file.path, []).append(place)

    def read(path: str) -> list[DeleteContents]:
        puffin = cache(lambda path: _Puffin.of(path, objects.read(path)))
        return [_read(objects, files[place], known, puffin) for place in places[path]]

    found = objects.each(read, [*places], given_up)
    by_place = dict(zip(chain.from_iterable(places.values()), chain.from_iterable(found), strict=True))
    return tuple(by_place[place] for place in range(len(files)))


class _Puffin:
    """A file's content, and the descriptions of its blobs by offset and length."""

    @classmethod
    def of(cls, path: str, content: bytes) -> _Puffin:
        """Raises Malformed."""
        return cls(content, read_puffin(path, content).footer.blobs)

    def __init__(self, content: bytes, blobs: Iterable[PuffinBlobMetadata]) -> None:
        self.content = content
        first = reversed([*blobs])  # of two at one place
        self.blobs: dict[tuple[int | None, int | None], PuffinBlobMetadata] = {
            (blob.offset, blob.length): blob for blob in first
        }


def _read(
    objects: Objects, file: DeleteFile, known: Mapping[int, Leaf], puffin: Callable[[str], _Puffin]
) -> DeleteContents:
    size = objects.size(file.path)
    if size is None or not file.is_known:
        return DeleteContents(file, size)
    try:
        if file.is_vector:
            return _of_vector(file, size, puffin(file.path))
        if file.content == EQUALITY:
            return _of_equality(objects, file, size, known)
        return of_positions(file, size, position_rows(objects, file))
    except Unread:
        raise
    except Malformed as error:
        return DeleteContents(file, size, error.reason)


def _of_vector(file: DeleteFile, size: int, puffin: _Puffin) -> DeleteContents:
    found = puffin.blobs.get((file.offset, file.length))
    blob = None if found is None else Blob(found.properties.get(REFERENCED), found.properties.get(CARDINALITY))
    if file.offset is None or file.length is None:
        return DeleteContents(file, size, "is a Puffin file, and its manifest does not say where the vector lies")
    try:
        positions = vector_at(file.path, puffin.content, file.offset, file.length)
    except Malformed as error:
        return DeleteContents(file, size, error.reason, blob=blob)
    targets = {} if file.referenced is None else {file.referenced: positions}
    return DeleteContents(file, size, None, len(positions), targets, blob=blob)


def of_positions(file: DeleteFile, size: int, rows: pa.Table) -> DeleteContents:
    paths, positions = rows["file_path"].combine_chunks(), rows["pos"].combine_chunks()
    if paths.null_count or positions.null_count:
        return DeleteContents(file, size, "holds a delete without a path or a position", rows.num_rows)
    distinct = (pc.unique(paths).dictionary_decode(), positions)
    columns = {
        id: Extremes(name, (found := pc.min_max(values))["min"], found["max"], rows.num_rows, 0)
        for id, name, values in zip((FILE_PATH, POS), OF_POSITIONS.names, distinct, strict=True)
    }
    return DeleteContents(
        file,
        size,
        None,
        rows.num_rows,
        by_path(paths, np.asarray(positions)),
        _in_order(paths, np.asarray(positions)),
        columns,
    )


def _in_order(paths: pa.DictionaryArray, positions: Positions) -> bool:
    """By bytes of UTF-8, or by units of UTF-16 as Java compares: the specification leaves open which."""
    names = paths.dictionary.to_pylist()
    return any(
        _ascending(np.argsort(np.argsort(_order(names, form)))[np.asarray(paths.indices)], positions)
        for form in ("utf-8", "utf-16-be")
    )


def _order(names: Sequence[str], form: str) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    encoded = np.empty(len(names), object)
    encoded[:] = [name.encode(form) for name in names]
    return encoded


def _ascending(paths: Positions, positions: Positions) -> bool:
    further, same = paths[1:] > paths[:-1], paths[1:] == paths[:-1]
    return bool(np.all(further | (same & (positions[1:] >= positions[:-1]))))


def _of_equality(objects: Objects, file: DeleteFile, size: int, known: Mapping[int, Leaf]) -> DeleteContents:
    wanted = Wanted(tuple(WantedColumn(id, str(id), leaf.arrow) for id, leaf in known.items()))
    found = measure_file(objects, DataFile(file.path, is_parquet=file.format == PARQUET), wanted)
    if found.unread is not None:
        raise Unread(file.path, found.unread)
    columns = {
        id: Extremes(leaf.path, one.extreme("min"), one.extreme("max"), one.value_count, one.null_count)
        for id, leaf in known.items()
        if str(id) in found.held and (one := found.columns.get(str(id))) is not None
    }
    ids = frozenset() if found.schema is None else frozenset(_ids(found.schema))
    return DeleteContents(file, size, found.malformed, found.record_count, columns=columns, ids=ids)


def _ids(fields: Iterable[pa.Field]) -> Iterator[int]:
    for one in fields:
        id = field_id(one)
        if id is not None:
            yield id
        if pa.types.is_struct(one.type):
            yield from _ids(one.type)
