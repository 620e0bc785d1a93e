"""Where XTable reaches a table, by a run's options."""

from __future__ import annotations

import pytest

from lab.provision.plan import THROUGH_STORE, Plan

ORDINARY, PUBLISHED, TIMES_SET = "types_ints_plain", THROUGH_STORE[0], "edge_delta_same_second"


@pytest.mark.parametrize(
    ("plan", "through_store"),
    [
        (Plan(), {PUBLISHED}),
        (Plan(sync_through="mount", s3="minio"), {PUBLISHED}),
        (Plan(sync_through="store"), {PUBLISHED, ORDINARY}),
        (Plan(s3="minio"), {PUBLISHED, ORDINARY}),
        (Plan(fresh_jvm=True), {PUBLISHED, ORDINARY}),
    ],
    ids=["by default", "over a mount", "through the store", "another store than moto", "a new JVM for every sync"],
)
def test_a_table_whose_times_no_store_gives_is_always_over_a_mount(plan: Plan, through_store: set[str]) -> None:
    tables = (ORDINARY, PUBLISHED, TIMES_SET)
    assert {table for table in tables if plan.goes_through_store(table)} == through_store
