"""A table of a simple format: what it says of its data files, and rows deleted only by writing files anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa

from xtable_audit.model.columns import Leaf, RowField
from xtable_audit.model.malformed import Malformed, Outside, first_line
from xtable_audit.model.objects import Objects
from xtable_audit.model.printable import shortened
from xtable_audit.model.scan_input import DataFiles, Mapped, NameMapping, OnlyNames, Wanted
from xtable_audit.model.target_rules import TargetRules
from xtable_audit.table.deletions import PARQUET, Deletions
from xtable_audit.table.partitions import IDENTITY, PartitionField, Partitioning
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced


@dataclass(frozen=True)
class PlainTable:
    """All of `Native`, by the table's Arrow schema. A format with claims of its own extends it by what they look at."""

    rules: TargetRules
    schema: pa.Schema
    state: int | None = None
    partition_by: tuple[str, ...] = ()
    """Top-level columns whose value is one in each file."""
    partitions_first: bool = False
    last_synced: Synced | None = None
    more_metadata: tuple[str, ...] = ()
    """Addresses of the metadata files of the current state besides the one at the metadata location."""

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The columns that have stored metrics; lists and maps have none."""
        ids = self.field_ids
        return tuple(
            Leaf(ids[path], path, str(field.type), field.type, parent=ids.get(path.rpartition(".")[0]))
            for path, field in nodes(self.schema)
            if not pa.types.is_nested(field.type)
        )

    @property
    def frame(self) -> tuple[object, object, object]:
        return self.schema, self.partition_by, None

    @property
    def schema_in_words(self) -> str:
        return str(pa.struct(list(self.schema)))

    @property
    def partitioned_in_words(self) -> str:
        return f"[{', '.join(self.partition_by)}]"

    @cached_property
    def field_ids(self) -> Mapping[str, int]:
        """Their places in the schema: no column can be renamed."""
        return {path: place for place, (path, _) in enumerate(nodes(self.schema), start=1)}

    @property
    def struct_fields(self) -> tuple[str, ...]:
        return tuple(self.field_ids)

    @property
    def metadata_files(self) -> list[str]:
        return [*self.more_metadata]

    @property
    def statistics_files(self) -> list[str]:
        return []

    @property
    def earlier(self) -> tuple[str, ...]:
        return ()

    def type_of(self, column: str) -> str:
        return next(str(field.type) for path, field in nodes(self.schema) if path == column)

    def name_mapping(self, metadata_location: str) -> NameMapping | None:
        return OnlyNames(self._mapped(self.schema, ""))

    def _mapped(self, fields: Iterable[pa.Field], prefix: str) -> dict[str, Mapped]:
        return {
            one.name: Mapped(
                self.field_ids[f"{prefix}{one.name}"], self._mapped(_fields_in(one), f"{prefix}{one.name}.")
            )
            for one in fields
        }

    def row_fields(self, without: Collection[str]) -> tuple[RowField, ...]:
        return self._row_fields((one for one in self.schema if one.name not in without), "")

    def _row_fields(self, fields: Iterable[pa.Field], prefix: str) -> tuple[RowField, ...]:
        def of(one: pa.Field) -> RowField:
            path = f"{prefix}{one.name}"
            inside = self._row_fields(_fields_in(one), f"{path}.") if pa.types.is_struct(one.type) else None
            return RowField(self.field_ids[path], one.name, one.type, inside=inside)

        return tuple(map(of, fields))

    def wanted(self, stored: StoredMetrics) -> Wanted:
        return Wanted(tuple(leaf.column for leaf in stored.leaves))

    def with_deletes(self, objects: Objects, files: DataFiles, deletions: Deletions) -> DataFiles:
        return files


def nodes(fields: Iterable[pa.Field], prefix: str = "") -> Iterator[tuple[str, pa.Field]]:
    """Each column and each field of a struct by its dotted path, structs before their fields."""
    for one in fields:
        yield f"{prefix}{one.name}", one
        yield from nodes(_fields_in(one), f"{prefix}{one.name}.")


def _fields_in(field: pa.Field) -> list[pa.Field]:
    """The fields of a struct; none of any other type."""
    return list(field.type) if pa.types.is_struct(field.type) else []


ERRORS = (pa.ArrowException, ValueError, TypeError, AttributeError, OverflowError)
LONGEST = 80
"""Characters of a value that is none of its type, in words."""
SPEC = 0
"""The id of the only partition spec."""


@dataclass(frozen=True)
class PlainFile:
    """A live data file. What the metadata does not say of it is left out, or None.

    Values are Python's or those of JSON; a text stands for a date, a time or a decimal as Arrow parses it.
    """

    path: str
    """Its address."""
    size: int | None = None
    rows: int | None = None
    lower: Mapping[str, Any] = field(default_factory=dict)
    upper: Mapping[str, Any] = field(default_factory=dict)
    nulls: Mapping[str, int] = field(default_factory=dict)
    """By the dotted path of the column, as the bounds are."""
    partition: Mapping[str, Any] = field(default_factory=dict)
    """By partition column."""


def plain_metrics(objects: Objects, location: str, table: PlainTable, files: Iterable[PlainFile]) -> StoredMetrics:
    """The stored metrics of a table whose metadata at `location` names these files. Raises Malformed for a count that
    is no number, Outside for a file that the user does not allow to read.
    """
    every = tuple(files)
    try:
        demand_inside(objects, location, [one.path for one in every])
        return _metrics(location, table, every)
    except ERRORS as error:
        raise Malformed(location, f"does not describe a file as its format does: {first_line(error)}") from error


def _metrics(location: str, table: PlainTable, files: Sequence[PlainFile]) -> StoredMetrics:
    every = ([one.path for one in files], [one.size for one in files], [one.rows for one in files])
    listed = files_table(location, *every)
    columns, undecodable = {}, {}
    for leaf in table.leaves:
        lower, below = _values([one.lower.get(leaf.path) for one in files], leaf.arrow)
        upper, above = _values([one.upper.get(leaf.path) for one in files], leaf.arrow)
        columns[leaf.path] = pa.table(
            {
                "lower": lower,
                "upper": upper,
                "value_count": listed["record_count"],
                "null_count": _counts([one.nulls.get(leaf.path) for one in files]),
                "nan_count": pa.nulls(len(files), pa.int64()),
            }
        )
        if any(why := [one or other for one, other in zip(below, above, strict=True)]):
            undecodable[leaf.path] = pa.array(why, pa.string())
    partitioning = _partitioning(table, files)
    return StoredMetrics(location, table, table.leaves, listed, (partitioning,), columns, 0, undecodable=undecodable)


def demand_inside(objects: Objects, location: str, paths: Sequence[str]) -> None:
    """Raises Outside for the first file that the user does not allow to read."""
    if (outside := objects.first_outside(pa.array(paths, pa.string()))) is not None:
        raise Outside(location, f"names the data file {paths[outside[0]]}, {outside[1]}")


def files_table(
    location: str, paths: Sequence[str], sizes: Sequence[int | None], rows: Sequence[int | None]
) -> pa.Table:
    """`files` of stored metrics: Parquet files of one partition spec, without sort order, split offsets or encryption,
    which the metadata at `location` lists itself.
    """
    number = len(paths)
    return pa.table(
        {
            "path": pa.array(paths, pa.string()),
            "format": pa.array([PARQUET] * number, pa.string()),
            "size": _counts(sizes),
            "record_count": _counts(rows),
            "spec_id": pa.array([SPEC] * number, pa.int32()),
            "manifest": pa.array([location] * number, pa.string()),
            "sort_order": pa.nulls(number, pa.int32()),
            "encrypted": pa.array([False] * number, pa.bool_()),
            "split_offsets": pa.nulls(number, pa.list_(pa.int64())),
        }
    )


def _partitioning(table: PlainTable, files: Sequence[PlainFile]) -> Partitioning:
    """By the values of columns."""
    by_path = {leaf.path: leaf for leaf in table.leaves}
    spec, tuples, undecodable = [], {}, {}
    for number, name in enumerate(table.partition_by):
        leaf = by_path.get(name)
        if leaf is None:
            spec.append(PartitionField(number, name, 0, None, IDENTITY))
        else:
            spec.append(PartitionField(number, name, leaf.field_id, leaf.path, IDENTITY))
            tuples[name], why = _values([one.partition.get(name) for one in files], leaf.arrow)
            if any(why):
                undecodable[name] = pa.array(why, pa.string())
    return Partitioning(SPEC, tuple(spec), pa.table(tuples), {}, undecodable)


def _values(stored: Sequence[Any], type: pa.DataType) -> tuple[pa.Array, Sequence[str | None]]:
    """The values as those of the type, and why some are none; null where the metadata says none."""
    values: list[Any] = []
    why: list[str | None] = []
    for one in stored:
        value, words = None, None
        try:
            value = _value(one, type)
        except ERRORS:
            words = f"{shortened(repr(one), LONGEST)} is no value of type {type}"
        values.append(value)
        why.append(words)
    return pa.array(values, type), why


def _value(stored: Any, type: pa.DataType) -> Any:
    if isinstance(stored, bool) is not pa.types.is_boolean(type) and stored is not None:
        raise TypeError
    if isinstance(stored, float) and pa.types.is_integer(type):
        raise TypeError
    if isinstance(stored, str) and (pa.types.is_temporal(type) or pa.types.is_decimal(type)):
        return pa.scalar(stored).cast(type)
    return pa.scalar(stored, type)


def _counts(counts: Sequence[Any]) -> pa.Array:
    """Numbers of rows or bytes. Raises TypeError for anything else."""
    others = (one for one in counts if one is not None and type(one) is not int)
    if (other := next(others, None)) is not None:
        raise TypeError(f"{shortened(repr(other), LONGEST)} is no number")
    return pa.array(counts, pa.int64())
