"""Firebolt's plans and `LIST_ICEBERG_FILES`, in the documented shape: no evidence about Firebolt."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from lab.engines.firebolt.engine import FireboltEngine
from lab.engines.firebolt.listings import QueryPlan, UnknownListing, UnknownPlan, read_files, read_plan
from lab.engines.firebolt.reader import FireboltReader
from lab.store.address import Workspace
from tests.lab.engines.firebolt_stub import running, table
from tests.of_each import of_each
from xtable_audit.claims.readers.decoded_bounds import compare, compared_columns
from xtable_audit.table.stored_metrics import StoredMetrics

PLANS = json.loads(Path(__file__).with_name("firebolt_plans.json").read_text(encoding="utf-8"))


def recorded(name: str) -> str:
    return json.dumps(PLANS[name])


@pytest.mark.parametrize(
    ("name", "filtered", "plan"),
    [
        ("one_of_four", True, QueryPlan(live=4, planned_count=1, scanned=3403619, returned=3403619)),
        ("four_of_four", True, QueryPlan(live=4, planned_count=4, scanned=9384433, returned=3403619)),
        ("none_of_four", True, QueryPlan(live=4, planned_count=0, scanned=0, returned=0)),
        ("without_predicate", False, QueryPlan(live=4, planned_count=4, scanned=9384433, returned=9384433)),
        ("two_nodes", True, QueryPlan(live=8, planned_count=3, scanned=200, returned=120)),
    ],
)
def test_a_plan_in_the_documented_shape_has_files_and_rows(name: str, filtered: bool, plan: QueryPlan) -> None:
    assert read_plan(recorded(name), filtered) == plan


@pytest.mark.parametrize("plans", PLANS.values(), ids=PLANS)
def test_a_recorded_plan_says_that_it_is_no_evidence_about_firebolt(plans: Any) -> None:
    for plan in plans if isinstance(plans, list) else [plans]:
        assert "no evidence about Firebolt" in plan["note"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("from_a_cache", "operator 5 (TableFuncScan) did not run, so its rows came from a cache"),
        ("answered_from_metadata", "it has 0 operators that call read_from_s3, not one"),
        ("without_predicate", "no filter stands above operator 1 (TableFuncScan), so its rows may be those after the"),
    ],
)
def test_a_plan_that_lacks_numbers_is_refused_in_one_sentence(name: str, words: str) -> None:
    with pytest.raises(UnknownPlan) as refused:
        read_plan(recorded(name), filtered=True)
    assert str(refused.value).startswith(words)


def metrics(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """Change what one operator of the plan did; None takes a number away."""

    def change(plan: dict[str, Any]) -> None:
        metrics = plan["operators"][place]["annotations"]["execution_metrics"]
        metrics.update(changes)
        for name in [name for name, value in metrics.items() if value is None]:
            del metrics[name]

    return change


def operator(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan["operators"][place].update(changes)


def top(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plan: plan.update(changes)


SHAPES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "newer version": (top(version=2), "it is of version 2, and version 1 is the known one"),
    "not analyzed": (top(explain_type="physical"), "it holds 0 plans of explain_type analyze, not one"),
    "no operators": (top(operators=None), "its operators are not as documented"),
    "bare operator": (top(operators=[{"operator_id": 0}]), "its operators are not as documented: KeyError"),
    "id twice": (operator(5, operator_id=4), "its operators name each other by ids that are missing or not unique"),
    "id missing": (operator(5, input_ids=[77]), "its operators name each other by ids that are missing or not unique"),
    "no listing": (operator(7, operator_type="TableScan"), "it has 0 operators that call list_iceberg_files, not one"),
    "join": (operator(6, operator_type="Join"), "operator 6 (Join) stands above operator 7 (TableFuncScan), and is"),
    "limit": (operator(2, operator_type="Limit"), "operator 2 (Limit) stands above operator 4 (TableFuncScan), and is"),
    "two consumers": (operator(8, input_ids=[7]), "operator 7 (TableFuncScan) has 2 consumers, not one"),
    "no consumer": (operator(4, input_ids=[]), "operator 5 (Filter) has 0 consumers, not one"),
    "circle": (operator(6, input_ids=[7, 5]), "operator 5 (Filter) has 2 consumers, not one"),
    "rows lost": (metrics(6, output_cardinality=3), "operator 6 (MaybeCache) took in 4 rows and gave 3"),
    "files gained": (metrics(5, output_cardinality=5), "a filter gave more rows than it took in"),
    "no number": (metrics(7, output_cardinality=None), "operator 7 (TableFuncScan) has no output_cardinality"),
    "a word": (metrics(7, output_cardinality="4"), "operator 7 (TableFuncScan) has no output_cardinality"),
    "cached filter": (metrics(5, nothing_executed=True), "operator 5 (Filter) did not run, so its rows came from"),
    "cached scan": (metrics(4, nothing_executed=True), "operator 4 (TableFuncScan) did not run, so its rows came from"),
}


@of_each(("change", "words"), SHAPES.values(), ids=SHAPES)
def test_a_plan_of_another_shape_is_refused_in_one_sentence(
    change: Callable[[dict[str, Any]], None], words: str
) -> None:
    plan = json.loads(recorded("one_of_four"))
    change(plan)
    with pytest.raises(UnknownPlan) as refused:
        read_plan(json.dumps(plan), filtered=True)
    assert str(refused.value).startswith(words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "[TableFuncScan] $0 = read_from_s3(…)", "7", "[]", "null", '{"operators": 1}'])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(UnknownPlan):
        read_plan(text, filtered=True)


# `LIST_ICEBERG_FILES` in the documented shape (no evidence about Firebolt), and bounds compared with the evidence.

LISTING = "LIST_ICEBERG_FILES(URL => 's3://b/v1.metadata.json')"
FIXED = ("file_format", "file_size", "file_name", "file_bucket", "file_storage_api", "file_etag")


class FakeSession:
    """Answers as a session would."""

    def __init__(self, columns: tuple[str, ...], rows: list[list[Any]] | None = None) -> None:
        self._columns = dict.fromkeys(columns, "str")
        self._rows = rows or []
        self.queries: list[str] = []

    def columns(self, table: str) -> dict[str, str]:
        return self._columns

    def rows(self, sql: str) -> list[list[Any]]:
        self.queries.append(sql)
        return self._rows


def test_each_file_has_the_bounds_of_each_column() -> None:
    columns = (*FIXED, "min_day", "max_day", "min_zone", "max_zone", "partition_value_day_1000")
    session = FakeSession(
        columns, [["b", "t/a.parquet", 1, 2, "x", None], ["b", "s3://b/t/c.parquet", None, None, "y", "z"]]
    )
    assert read_files(session, LISTING) == {
        "s3://b/t/a.parquet": {"day": (1, 2), "zone": ("x", None)},
        "s3://b/t/c.parquet": {"day": (None, None), "zone": ("y", "z")},
    }


def test_only_existing_columns_are_selected() -> None:
    session = FakeSession((*FIXED, "min_a", "max_a", "min_min_a", "max_min_a", "min_alone"))
    read_files(session, LISTING)
    assert session.queries == [
        'SELECT "file_bucket", "file_name", "min_a", "max_a", "min_min_a", "max_min_a" ' + f"FROM {LISTING}"
    ]


@pytest.mark.parametrize(
    ("columns", "rows", "words"),
    [
        (("file_path", "min_a", "max_a"), [], "gives no file_bucket and no file_name, only file_path, min_a, max_a"),
        (FIXED, [], "gives no bounds, only file_format"),
        ((*FIXED, "min_a", "max_a"), [["b", "k", 1, 2]] * 2, "gives s3://b/k twice"),
    ],
    ids=["no path", "no bounds", "twice"],
)
def test_a_listing_of_another_shape_is_refused_in_one_sentence(
    columns: tuple[str, ...], rows: list[list[Any]], words: str
) -> None:
    with pytest.raises(UnknownListing, match=f"^LIST_ICEBERG_FILES {words}"):
        read_files(FakeSession(columns, rows), LISTING)


def test_values_come_off_the_wire_typed_as_their_columns() -> None:
    kinds = {
        "file_bucket": "text",
        "file_name": "text",
        "min_fare": "numeric(10, 2) null",
        "max_fare": "numeric(10, 2) null",
        "min_at": "timestamp null",
        "max_at": "timestamp null",
        "min_raw": "bytea null",
        "max_raw": "bytea null",
    }
    row = ["b", "t/a.parquet", "0.07", "8.47", "2023-03-10 01:30:15.000121", None, "\\x00ff", None]
    with running() as stub:
        stub.replies |= {
            "SELECT * FROM LIST_ICEBERG_FILES": table(kinds),
            'SELECT "file_bucket", "file_name", "min_fare"': table(kinds, row),
        }
        reader = FireboltReader(Workspace(None, "key", "secret"), FireboltEngine(url=stub.url))
        bounds = reader.bounds("s3://b/t/metadata/v1.metadata.json")
        reader.close()
    assert bounds == {
        "s3://b/t/a.parquet": {
            "fare": (Decimal("0.07"), Decimal("8.47")),
            "at": (dt.datetime(2023, 3, 10, 1, 30, 15, 121), None),
            "raw": (b"\x00\xff", None),
        }
    }


def stored(kind: pa.DataType, *bounds: tuple[Any, Any], delete_files: int = 0) -> StoredMetrics:
    """What the judge holds of a table with one column `c` and the files s3://b/0, s3://b/1, …"""
    nothing = cast(Any, None)
    lower, upper = zip(*bounds, strict=True)
    return StoredMetrics(
        metadata_location="s3://b/v1.metadata.json",
        native=nothing,
        leaves=(),
        files=pa.table({"path": [f"s3a://b/{place}" for place in range(len(bounds))]}),
        partitionings=(),
        columns={"c": pa.table({"lower": pa.array(lower, kind), "upper": pa.array(upper, kind)})},
        delete_files=delete_files,
    )


