"""Partition columns that are generated from another column, as XTable and Spark write them (Delta protocol, Generated
Columns).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.delta.schema import GENERATED, DeltaColumn
from xtable_audit.model.columns import Leaf
from xtable_audit.table.partitions import TransformKind

YEAR = re.compile(r"YEAR\(([^()]+)\)", re.IGNORECASE)
DATE = re.compile(r"CAST\((\S+) AS DATE\)", re.IGNORECASE)
FORMATTED = re.compile(r"DATE_FORMAT\(([^,]+),\s*'([^']+)'\)", re.IGNORECASE)
FORMATS = {"yyyy-MM": ("month", "%Y-%m"), "yyyy-MM-dd": ("day", "%Y-%m-%d"), "yyyy-MM-dd-HH": ("hour", "%Y-%m-%d-%H")}
"""Formats of which texts are in the order of time, and Python's for them."""


@dataclass(frozen=True)
class GeneratedTransform:
    """The year, month, day or hour of a timestamp or date, in UTC."""

    name: str
    format: str = ""
    """Of a text; "" for a year as a number and a day as a date."""
    kind: TransformKind = TransformKind.TIME
    keeps_order: bool = True

    def of(self, values: pa.Array | pa.ChunkedArray, column: Leaf) -> pa.Array:
        if self.format:
            return pc.strftime(values, self.format)
        return pc.year(values).cast(pa.int32()) if self.name == "year" else values.cast(pa.date32())

    def __str__(self) -> str:
        return self.name


def generated(column: DeltaColumn) -> tuple[str, GeneratedTransform] | None:
    """The source column's path and the transform; None for a column that is not generated, or in another way."""
    expression = column.metadata.get(GENERATED)
    if not isinstance(expression, str):
        return None
    if found := YEAR.fullmatch(expression.strip()):
        return _path(found[1]), GeneratedTransform("year")
    if found := DATE.fullmatch(expression.strip()):
        return _path(found[1]), GeneratedTransform("day")
    if (found := FORMATTED.fullmatch(expression.strip())) and found[2] in FORMATS:
        return _path(found[1]), GeneratedTransform(*FORMATS[found[2]])
    return None


def _path(name: str) -> str:
    return name.strip().replace("`", "")
