"""A new source of tables: one file, one line, and the suites check every claim that applies to them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.orders import falsify, orders
from tests.run.conftest import Audit, Ran
from tests.run.elsewhere import LOCATION

__all__ = ["orders"]


def audited(audit: Audit, location: str) -> Ran:
    return audit("-p", "tests.run.elsewhere", "-k", "orders-unknown", environment={LOCATION: location})


def test_a_healthy_table_of_a_new_source_holds_what_applies_to_it(audit: Audit, orders: tuple[str, Path]) -> None:
    ran = audited(audit, orders[0])
    outcomes = Counter(ran.outcomes().values())
    assert (ran.status, set(outcomes)) == (0, {"held", "not_applicable"}), ran.text
    assert outcomes["held"] > 10


def test_a_false_bound_on_a_table_of_a_new_source_is_a_finding(audit: Audit, orders: tuple[str, Path]) -> None:
    location, data_file = orders
    falsify(data_file)
    ran = audited(audit, location)
    failed = {test.partition("::")[2] for test, outcome in ran.outcomes().items() if outcome == "finding"}
    assert ran.status == 1, ran.text
    assert "test_bounds_contain_values[orders-unknown]" in failed
