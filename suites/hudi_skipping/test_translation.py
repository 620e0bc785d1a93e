"""XTable's two ways to a file's statistics, Hudi's own column statistics and the footer, over the same rows."""

from __future__ import annotations

import pytest

from fixtures.expect_twins import ExpectTwins
from fixtures.session import Bench
from subjects.tables import BOTH_WAYS, Table


@pytest.mark.parametrize(("table", "other"), BOTH_WAYS, indirect=["table"])
def test_both_ways_say_the_same(twins: ExpectTwins, bench: Bench, table: Table, other: str) -> None:
    """Bounds and null counts from Hudi's column statistics are those from the footers of the same rows."""
    twins(table, bench.table(other)).say_the_same()
