"""The source format's own statistics of its files, from which XTable makes Iceberg's metrics.

Hudi's come from its column stats index or its `ParquetUtils`; Delta's are the `stats` in its log; Iceberg's are the
metrics in its manifests. They form a case that the same claims judge: the second control.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.formats.installed import source_format
from xtable_audit.model.columns import Leaf
from xtable_audit.model.scalars import Mask, mask_of
from xtable_audit.model.sync import Thrown
from xtable_audit.subject.case import Case
from xtable_audit.values.parquet import locate

INDEX_SCALE = 15
"""Scale of every decimal in Hudi's column stats (its DecimalWrapper, HUDI-7037), whatever the column's scale."""


WORDS = {"lower": "min", "upper": "max", "value_count": "values", "null_count": "nulls"}
"""Stored metrics -> what they are called in a source's statistics."""


@dataclass(frozen=True)
class SourceStats:
    """Statistics by full URI. `files`: the file's `rows` and `columns`; a bound is what the source wrote, or typed.
    `failures`: what Hudi threw."""

    source: str
    """The source's format."""
    files: Mapping[str, Mapping[str, Any]]
    failures: Mapping[str, Thrown] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, root: str) -> SourceStats:
        """Reads a recording of the table at `root`. Its file names are relative to the table."""
        return cls.below(root, json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def below(cls, root: str, kept: Mapping[str, Any]) -> SourceStats:
        """Those of the table at `root`, whose files are named by their paths in it."""
        files = {f"{root}/{name}": of for name, of in kept["files"].items()}
        failures = {f"{root}/{name}": Thrown.of(words) for name, words in kept["failures"].items()}
        return cls(kept["teller"], files, failures)


def with_source_statistics(case: Case, stats: SourceStats) -> Case:
    """The case with the source's statistics in place of the stored metrics; null for files without statistics.

    `record_count` falls back to the stored one.
    """
    stored = case.stored
    own = source_format(stats.source).statistics
    coarse = own.coarse if own is not None else 0
    columns = {leaf.path: _column(case, leaf, stats, coarse) for leaf in stored.leaves}
    rows = pa.array([stats.files.get(path, {}).get("rows") for path in stored.paths], pa.int64())
    place = stored.files.schema.get_field_index("record_count")
    counted = pc.coalesce(rows, stored.files["record_count"])
    files = stored.files.set_column(place, "record_count", counted)
    return replace(case, stored=replace(stored, files=files, columns=columns))


Written: TypeAlias = str | Mapping[str, str] | pa.Scalar
"""A bound in the source's statistics: as text, as bytes, or typed."""
Carried = frozenset[tuple[str, str | None]]
"""Files by their paths, each with a column, or with None for its number of rows."""


def carried(case: Case, stats: SourceStats, metrics: Collection[str]) -> Carried:
    """Where the target has the source's own `metrics`: `lower`, `upper`, `null_count`.

    A timestamp may be cut as the target's format asks. What the source does not know, or has as no value of the
    target's type, is not carried.
    """
    own = with_source_statistics(case, stats).stored
    same: set[tuple[str, str | None]] = set()
    rows = pc.equal(own.files["record_count"], case.stored.files["record_count"]).to_pylist()
    same |= {(path, None) for path, one in zip(case.stored.paths, rows, strict=True) if one and path in stats.files}
    for leaf in case.stored.leaves:
        theirs, ours = own.columns[leaf.path], case.stored.columns[leaf.path]
        alike = [_alike(theirs[name], ours[name], case.stored.native.rules.coarse) for name in metrics]
        for place, path in enumerate(case.stored.paths):
            given = stats.files.get(path, {}).get("columns", {}).get(leaf.path)
            if given is None or not all(one[place] for one in alike):
                continue
            if all(given[WORDS[name]] is None or theirs[name][place].is_valid for name in metrics):
                same.add((path, leaf.path))
    return frozenset(same)


def _alike(theirs: pa.ChunkedArray, ours: pa.ChunkedArray, coarse: int) -> Mask:
    """Marks places where the target has what the source has, or both have nothing."""
    if coarse and pa.types.is_timestamp(ours.type):
        cut = pc.subtract(theirs.cast(pa.int64()), ours.cast(pa.int64()))
        same = pc.and_(pc.greater_equal(cut, 0), pc.less_equal(cut, coarse))
    else:
        same = pc.equal(theirs, ours)
        if pa.types.is_floating(ours.type):
            same = pc.or_(same, pc.and_(pc.is_nan(theirs), pc.is_nan(ours)))
    return mask_of(pc.if_else(pc.is_null(same), pc.and_(pc.is_null(theirs), pc.is_null(ours)), same))


def _column(case: Case, leaf: Leaf, stats: SourceStats, coarse: int) -> pa.Table:
    statistics = [stats.files.get(path, {}).get("columns", {}).get(leaf.path, {}) for path in case.stored.paths]
    own = [_own_type(schema, leaf) for schema in case.actual.schemas]
    value = partial(_value, leaf.arrow)
    lower = [value(kind, one.get("min")) for kind, one in zip(own, statistics, strict=True)]
    upper = [value(kind, one.get("max")) for kind, one in zip(own, statistics, strict=True)]
    if coarse and pa.types.is_timestamp(leaf.arrow):
        upper = [one if one is None else _reaching(one, leaf.arrow, coarse) for one in upper]
    counts = {name: WORDS[name] for name in ("value_count", "null_count")}
    return pa.table(
        {"lower": pa.array(lower, leaf.arrow), "upper": pa.array(upper, leaf.arrow)}
        | {name: pa.array([one.get(word) for one in statistics], pa.int64()) for name, word in counts.items()}
        | {"nan_count": pa.nulls(len(statistics), pa.int64())}
    )


def _own_type(schema: pa.Schema | None, leaf: Leaf) -> pa.DataType:
    """The column's type in the file itself, which gives the unit of raw numbers."""
    names = None if schema is None else locate(schema, leaf)
    if schema is None or names is None:
        return leaf.arrow
    kind = schema.field(names[0]).type
    for name in names[1:]:
        kind = kind.field(name).type
    return kind


def _value(
    kind: pa.DataType, own: pa.DataType, written: str | Mapping[str, str] | pa.Scalar | None
) -> pa.Scalar | None:
    """The typed value; None if absent or not a value of the column's type."""
    try:
        return None if written is None else _typed(kind, own, written)
    except (pa.ArrowException, ArithmeticError, ValueError):
        return None


def _typed(kind: pa.DataType, own: pa.DataType, written: Written) -> pa.Scalar:
    if isinstance(written, pa.Scalar):
        return written.cast(kind)
    if not isinstance(written, str):
        raw = bytes.fromhex(written["bytes"])
        if pa.types.is_decimal(kind):
            return pa.scalar(Decimal(int.from_bytes(raw, signed=True)).scaleb(-INDEX_SCALE), kind)
        return pa.scalar(raw, pa.binary()).cast(kind)
    if pa.types.is_temporal(kind):
        return _in_time(kind, own, written)
    if pa.types.is_boolean(kind):
        return pa.scalar(written.lower() == "true", kind)
    if pa.types.is_floating(kind):
        return pa.scalar(float(written), pa.float64()).cast(kind)
    if pa.types.is_integer(kind):
        return pa.scalar(int(written), kind)
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(written), kind)
    return pa.scalar(written, pa.string()).cast(kind)


def _in_time(kind: pa.DataType, own: pa.DataType, written: str) -> pa.Scalar:
    """Parses a raw number in the file's own unit, or a date or an instant in ISO 8601."""
    if re.fullmatch(r"-?\d+", written):
        narrow = pa.int32() if own.bit_width == 32 else pa.int64()
        return pa.scalar(int(written), pa.int64()).cast(narrow).cast(own).cast(kind)
    unit = "D" if pa.types.is_date(kind) else "us"
    number = int(np.array(written.removeprefix("+").removesuffix("Z"), f"datetime64[{unit}]").astype(np.int64))
    return pa.scalar(number, pa.int64()).cast(pa.int32() if unit == "D" else pa.int64()).cast(kind)


def _reaching(bound: pa.Scalar, kind: pa.DataType, coarse: int) -> pa.Scalar:
    """The greatest value that the bound may stand for."""
    return pa.scalar(bound.cast(pa.int64()).as_py() + coarse, pa.int64()).cast(kind)
