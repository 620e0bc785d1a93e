"""What an engine gets wrong of a user's own table that it answers from metadata alone, by metadata and values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.figures import many
from xtable_audit.model.printable import printable
from xtable_audit.model.scalars import show
from xtable_audit.model.subject_id import DELTA, ICEBERG
from xtable_audit.planning.aggregate_answers import same, stored_answer, true_answers
from xtable_audit.planning.aggregates import queries
from xtable_audit.subject.case import Case

TURNED_OFF: Mapping[str, str] = MappingProxyType(
    {
        ICEBERG: "the read option aggregate-push-down-enabled=false turns it off",
        DELTA: "the setting spark.databricks.delta.optimizeMetadataQuery.enabled=false turns it off",
    }
)
"""By the table's format, what keeps Spark from it."""


def wrong_from_metadata(case: Case) -> str:
    """The first such answer with the right one, how many more there are, and what turns them off, in two sentences; ""
    if there is none, or not every file is read.
    """
    format = case.rules.format
    if format not in TURNED_OFF or case.stored.files_set_aside or case.stored.deletions.applied:
        return ""
    wrong = list(_wrong(case, format))
    if not wrong:
        return ""
    asked, metadata, values = wrong[0]
    more = f", and {many(len(wrong) - 1, 'more aggregate')} would be wrong" if len(wrong) > 1 else ""
    return printable(
        f"Answered from metadata alone, {asked} is {show(metadata)}; by the values it is {show(values)}{more}. Spark "
        f"answers so by default, other engines count(*): {TURNED_OFF[format]}."
    )


def _wrong(case: Case, format: str) -> Iterator[tuple[Aggregate, Any, Any]]:
    """Aggregate, answer by the metadata, answer by the values."""
    for one in chain.from_iterable(queries(case, ("rows", "values", "ends"))):
        if one.column is not None and one.function != "count" and not _is_answered(case, one.column, format):
            continue
        true = true_answers(case, one, {})
        if one.function == "max" and len(true) > 1:
            true = (math.nan,)  # Spark sorts NaN behind every number
        metadata = stored_answer(case, one)
        if true and metadata is not None and not any(same(metadata, value) for value in true):
            yield one, metadata, true[0]


def _is_answered(case: Case, column: str, format: str) -> bool:
    """Whether Spark takes ends of the column from metadata (docs/readers.md), and every file with values has them."""
    stored, actual = case.stored.columns[column], case.actual.columns[column]
    kind = stored["lower"].type
    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_date(kind)
    others = pa.types.is_decimal(kind) or pa.types.is_temporal(kind) or pa.types.is_boolean(kind)
    lacks = pc.and_(actual["min"].is_valid(), pc.or_(stored["lower"].is_null(), stored["upper"].is_null()))
    return (numbers or (others and format == ICEBERG)) and not pc.any(lacks).as_py()
