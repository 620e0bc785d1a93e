"""How a table's columns fit the schema of a file: worked out once for the files that share it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.model.scan_input import NameMapping, Shape, Wanted
from xtable_audit.values.open_parquet import HeldFile
from xtable_audit.values.parquet import FileColumns, FileSchema, find_field, schema_of


@dataclass(frozen=True)
class Fit:
    parquet: pq.ParquetSchema
    arrow: bytes | None
    """What Arrow wrote of its own schema; with Parquet's it decides which one Arrow reads."""
    mapping: NameMapping | None
    by_id: bool
    schema: pa.Schema
    """As `schema_of`."""
    columns: FileColumns
    """Without constants."""
    demanding: Mapping[str, tuple[Shape, pa.DataType]]
    """By the top-level column."""

    @classmethod
    def of(cls, file: HeldFile, mapping: NameMapping | None, wanted: Wanted) -> Fit:
        arrow = file.schema_arrow.remove_metadata()
        own = FileSchema.of(arrow, mapping)
        places = ((shape, find_field(own.schema, shape, by_id=own.by_id)) for shape in wanted.demanding)
        fields = [(shape, own.schema.field(place)) for shape, place in places if place is not None]
        demanding = {field.name: (shape, field.type) for shape, field in fields}
        columns = FileColumns.of(own, wanted.columns, {})
        written = _arrow_schema(file)
        return cls(file.schema, written, mapping, own.by_id, schema_of(file.schema, arrow), columns, demanding)

    def is_of(self, file: HeldFile, mapping: NameMapping | None) -> bool:
        same = self.parquet.equals(file.schema) and self.arrow == _arrow_schema(file)
        return bool(same and self.mapping is mapping)


def _arrow_schema(file: HeldFile) -> bytes | None:
    return (file.metadata.metadata or {}).get(b"ARROW:schema")
