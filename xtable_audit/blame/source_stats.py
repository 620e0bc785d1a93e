"""What the source's own format says of its files: the statistics that XTable makes Iceberg's metrics of.

Of Hudi, what its column statistics index or its `ParquetUtils` answer; of Delta, the `stats` in its log. As a case of
their own they are held to the claims that the metadata is held to: the second control.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.columns import Leaf
from xtable_audit.subject.case import Case
from xtable_audit.values.parquet import locate

INDEX_SCALE = 15
"""Of every decimal in Hudi's column statistics (its DecimalWrapper, HUDI-7037), whatever the column's own."""

Told = Mapping[str, Any]
"""min, max (text, or hexadecimal digits under `bytes`; null for none), nulls, values, of one column of one file."""


@dataclass(frozen=True)
class SourceStats:
    """By full URI: what is told of the file, `rows` and `columns`; and in `failures` what Hudi threw instead."""

    teller: Literal["hudi", "delta"]
    files: Mapping[str, Mapping[str, Any]]
    failures: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, root: str) -> SourceStats:
        """As it was kept, of the table at `root`: there the files are named from the table on."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        files, failures = ({f"{root}/{name}": of for name, of in kept[what].items()} for what in ("files", "failures"))
        return cls(kept["teller"], files, failures)


def told_by_source(case: Case, stats: SourceStats) -> Case:
    """The case, were the metadata to say what the source says of each file. Nothing of files it says nothing of."""
    stored = case.stored
    columns = {leaf.path: _column(case, leaf, stats) for leaf in stored.leaves}
    rows = pa.array([stats.files.get(path, {}).get("rows") for path in stored.paths], pa.int64())
    place = stored.files.schema.get_field_index("record_count")
    counted = pc.coalesce(rows, stored.files["record_count"])
    files = stored.files.set_column(place, "record_count", counted)
    return replace(case, stored=replace(stored, files=files, columns=columns))


def _column(case: Case, leaf: Leaf, stats: SourceStats) -> pa.Table:
    told = [stats.files.get(path, {}).get("columns", {}).get(leaf.path, {}) for path in case.stored.paths]
    own = [_own_type(schema, leaf) for schema in case.actual.schemas]
    value = partial(_value, leaf.arrow)
    lower = [value(kind, one.get("min")) for kind, one in zip(own, told, strict=True)]
    upper = [value(kind, one.get("max")) for kind, one in zip(own, told, strict=True)]
    if stats.teller == "delta" and pa.types.is_timestamp(leaf.arrow):
        upper = [one if one is None else _up_to_the_next_millisecond(one, leaf.arrow) for one in upper]
    counts = {"value_count": "values", "null_count": "nulls"}
    return pa.table(
        {"lower": pa.array(lower, leaf.arrow), "upper": pa.array(upper, leaf.arrow)}
        | {name: pa.array([one.get(word) for one in told], pa.int64()) for name, word in counts.items()}
        | {"nan_count": pa.nulls(len(told), pa.int64())}
    )


def _own_type(schema: pa.Schema | None, leaf: Leaf) -> pa.DataType:
    """Of the column in the file itself: raw numbers are in its unit."""
    names = None if schema is None else locate(schema, leaf)
    if schema is None or names is None:
        return leaf.arrow
    kind = schema.field(names[0]).type
    for name in names[1:]:
        kind = kind.field(name).type
    return kind


def _value(kind: pa.DataType, own: pa.DataType, told: str | Mapping[str, str] | None) -> pa.Scalar | None:
    """None too for what no value of the column's type can be."""
    try:
        return None if told is None else _typed(kind, own, told)
    except (pa.ArrowException, ArithmeticError, ValueError):
        return None


def _typed(kind: pa.DataType, own: pa.DataType, told: str | Mapping[str, str]) -> pa.Scalar:
    if not isinstance(told, str):
        raw = bytes.fromhex(told["bytes"])
        if pa.types.is_decimal(kind):
            return pa.scalar(Decimal(int.from_bytes(raw, signed=True)).scaleb(-INDEX_SCALE), kind)
        return pa.scalar(raw, pa.binary()).cast(kind)
    if pa.types.is_temporal(kind):
        return _in_time(kind, own, told)
    if pa.types.is_boolean(kind):
        return pa.scalar(told.lower() == "true", kind)
    if pa.types.is_floating(kind):
        return pa.scalar(float(told), pa.float64()).cast(kind)
    if pa.types.is_integer(kind):
        return pa.scalar(int(told), kind)
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(told), kind)
    return pa.scalar(told, pa.string()).cast(kind)


def _in_time(kind: pa.DataType, own: pa.DataType, told: str) -> pa.Scalar:
    """A raw number in the file's own unit, or a date or an instant in ISO 8601."""
    if re.fullmatch(r"-?\d+", told):
        narrow = pa.int32() if own.bit_width == 32 else pa.int64()
        return pa.scalar(int(told), pa.int64()).cast(narrow).cast(own).cast(kind)
    unit = "D" if pa.types.is_date(kind) else "us"
    number = int(np.array(told.removeprefix("+").removesuffix("Z"), f"datetime64[{unit}]").astype(np.int64))
    return pa.scalar(number, pa.int64()).cast(pa.int32() if unit == "D" else pa.int64()).cast(kind)


def _up_to_the_next_millisecond(bound: pa.Scalar, kind: pa.DataType) -> pa.Scalar:
    """Delta's protocol, Per-file Statistics: timestamps are cut to milliseconds, so a maximum is up to one too low."""
    return pa.scalar(bound.cast(pa.int64()).as_py() + 999, pa.int64()).cast(kind)
