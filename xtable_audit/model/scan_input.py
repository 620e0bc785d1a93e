"""Input of a scan, in plain objects that can cross a process and need only Arrow."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.kept_results import digest


@dataclass(frozen=True)
class WantedColumn:
    """A primitive column of the table, top-level or inside structs."""

    field_id: int
    path: str
    """Dotted: `address.city`."""
    arrow: pa.DataType
    default: pa.Scalar | None = None
    """Its initial default: the value in files that were written before it was added; None for null."""
    parent: int | None = None
    """Field id of the struct around it; None for a top-level column."""


@dataclass(frozen=True)
class Shape:
    """A field of the table's schema and the fields inside it."""

    field_id: int
    name: str
    required: bool
    kind: Literal["struct", "list", "map", "primitive"]
    inside: tuple[Shape, ...] = ()
    """The fields of a struct, the element of a list, or the key and value of a map."""


@dataclass(frozen=True)
class Mapped:
    """The entry of a table's name mapping for one name."""

    field_id: int | None
    inside: Mapping[str, Mapped] = field(default_factory=dict)
    """Entries of the fields inside it, by name; lists and maps use `element`, `key` and `value`."""


NameMapping = Mapping[str, Mapped]
"""A table's `schema.name-mapping.default`."""


class OnlyNames(dict[str, Mapped]):
    """A mapping that resolves the columns of every file, also of those with field ids of their own."""

    def __repr__(self) -> str:
        return f"OnlyNames({super().__repr__()})"


class Derived(Protocol):
    """A value derived from each value of a column: a partition transform that does not preserve order."""

    @property
    def name(self) -> str: ...

    @property
    def column(self) -> str:
        """Path of the source column."""

    @property
    def arrow(self) -> pa.DataType: ...

    def of(self, values: pa.Array) -> pa.Array:
        """The derived value of each distinct value."""


@dataclass(frozen=True)
class SortedBy:
    """A field of a sort order."""

    column: str
    """Path of the source column."""
    descending: bool
    nulls_first: bool
    derived: Derived | None = None
    """The transform; None for the values themselves."""


@dataclass(frozen=True)
class Wanted:
    """What to measure in each file: extremes and counts of `columns`, extremes of `derived`, nulls in `demanding`, and
    rows out of order by the file's own of `orders`.
    """

    columns: tuple[WantedColumn, ...]
    derived: tuple[Derived, ...] = ()
    demanding: tuple[Shape, ...] = ()
    """Columns with a required field inside them."""
    orders: tuple[tuple[int, tuple[SortedBy, ...]], ...] = ()
    """Sort orders by their id, each as far as it can be judged."""

    def sorted_by(self, order: int | None) -> tuple[SortedBy, ...]:
        """The fields of that order; none if it is not judged."""
        return dict(self.orders).get(order, ()) if order is not None else ()


Positions = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class EqualityDeletes:
    """Delete each row of an older file whose columns equal one row of `keys`; null equals null."""

    columns: tuple[WantedColumn, ...]
    keys: pa.Table
    """One column for each of `columns`, named by its path."""
    sequences: Positions
    """The sequence number of each row of `keys`."""

    @property
    def digest(self) -> str:
        return digest(digest_of(self.keys), repr(self.columns), self.sequences.tobytes().hex())


def digest_of(table: pa.Table) -> str:
    """Of its values: those of equal tables may differ, as by their chunks."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table.combine_chunks())
    return hashlib.sha256(sink.getvalue()).hexdigest()


@dataclass(frozen=True)
class Deletes:
    """The row-level deletes of one data file."""

    positions: Positions
    """Sorted positions of deleted rows."""
    equality: Sequence[EqualityDeletes] = ()
    sequence: int = 0
    """That of the data file: later deletes by equality apply to it."""


NO_DELETES = Deletes(np.zeros(0, np.int64))


@dataclass(frozen=True)
class Vector:
    """Where the deletion vector of a data file is, by which it is read with the file."""

    path: str
    """The file that holds it."""
    offset: int = 0
    length: int = 0
    """Bytes, with the frame around the vector."""
    inline: bytes | None = None
    """The vector itself, where the metadata holds it."""


VECTOR = pa.struct([("path", pa.string()), ("offset", pa.int64()), ("length", pa.int64()), ("inline", pa.binary())])
"""A Vector in Arrow."""


@dataclass(frozen=True)
class DataFile:
    """One file of a scan."""

    path: str
    constants: Mapping[str, pa.Scalar] = field(default_factory=dict)
    deletes: Deletes = NO_DELETES
    is_parquet: bool = True
    """As the metadata says, not the file itself."""
    mapping: NameMapping | None = None
    order: int | None = None
    """Its sort_order_id."""
    vector: Vector | None = None
    """Its deletion vector, where the format's metrics are of the rows that it leaves: these alone are measured.
    `deletes` remove nothing of what is measured."""


@dataclass(frozen=True)
class DataFiles:
    """The data files of a scan, each once.

    `table`: path, and optionally is_parquet (bool), constants (struct by column path: the value of every row of a file
    that lacks the column), deleted (list of the sorted positions of deleted rows), equality (list of indexes into
    `equality`, of those of which some delete applies to the file), sequence (the number of the file, by which they do),
    order (its sort_order_id), vector (VECTOR; null for none).
    """

    table: pa.Table
    equality: tuple[EqualityDeletes, ...] = ()
    mapping: NameMapping | None = None
    """Resolves columns of files without field ids. If None, they resolve by name."""

    @classmethod
    def at(cls, paths: Iterable[str]) -> DataFiles:
        """Parquet files at these paths, without constants or deletes."""
        return cls(pa.table({"path": pa.array(dict.fromkeys(paths), pa.string())}))

    @property
    def digest(self) -> str:
        """Of everything but the content of the files."""
        return digest(digest_of(self.table), repr(self.mapping), *(one.digest for one in self.equality))

    @property
    def paths(self) -> list[str]:
        paths: list[str] = self.table["path"].to_pylist()
        return paths

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[DataFile]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> DataFile:
        row = {name: self.table[name][place] for name in self.table.column_names}
        deleted, equality, vector = row.get("deleted"), row.get("equality"), row.get("vector")
        return DataFile(
            row["path"].as_py(),
            dict(row["constants"]) if "constants" in row else {},
            Deletes(
                np.asarray(deleted.values) if deleted is not None and deleted.is_valid else NO_DELETES.positions,
                tuple(self.equality[one] for one in equality.as_py() or ()) if equality is not None else (),
                row["sequence"].as_py() if "sequence" in row else 0,
            ),
            "is_parquet" not in row or row["is_parquet"].as_py(),
            self.mapping,
            row["order"].as_py() if "order" in row else None,
            Vector(**vector.as_py()) if vector is not None and vector.is_valid else None,
        )

    def slice(self, start: int, length: int) -> DataFiles:
        """Consecutive files."""
        return replace(self, table=self.table.slice(start, length))

    def only(self, paths: Collection[str]) -> DataFiles:
        """The files at these paths."""
        return replace(self, table=self.table.filter(self._at(paths)))

    def without(self, paths: Collection[str]) -> DataFiles:
        """The files not at these paths."""
        return replace(self, table=self.table.filter(pc.invert(self._at(paths))))

    def _at(self, paths: Collection[str]) -> pa.ChunkedArray:
        return pc.is_in(self.table["path"], pa.array(list(paths), pa.string()))
