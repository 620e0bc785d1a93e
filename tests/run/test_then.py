"""What a source was at an earlier stage, by its entry."""

from __future__ import annotations

import pytest

from lab.provision.then import is_rolled_back, partitioned_then
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.tables import BATTERY


@pytest.mark.parametrize(
    ("name", "columns"),
    {
        "iceberg_repartitioned": [("p",), ("p", "s")],
        "iceberg_unpartitioned_since": [("p",), ()],
        "iceberg_respec_rewritten": [("p", "s")],
        "iceberg_partition_overwritten": [("p",), ("p",)],
        "iceberg_append": [(), (), ()],
    }.items(),
)
def test_a_table_is_partitioned_by_what_it_was_at_each_stage(name: str, columns: list[tuple[str, ...]]) -> None:
    table = ICEBERG_TABLES[name]
    assert [partitioned_then(table, stage) for stage in range(len(table.stages))] == columns


def test_a_table_of_the_battery_is_partitioned_as_its_entry_has_it() -> None:
    assert partitioned_then(BATTERY["partition_two_columns"], 0) == BATTERY["partition_two_columns"].partition_by


def test_the_stage_of_a_rollback_is_one_to_which_the_table_went_back() -> None:
    table = ICEBERG_TABLES["iceberg_rolled_back"]
    assert [is_rolled_back(table, stage) for stage in range(3)] == [False, False, True]
    assert not any(is_rolled_back(BATTERY["history_rollback"], stage) for stage in range(2))
