"""Listed ⊇ planned ⊇ matching on healthy tables, and the judge's planner against PyIceberg's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyiceberg.table import StaticTable

from tests.audit.conftest import TableOf
from tests.audit.healthy import Table
from tests.audit.predicates import predicates, to_pyiceberg
from tests.audit.typed import TYPES
from xtable_audit.planning.judge_planner import select
from xtable_audit.planning.selection import judge_selections

TYPED = tuple("place.city" if name == "place" else name for name in TYPES)
COLUMNS = {
    "typed": TYPED,
    "good_layout-0.4.0-incubating": ("pickup_month", "tpep_pickup_datetime", "passenger_count", "store_and_fwd_flag"),
    "native_iceberg": ("pickup_month", "tpep_pickup_datetime", "passenger_count", "VendorID"),
}
drawn = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def planned(table: Table) -> StaticTable:
    return StaticTable.from_metadata(table.metadata_location, properties=table.mirror.pyiceberg)


@pytest.mark.parametrize("id", COLUMNS)
@settings(drawn, max_examples=40)
@given(data=st.data())
def test_every_matching_file_is_planned(table_of: TableOf, id: str, data: st.DataObject) -> None:
    table = table_of(id)
    predicate = data.draw(predicates(table, COLUMNS[id], negations=True), "predicate")
    [seen] = judge_selections(table.mirror.objects, table.case, [predicate])
    assert seen.live >= seen.planned >= seen.matching


@pytest.mark.parametrize("id", COLUMNS)
@settings(drawn, max_examples=50)
@given(data=st.data())
def test_selection_is_pyicebergs(table_of: TableOf, id: str, data: st.DataObject) -> None:
    table = table_of(id)
    predicate = data.draw(predicates(table, COLUMNS[id], negations=False), "predicate")
    kept = np.flatnonzero(select(table.case.stored, predicate))
    tasks = planned(table).scan(row_filter=to_pyiceberg(predicate)).plan_files()
    assert {table.case.stored.paths[i] for i in kept} == {task.file.file_path for task in tasks}


@settings(drawn, max_examples=40)
@given(data=st.data())
def test_selection_with_negations_is_within_pyicebergs(table_of: TableOf, data: st.DataObject) -> None:
    """PyIceberg keeps a file of nulls for `!=` and `NOT IN`, though in SQL no null is unequal to anything."""
    table = table_of("typed")
    predicate = data.draw(predicates(table, TYPED, negations=True), "predicate")
    kept = np.flatnonzero(select(table.case.stored, predicate))
    tasks = planned(table).scan(row_filter=to_pyiceberg(predicate)).plan_files()
    assert {table.case.stored.paths[i] for i in kept} <= {task.file.file_path for task in tasks}
