"""Row-level deletes: which delete files apply to which data files, and which rows they remove.

Iceberg spec, Scan Planning and Row-level Deletes. Bounds and counts of a data file include its deleted rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema

from xtable_audit.metadata.avro import read_avro
from xtable_audit.model.columns import arrow_type, leaves
from xtable_audit.model.malformed import Malformed, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.scalars import plain
from xtable_audit.model.wanted import Column, DataFiles, EqualityDelete, Positions
from xtable_audit.values.parquet import FileSchema, column_values, locate_all, open_parquet

POSITION, EQUALITY = 1, 2
PARQUET, PUFFIN, AVRO, ORC = "PARQUET", "PUFFIN", "AVRO", "ORC"
OF_POSITIONS = pa.schema([("file_path", pa.string()), ("pos", pa.int64())])
"""Columns of a position delete file (spec, Position Delete Files)."""
Tuple = tuple[int, tuple[str, ...]]
"""A file's partition: the id of its spec, and the `repr` of each value."""


@dataclass(frozen=True)
class DeleteFile:
    """A live delete file, as its manifest describes it."""

    path: str
    content: int
    format: str
    sequence: int
    partition: Tuple
    equality_ids: tuple[int, ...] = ()
    referenced: str | None = None
    """The one data file it applies to, if it names one."""

    @property
    def is_vector(self) -> bool:
        return self.format == PUFFIN

    @property
    def is_known(self) -> bool:
        """Whether the judge can read it. It resolves the columns of equality deletes by field id in Parquet alone."""
        return self.format in (PARQUET, PUFFIN) or (self.content == POSITION and self.format in (AVRO, ORC))


@dataclass(frozen=True)
class Deletions:
    """`applied` maps a data file to the delete files that apply to it; data files without deletes are absent."""

    files: tuple[DeleteFile, ...] = ()
    applied: Mapping[str, tuple[DeleteFile, ...]] = field(default_factory=dict)


NO_DELETIONS = Deletions()


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
        )


OF_ENTRY = ("file_path", "content", "file_format", "sequence", "equality_ids", "referenced_data_file")


def tuples(entries: pa.Table) -> list[Tuple]:
    """Each file's partition."""
    specs = entries["spec_id"].to_pylist()
    if "partition" not in entries.column_names:
        return [(spec, ()) for spec in specs]
    structs = entries["partition"].combine_chunks()
    columns = [[repr(plain(value)) for value in pc.struct_field(structs, one.name)] for one in structs.type]
    return list(zip(specs, zip(*columns, strict=True), strict=True))


def apply(
    deletes: Sequence[DeleteFile], data: Iterable[tuple[str, int, Tuple]], unpartitioned: frozenset[int]
) -> Deletions:
    """`data`: path, data sequence number and partition of each data file. `unpartitioned`: ids of unpartitioned specs.

    Iceberg spec, Scan Planning. A deletion vector applies to the file it references, if that file is not newer, and
    replaces its position delete files. A position delete file applies to files of its partition that are not newer. An
    equality delete file applies to older files of its partition, or of every partition if its spec is unpartitioned.
    """
    vectors: dict[str | None, list[DeleteFile]] = defaultdict(list)
    positions: dict[Tuple, list[DeleteFile]] = defaultdict(list)
    equality: dict[Tuple | None, list[DeleteFile]] = defaultdict(list)
    for one in deletes:
        if one.content == EQUALITY:
            equality[None if one.partition[0] in unpartitioned else one.partition].append(one)
        elif one.is_vector:
            vectors[one.referenced].append(one)
        else:
            positions[one.partition].append(one)
    applied: dict[str, tuple[DeleteFile, ...]] = {}
    for path, sequence, of_partition in data:
        by_vector = [one for one in vectors[path] if sequence <= one.sequence and one.partition == of_partition]
        by_position = by_vector or [
            one for one in positions[of_partition] if sequence <= one.sequence and one.referenced in (None, path)
        ]
        by_value = [one for one in (*equality[of_partition], *equality[None]) if sequence < one.sequence]
        if by_position or by_value:
            applied[path] = (*by_position, *by_value)
    return Deletions(tuple(deletes), applied)


