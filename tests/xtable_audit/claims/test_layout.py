"""The layout and the order of rows are judged by values alone: the metadata over badly cut files is correct."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.transforms import BucketTransform, TruncateTransform
from pyiceberg.types import LongType, StringType

from tests.tables.healthy import Table, control
from tests.tables.mirror import Mirror
from tests.tables.typed import PARTITION
from tests.xtable_audit.claims.faults_of_files import declared
from tests.xtable_audit.claims.faults_of_rows import HEALTHY, LAYOUTS, Layout
from tests.xtable_audit.conftest import DraftOf
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.iceberg.claims.data_files import rows_are_in_their_sort_order
from xtable_audit.formats.iceberg.transforms import derived
from xtable_audit.model.columns import Leaf
from xtable_audit.model.scan_input import SortedBy
from xtable_audit.values.row_counts import SortedRows

SCHEMA = pa.schema([("int", pa.int64()), (PARTITION, pa.string())])
drawn = settings(max_examples=60)
VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int64(): st.integers(-5, 5),
    pa.float64(): st.sampled_from([-math.inf, -1.5, 0.0, 2.0, math.inf, math.nan]),
    pa.string(): st.sampled_from(["", "a", "é", "\uffff", "\U00010000", "ab"]),
    pa.bool_(): st.booleans(),
    pa.binary(4): st.binary(min_size=4, max_size=4),
}


def laid_out(layout: Layout, folder: Path) -> Table:
    """Written unpartitioned, as no identity tuple describes a file of two values; the source has an identity."""
    mirror, uris = Mirror(folder), []
    for number, rows in enumerate(layout.files):
        uri = mirror.uri(f"laid_out/data/{number}.parquet")
        mirror.file(uri).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(rows, schema=SCHEMA), mirror.file(uri))
        uris.append(uri)
    table = control(mirror, "laid_out", uris, (), ("int", PARTITION))
    return replace(table, partition_by=(PARTITION,))


def unordered(columns: list[pa.Array], fields: list[SortedBy], batch: int = 3) -> int:
    """Seen a few rows at a time."""
    counter = SortedRows(fields)
    for start in range(0, len(columns[0]), batch):
        counter.see([one.slice(start, batch) for one in columns])
    return counter.unordered


def compared(fields: list[SortedBy]) -> Callable[[tuple[Any, ...], tuple[Any, ...]], int]:
    """How the specification compares two rows."""

    def rank(value: Any) -> Any:
        if isinstance(value, float):
            return (math.isnan(value), 0.0 if math.isnan(value) else value)
        return value.encode() if isinstance(value, str) else value

    def compare(one: tuple[Any, ...], other: tuple[Any, ...]) -> int:
        for by, a, b in zip(fields, one, other, strict=True):
            if (a is None) != (b is None):
                return -1 if (a is None) == by.nulls_first else 1
            if a is not None and rank(a) != rank(b):
                return (-1 if rank(a) < rank(b) else 1) * (-1 if by.descending else 1)
        return 0

    return compare


# The layout is judged by values alone: the same correct metadata, over badly cut files.


@pytest.mark.parametrize("layout", [HEALTHY, *LAYOUTS], ids=str)
def test_layout_breaks_its_claims_in_the_files_at_fault(tmp_path: Path, layout: Layout) -> None:
    case = laid_out(layout, tmp_path).case
    found = {id: claim.deviations(case) for id, claim in CLAIMS.items() if claim.family != "partition"}
    touched = {id: {place for d in deviations for place in d.places} for id, deviations in found.items() if deviations}
    assert touched == layout.touches


# Rows out of a file's sort order are counted, and none of a file that a writer sorted.


@pytest.mark.parametrize("kind", VALUES, ids=str)
@pytest.mark.parametrize("descending", [False, True], ids=["ascending", "descending"])
@pytest.mark.parametrize("nulls_first", [False, True], ids=["nulls last", "nulls first"])
@drawn
@given(data=st.data())
def test_pairs_that_the_specification_has_the_other_way_are_counted(
    data: st.DataObject, kind: pa.DataType, descending: bool, nulls_first: bool
) -> None:
    rows = data.draw(st.lists(st.tuples(st.none() | VALUES[kind], st.integers(0, 2)), max_size=12))
    fields = [SortedBy("c", descending, nulls_first), SortedBy("n", False, True)]
    columns = [pa.array([row[0] for row in rows], kind), pa.array([row[1] for row in rows], pa.int64())]
    compare = compared(fields)
    falls = sum(compare(one, other) > 0 for one, other in pairwise(rows))
    assert unordered(columns, fields) == falls
    ordered = sorted(rows, key=functools.cmp_to_key(compare))
    assert unordered([pa.array([row[0] for row in ordered], kind)], fields[:1]) == 0


BUCKET = derived(BucketTransform(4), Leaf(1, "c", LongType(), pa.int64()))

CUT = derived(TruncateTransform(1), Leaf(1, "c", StringType(), pa.string()))


@pytest.mark.parametrize(
    ("values", "transform", "expected"),
    [
        (pa.array(["b2", "b1", "c"]), CUT, 0),
        (pa.array(["b1", "a2", None]), CUT, 2),
        (pa.array(["b2", "b1", "c"]).dictionary_encode(), CUT, 0),
        (pa.array([1, 1, 1]), BUCKET, 0),
    ],
    ids=["alike when cut", "in no order when cut", "dictionary", "one bucket"],
)
def test_what_a_transform_makes_of_values_is_compared(values: pa.Array, transform: Any, expected: int) -> None:
    assert unordered([values], [SortedBy("c", False, True, transform)]) == expected


@pytest.mark.parametrize(
    "values", [[0.0, -0.0, 0.0], [1.0, math.copysign(math.nan, -1.0), -1.0]], ids=["zeros", "a negative NaN"]
)
def test_what_engines_sort_in_two_ways_is_in_order(values: list[float]) -> None:
    assert unordered([pa.array(values)], [SortedBy("c", False, True)]) == 0


def test_a_file_in_its_order_has_no_finding(draft_of: DraftOf) -> None:
    draft = draft_of("native_iceberg")
    declared(draft, "pickup_month", "asc")
    case = draft.case()
    assert (rows_are_in_their_sort_order.lacks(case), list(rows_are_in_their_sort_order.check(case))) == (None, [])
