"""Explains why a file is kept or skipped: its stored metrics for the columns of a predicate."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from xtable_audit.model.predicate import Predicate, columns_of, literal
from xtable_audit.model.scalars import plain
from xtable_audit.table.partitions import TransformKind
from xtable_audit.table.stored_metrics import StoredMetrics

LONGEST = 60
"""Maximum length of a printed value, in characters."""


def bounds_in_words(stored: StoredMetrics, path: str, predicate: Predicate) -> str:
    """The manifest entry of `path` as `part-0.parquet (pickup_month: '2023-01' … '2023-01', 0 of 9 null)`."""
    place = stored.paths.index(path)
    metrics = "; ".join(f"{column}: {_of(stored, column, place)}" for column in sorted(columns_of(predicate)))
    empty = "record_count 0; " if stored.files["record_count"][place].as_py() == 0 else ""
    return f"{path.rsplit('/', 1)[-1]} ({empty}{metrics})"


def _of(stored: StoredMetrics, column: str, place: int) -> str:
    metrics = {name: stored.columns[column][name][place] for name in stored.columns[column].column_names}
    words = [f"{_value(metrics['lower'])} … {_value(metrics['upper'])}"]
    if metrics["null_count"].is_valid:
        words.append(f"{metrics['null_count']} of {metrics['value_count'].as_py()} null")
    return ", ".join([*words, *_tuples(stored, column, place)])


def _tuples(stored: StoredMetrics, column: str, place: int) -> Iterator[str]:
    """The partition values derived from the column."""
    for one in stored.partitionings:
        for field, leaf in one.fields(stored.leaves):
            if leaf.path == column and stored.under(one)[place]:
                name = "partition" if field.transform.kind is TransformKind.IDENTITY else str(field.transform)
                yield f"{name} {_value(one.tuples[field.name][place])}"


def _value(scalar: pa.Scalar) -> str:
    text = literal(plain(scalar)) if scalar.is_valid else "none"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