def with_deletes(objects: Objects, files: DataFiles, deletions: Deletions, schemas: Sequence[Schema]) -> DataFiles:
    """The files with their deletes, except files with deletes in a format the judge does not read. Raises Malformed.

    `schemas` are all schemas of the table: the current one may lack a column of an equality delete.
    """
    if not deletions.applied:
        return files
    of_positions = cache(partial(_positions, objects))
    equality: dict[DeleteFile, int] = {}
    read: list[EqualityDelete] = []
    deleted: list[Positions] = []
    places: list[list[int]] = []
    known = [all(one.is_known for one in deletions.applied.get(path, ())) for path in files.table["path"].to_pylist()]
    table = files.table.filter(pa.array(known))
    for path in table["path"].to_pylist():
        mine = deletions.applied.get(path, ())
        found = [of_positions(one).get(path, NONE) for one in mine if one.content == POSITION]
        deleted.append(np.unique(np.concatenate([NONE, *found])))
        by_value = [one for one in mine if one.content == EQUALITY]
        for one in by_value:
            if one not in equality:
                equality[one] = len(read)
                read.append(_equality(objects, one, schemas))
        places.append([equality[one] for one in by_value])
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
    table = _position_rows(objects, delete)
    paths, positions = table["file_path"].combine_chunks(), np.asarray(table["pos"])
    return {path: positions[np.asarray(pc.equal(paths, path))] for path in pc.unique(paths).to_pylist()}


def _position_rows(objects: Objects, delete: DeleteFile) -> pa.Table:
    names = OF_POSITIONS.names
    if delete.format == AVRO:
        table = read_avro(objects, delete.path)
        if set(names) - set(table.column_names):
            raise Malformed(delete.path, f"cannot be read as a delete file: it has no {' and '.join(names)}")
    elif delete.format == ORC:
        from pyarrow.orc import ORCFile  # late: few tables have any

        table = _read(objects, delete, lambda source: ORCFile(source).read(names))
    else:
        table = _read(objects, delete, lambda source: open_parquet(source).read(names))
    return table.select(names).cast(OF_POSITIONS)


def _equality(objects: Objects, delete: DeleteFile, schemas: Sequence[Schema]) -> EqualityDelete:
    columns = tuple(_column(id, delete, schemas) for id in delete.equality_ids)

    def keys(source: pa.NativeFile) -> pa.Table:
        file = open_parquet(source)
        places = locate_all(FileSchema.of(file.schema_arrow, None), columns)
        if len(places) < len(columns):
            raise pa.ArrowInvalid(f"it holds {len(places)} of {len(columns)} columns to delete by")
        batches = list(file.iter_batches(columns=sorted({place[0] for place in places.values()})))
        return pa.table(
            {
                column.path: pa.chunked_array(
                    [column_values(batch, places[column.path], column.arrow) for batch in batches], column.arrow
                )
                for column in columns
            }
        )

    return EqualityDelete(columns, _read(objects, delete, keys))


def _column(id: int, delete: DeleteFile, schemas: Sequence[Schema]) -> Column:
    for schema in schemas:
        path = schema.find_column_name(id)
        if path is not None:
            judged = {leaf.field_id: leaf.column for leaf in leaves(schema)}
            return judged.get(id) or Column(id, path, arrow_type(schema.find_type(id)))
    raise Malformed(delete.path, f"deletes by field {id}, which no schema of the table has")


def _read(objects: Objects, delete: DeleteFile, read: Callable[[pa.NativeFile], pa.Table]) -> pa.Table:
    try:
        with objects.open(delete.path) as source:
            return read(source)
    except FileNotFoundError:
        raise Malformed(delete.path, "is named by the metadata but does not exist") from None
    except (pa.ArrowException, OSError) as error:
        raise Malformed(delete.path, f"cannot be read as a delete file: {first_line(error)}") from error
