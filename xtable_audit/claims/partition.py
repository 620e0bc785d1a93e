"""The partition spec against the configured one, and partition tuples against every row of their file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.claims.deviation import ABSENT, Deviation, deviation, file_name
from xtable_audit.claims.needs import (
    CONFIGURED_SPEC,
    PARTITION_SUMMARIES,
    PARTITION_TUPLES,
    SOURCE,
    STATED_TRANSFORMS,
    unread,
)
from xtable_audit.model import rules
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.columns import Leaf
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case, Part
from xtable_audit.table.partitions import PartitionField, Partitioning, TransformKind, named

SPEC = "Iceberg spec, Partitioning"


TRANSFORMS = {"VALUE": "identity", "YEAR": "year", "MONTH": "month", "DAY": "day", "HOUR": "hour"}
"""XTable's names of transforms; other names stay as they are."""


@claim(
    "the partition spec is the one the translation was configured for",
    needs=(SOURCE, CONFIGURED_SPEC, STATED_TRANSFORMS),
    spec=SPEC,
    breaks=Verdict.LOOSE,
)
def spec_is_the_configured_one(case: Case) -> Iterator[Deviation]:
    own = case.stored.partitioning
    fields = [(str(field.transform), field.source) for field in own.spec]
    configured = _configured(case)
    if fields != configured:
        yield Deviation(
            places=tuple(range(case.stored.files.num_rows)),
            saw=spec_in_words(fields),
            expected=spec_in_words(configured),
            kind="" if fields else ABSENT,
            stored=spec_in_words(fields),
        )
        return
    yield from deviation(
        ~case.stored.under(own),
        saw=lambda i: f"spec {case.stored.files['spec_id'][i]} for {file_name(case, i)}",
        expected=lambda i: f"spec {own.id}, the table's own: {spec_in_words(configured)}",
    )


def _of_columns(case: Case) -> Iterator[tuple[Partitioning, PartitionField, Leaf]]:
    """The fields of specs with tuples that are of a column, by a transform that is known."""
    for one in case.stored.partitionings:
        for field, leaf in one.fields(case.stored.leaves):
            if field.transform.kind is not TransformKind.UNKNOWN:
                yield one, field, leaf


TUPLES_OF_ROWS = Need[Case](
    "a partition tuple of a data file whose values are known",
    lambda case: any(
        np.any(case.stored.under(one) & np.asarray(case.actual.columns[leaf.path]["value_count"].is_valid()))
        for one, _, leaf in _of_columns(case)
    ),
    waits=unread(Part.VALUES, lambda case: any(_of_columns(case))),
)


@claim(
    "the partition tuple equals the transform of every row's value",
    needs=(PARTITION_TUPLES, TUPLES_OF_ROWS),
    spec=rules.TUPLES,
    breaks=Verdict.UNSOUND,
)
def tuples_equal_every_row(case: Case) -> Iterator[Deviation]:
    """Each file is judged by the spec it was written under. A null tuple means that every row is null."""
    for one, field, leaf in _of_columns(case):
        stored = one.tuples[field.name]
        true = true_tuples(case, field, leaf, stored)
        mixed = pc.or_(
            pc.or_(pc.not_equal(stored, true["min"]), pc.not_equal(stored, true["max"])).fill_null(False),
            pc.and_(pc.is_valid(stored), pc.greater(true["others"], 0)).fill_null(False),
        )
        lost = pc.and_(pc.is_null(stored), pc.is_valid(true["min"]))
        if field.name in one.undecodable:
            lost = pc.and_(lost, one.undecodable[field.name].is_null())
        yield from deviation(
            np.asarray(pc.or_(mixed, lost)) & case.stored.under(one),
            saw=partial(_tuple, case, stored),
            expected=partial(_values, true),
            column=leaf.path,
            absent=partial(pc.is_null, stored),
        )


