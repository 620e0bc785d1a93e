"""The syncs of a table's history: what each left behind, against the source of that time and against each other."""

import pytest

from fixtures.expect import Expect
from subjects.tables import IN_BATTERY, Table, over
from xtable_audit.claims import history


@over(*IN_BATTERY)
def test_every_sync_comes_through(expect: Expect, table: Table) -> None:
    """Every sync of the table's history comes through."""
    expect(table).every_sync_comes_through()


@over(*IN_BATTERY)
def test_no_file_is_missing_after_a_sync(expect: Expect, table: Table) -> None:
    """After every sync, each latest base file of the source is live."""
    expect(table).holds(history.no_file_is_missing_after_a_sync)


@over(*IN_BATTERY)
def test_no_file_is_stale_after_a_sync(expect: Expect, table: Table) -> None:
    """After every sync, each live file is a latest base file of the source."""
    expect(table).holds(history.no_file_is_stale_after_a_sync)


@over(*IN_BATTERY)
def test_no_file_is_listed_twice_after_a_sync(expect: Expect, table: Table) -> None:
    """After every sync, each live file is listed once."""
    expect(table).holds(history.no_file_is_listed_twice_after_a_sync)


@over(*IN_BATTERY)
def test_rows_are_as_many_after_a_sync(expect: Expect, table: Table) -> None:
    """After every sync, there are as many rows as the source shows."""
    expect(table).holds(history.rows_are_as_many_after_a_sync)


@over(*IN_BATTERY)
def test_success_leaves_a_table(expect: Expect, table: Table) -> None:
    """A sync that came through leaves a table that can be read."""
    expect(table).holds(history.success_leaves_a_table)


@over(*IN_BATTERY)
def test_failure_leaves_the_table_as_it_was(expect: Expect, table: Table) -> None:
    """A sync that failed leaves the table as it was."""
    expect(table).holds(history.failure_leaves_the_table_as_it_was)


@over(*IN_BATTERY)
def test_idle_sync_changes_nothing(expect: Expect, table: Table) -> None:
    """A sync without news changes nothing."""
    expect(table).holds(history.idle_sync_changes_nothing)


@pytest.mark.full_sync
@over(*IN_BATTERY)
def test_incremental_equals_full(expect: Expect, table: Table) -> None:
    """Incremental syncs leave what one full sync leaves."""
    expect(table).holds(history.incremental_equals_full)


@over(*IN_BATTERY)
def test_last_instant_never_goes_back(expect: Expect, table: Table) -> None:
    """The last instant that was synced never goes back."""
    expect(table).holds(history.last_instant_never_goes_back)
