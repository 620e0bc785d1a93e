"""What is written as text and read back: predicates for `--where` and documents, and ids of subjects."""

from __future__ import annotations

import datetime as dt
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyiceberg import types
from pyiceberg.schema import Schema
from pyiceberg.types import IcebergType, NestedField, StructType

from lab.provision.catalogue import Catalogue
from lab.provision.hudi.kept_table import read, spell
from lab.provision.plan import Plan
from xtable_audit.check.predicate_in_sql import parse_where
from xtable_audit.formats.iceberg.columns import leaves
from xtable_audit.model.predicate import RESERVED, And, Compare, In, IsNull, Or, Predicate, StartsWith, identifier
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.table.stored_metrics import StoredMetrics

VALUES = ["it's", 2**60, 0.1, float("inf"), True, b"\xff\x00", Decimal("1.50"), date(1582, 10, 4)]
SOME_TIMES = [datetime(2023, 3, 1, 0, 0, 0, 1), datetime(2023, 3, 1, tzinfo=UTC)]
PRINTED = st.characters(exclude_categories=["Cs", "Cc"])
NAMES = st.one_of(
    st.sampled_from(["city name", "order", "Select", "a.b", 'said "so"', "città", "1st", "a-b", "n", "x.", ".x"]),
    st.sampled_from(sorted(RESERVED)),
    st.text(PRINTED, min_size=1, max_size=12),
)
DAYS, TIMES = st.dates(), st.datetimes()
TYPED: dict[IcebergType, st.SearchStrategy[Any]] = {
    types.LongType(): st.integers(-(2**63), 2**63 - 1),
    types.DoubleType(): st.floats(allow_nan=False, allow_infinity=False),
    types.DecimalType(18, 3): st.decimals(-(10**14), 10**14, places=3),
    types.BooleanType(): st.booleans(),
    types.StringType(): st.text(PRINTED, max_size=12),
    types.DateType(): DAYS,
    types.TimeType(): st.times(),
    types.TimestampType(): TIMES,
    types.TimestamptzType(): TIMES.map(lambda time: time.replace(tzinfo=dt.UTC)),
    types.UUIDType(): st.uuids().map(lambda one: one.bytes),
    types.BinaryType(): st.binary(max_size=6),
}
TYPES = st.sampled_from(list(TYPED)).flatmap(lambda kind: st.tuples(st.just(kind), TYPED[kind]))
CASES = {
    "native_iceberg": SubjectId("native_iceberg"),
    "good_layout-control": SubjectId("good_layout", "control"),
    "native_delta": SubjectId("native_delta"),
    "good_layout-delta_by_control": SubjectId("good_layout", "delta_by_control"),
    "skip_types-hudi1.1.0-rc1": SubjectId("skip_types", "hudi1.1.0-rc1"),
}


def again(predicate: Predicate) -> Predicate:
    return read(json.loads(json.dumps(spell(predicate))))


def read_back(predicate: Predicate, path: list[str], kind: IcebergType) -> Predicate:
    """By a table with this one column, inside structs if the path is longer."""
    field = NestedField(len(path), path[-1], kind, required=False)
    for number, name in reversed(list(enumerate(path[:-1], 100))):
        field = NestedField(number, name, StructType(field), required=False)
    return parse_where(
        str(predicate), cast(StoredMetrics, SimpleNamespace(leaves=leaves(Schema(field)), metadata_location=""))
    )


# Predicates go to JSON and come back.


@pytest.mark.parametrize("value", [*VALUES, *SOME_TIMES], ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    back = again(Compare("x", "<=", value))
    assert back == Compare("x", "<=", value)
    assert type(back.value) is type(value)


@pytest.mark.parametrize(
    "predicate",
    [
        In("x", (1, 2)),
        In("x", ("a",), negated=True),
        IsNull("x"),
        IsNull("x", negated=True),
        StartsWith("x", "10"),
        Compare("x", "=", 1) & (IsNull("y") | Compare("z", "!=", "a")),
    ],
    ids=str,
)
def test_a_predicate_comes_back_as_it_was(predicate: Predicate) -> None:
    assert again(predicate) == predicate


def test_what_is_no_predicate_is_refused() -> None:
    with pytest.raises(TypeError, match="not a predicate that can be spelled"):
        spell(Predicate())


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(TypeError, match="no value of a predicate"):
        spell(Compare("x", "=", object()))


# A predicate as it is printed is read back by `--where`, whatever its columns are called.


# The first example imports the parser, and the first name has Hypothesis make its tables of Unicode.
@given(st.lists(NAMES, min_size=1, max_size=6), TYPES)
@example(["city name"], (types.StringType(), "it's"))
@example(["address", "city"], (types.StringType(), "\\%"))
@example(["order"], (types.UUIDType(), UUID(int=1).bytes))
@example(["x"], (types.DecimalType(18, 3), Decimal("0.000")))
def test_what_is_printed_is_read_back(path: list[str], typed: tuple[IcebergType, Any]) -> None:
    kind, value = typed
    name = ".".join(path)
    predicates = (Compare(name, "=", value), In(name, (value,), negated=True), IsNull(name))
    both = And(Or(predicates[0], predicates[1]), predicates[2])
    for one in (*predicates, both):
        assert read_back(one, path, kind) == one


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("created_at", "created_at"),
        ("address.city", "address.city"),
        ("day", "day"),
        ("_x1", "_x1"),
        ("order", '"order"'),
        ("city name", '"city name"'),
        ("address.Order", 'address."Order"'),
        ('said "so"', '"said ""so"""'),
        ("a..b", '"a..b"'),
        ("città", '"città"'),
    ],
)
def test_a_name_is_quoted_only_where_it_must_be(path: str, written: str) -> None:
    assert identifier(path) == written


# The one rule of subjects' ids.


@pytest.mark.parametrize(("id", "subject"), CASES.items(), ids=CASES)
def test_an_id_is_read_as_it_is_written(id: str, subject: SubjectId) -> None:
    assert (SubjectId.parse(id), str(subject)) == (subject, id)


def test_every_tables_id_is_one() -> None:
    assert not [id for id in Catalogue(Plan()) if str(SubjectId.parse(id)) != id]


@pytest.mark.parametrize(
    ("id", "target"),
    [
        ("good_layout-xtable", "iceberg"),
        ("native_iceberg", "iceberg"),
        ("good_layout-delta_by_kernel", "delta"),
        ("good_layout-delta_by_control", "delta"),
        ("native_delta", "delta"),
        ("native_delta-xtable", "iceberg"),
        ("delta_by_date-xtable", "iceberg"),
    ],
)
def test_an_id_names_another_target_than_iceberg(id: str, target: str) -> None:
    assert SubjectId.parse(id).target == target


@pytest.mark.parametrize(
    ("id", "by_control"),
    [
        ("good_layout-control", True),
        ("good_layout-delta_by_control", True),
        ("good_layout-xtable", False),
        ("good_layout-delta_by_kernel", False),
        ("native_iceberg", False),
        ("control", False),
    ],
)
def test_an_id_tells_the_control_by_its_writer(id: str, by_control: bool) -> None:
    assert SubjectId.parse(id).is_control is by_control


def test_a_dataset_with_a_dash_is_refused() -> None:
    with pytest.raises(ValueError, match="has a dash"):
        SubjectId("good-layout", "xtable")