def true_tuples(case: Case, field: PartitionField, leaf: Leaf, stored: pa.ChunkedArray) -> pa.Table:
    """Per file, min and max of the transformed values, and `others`: rows that these do not cover (nulls and NaN).

    With an order-preserving transform, all rows have one tuple if min and max have the same one.
    """
    true = case.actual.columns[leaf.path]
    if field.transform.kind is TransformKind.VOID:
        nothing = pa.nulls(true.num_rows, stored.type)
        return pa.table({"min": nothing, "max": nothing, "others": true["value_count"]})
    others = pc.add(true["null_count"], true["nan_count"])  # no extreme is NaN
    if field.transform.kind is TransformKind.IDENTITY:
        if pa.types.is_floating(stored.type):
            others = pc.if_else(pc.is_nan(stored), pc.subtract(true["value_count"], true["nan_count"]), others)
        return pa.table({"min": true["min"], "max": true["max"], "others": others})
    if not field.transform.keeps_order:
        buckets = case.actual.buckets[named(field, leaf.path)]
        return pa.table({"min": buckets["min"], "max": buckets["max"], "others": others})
    extremes = {side: field.transform.of(true[side], leaf) for side in ("min", "max")}
    return pa.table(extremes | {"others": others})


def _configured(case: Case) -> list[tuple[str, str | None]]:
    """XTable's configured fields; without a configuration, the source's partition columns by identity."""
    if not case.source.spec:
        return [("identity", column) for column in case.source.partition_by]
    fields = [field.split(":", 2) for field in case.source.spec.split(",")]
    return [(TRANSFORMS.get(transform, transform), column) for column, transform, *_ in fields]


@claim(
    "the manifest list's partition summary covers every tuple of its manifest",
    needs=PARTITION_SUMMARIES,
    spec=SPEC,
    breaks=Verdict.UNSOUND,
)
def summaries_cover_every_tuple(case: Case) -> Iterator[Deviation]:
    """Readers skip whole manifests by it. Null bounds mean that there is no value except null or NaN."""
    for one in case.stored.partitionings:
        for name, summary in one.summaries.items():
            tuples = one.tuples[name]
            outside = pc.or_(pc.less(tuples, summary["lower"]), pc.greater(tuples, summary["upper"])).fill_null(False)
            unbounded = pc.or_(pc.is_null(summary["lower"]), pc.is_null(summary["upper"]))
            denied = pc.and_(pc.is_null(tuples), pc.invert(summary["contains_null"])).fill_null(False)
            number = pc.is_valid(tuples)
            if pa.types.is_floating(tuples.type):  # NaN is in no bounds
                nan = pc.is_nan(tuples).fill_null(False)
                number = pc.and_(number, pc.invert(nan))
                denied = pc.or_(denied, pc.and_(nan, pc.invert(summary["contains_nan"])).fill_null(False))
            missing = pc.and_(number, unbounded)
            lost = pc.and_(summary["present"], pc.or_(pc.or_(outside, missing), denied))
            yield from deviation(
                np.asarray(lost) & case.stored.under(one),
                saw=partial(_summary, summary),
                expected=partial(_tuple, case, tuples),
                column=name,
            )


def _summary(summary: pa.Table, place: int) -> str:
    low, high = show(summary["lower"][place]), show(summary["upper"][place])
    nulls = "with" if summary["contains_null"][place].as_py() else "without"
    words = f"{low} … {high}, {nulls} nulls"
    nan = summary["contains_nan"][place].as_py()
    if nan is None or not pa.types.is_floating(summary["lower"].type):
        return words
    return f"{words}, {'with' if nan else 'without'} NaN"


def _tuple(case: Case, stored: pa.ChunkedArray, place: int) -> str:
    return f"{case.rules.term('tuple')} {show(stored[place])} for {file_name(case, place)}"


def _values(true: pa.Table, place: int) -> str:
    low, high = show(true["min"][place]), show(true["max"][place])
    return f"{low} … {high} and {true['others'][place]} nulls or NaN, by its values"


def spec_in_words(fields: Iterable[tuple[str, object]]) -> str:
    """Transform and column of each field: `identity(day), bucket[4](id)`."""
    return ", ".join(f"{transform}({column})" for transform, column in fields) or "unpartitioned"