DAY = dt.date(2023, 3, 10)
MOMENT = dt.datetime(2023, 3, 10, 1, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [
        (pa.string(), "zone", "zone"),
        (pa.int64(), 7, 7),
        (pa.bool_(), True, True),
        (pa.float64(), 0.1, 0.1),
        (pa.float64(), float("nan"), float("nan")),
        (pa.float32(), "0.1", 0.1),
        (pa.float32(), 0.3, 0.3),
        (pa.decimal128(10, 2), Decimal("8.470"), Decimal("8.47")),
        (pa.date32(), DAY, DAY),
        (pa.timestamp("us", "UTC"), MOMENT.astimezone(dt.timezone(dt.timedelta(hours=5))), MOMENT),
        (pa.time64("us"), dt.datetime(1970, 1, 1, 1, 30), dt.time(1, 30)),
        (pa.binary(), b"\x00", b"\x00"),
        (pa.string(), None, None),
    ],
    ids=str,
)
def test_the_same_bound_is_no_deviation(kind: pa.DataType, theirs: Any, ours: Any) -> None:
    assert list(compare({"s3://b/0": {"c": (theirs, theirs)}}, stored(kind, (ours, ours)))) == []


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [
        (pa.string(), "zon", "zone"),
        (pa.string(), None, "zone"),
        (pa.string(), "zone", None),
        (pa.bool_(), 1, True),
        (pa.float64(), 0.1, 0.10000000000000002),
        (pa.float64(), "a word", 0.1),
        (pa.float64(), float("nan"), 0.1),
        (pa.decimal128(10, 2), Decimal("8.46"), Decimal("8.47")),
        (pa.timestamp("us", "UTC"), MOMENT + dt.timedelta(microseconds=1), MOMENT),
        (pa.timestamp("us", "UTC"), MOMENT.replace(tzinfo=None), MOMENT),
    ],
    ids=str,
)
def test_another_bound_is_a_deviation(kind: pa.DataType, theirs: Any, ours: Any) -> None:
    metrics = stored(kind, (ours, ours), (ours, ours))
    (found,) = compare({"s3://b/0": {"c": (ours, ours)}, "s3://b/1": {"c": (ours, theirs)}}, metrics)
    assert (found.places, found.column) == ((1,), "c")


def test_a_deviation_shows_both_ranges_and_the_file() -> None:
    (found,) = compare({"s3://b/0": {"c": ("a", "y")}}, stored(pa.string(), ("a", "z")))
    assert (found.saw, found.expected) == ("['a' … 'y'] for 0", "['a' … 'z'], as the manifest says")


def test_a_file_the_engine_does_not_list_is_a_deviation() -> None:
    (found,) = compare({"s3://b/0": {"c": (1, 2)}}, stored(pa.int64(), (1, 2), (3, 4)))
    assert (found.places, found.saw, found.expected) == ((1,), "1 file, without 1", "2 files")


def test_a_file_the_metadata_does_not_list_is_a_deviation() -> None:
    (found,) = compare({"s3://b/0": {"c": (1, 2)}, "s3://b/9": {}}, stored(pa.int64(), (1, 2)))
    assert found.saw == "9, which the metadata does not list"


def test_a_delete_file_is_no_deviation() -> None:
    metrics = stored(pa.int64(), (1, 2), delete_files=1)
    assert list(compare({"s3://b/0": {"c": (1, 2)}, "s3://b/deletes": {}}, metrics)) == []


def test_compared_columns_are_reported() -> None:
    metrics = stored(pa.int64(), (1, 2))
    assert [compared_columns({"s3://b/0": {name: (1, 2)}}, metrics) for name in ("c", "d")] == [{"c"}, set()]
