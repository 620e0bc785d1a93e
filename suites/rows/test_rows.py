"""The rows that Iceberg shows against those that the source's own engine shows."""

from fixtures.expect import Expect
from subjects.tables import WITH_ROWS, Table, over
from xtable_audit.claims import rows


@over(*WITH_ROWS)
def test_no_row_is_missing(expect: Expect, table: Table) -> None:
    """Every row that the source shows is shown."""
    expect(table).holds(rows.no_row_is_missing)


@over(*WITH_ROWS)
def test_no_row_is_shown_twice(expect: Expect, table: Table) -> None:
    """No row is shown more often than the source shows it."""
    expect(table).holds(rows.no_row_is_shown_twice)


@over(*WITH_ROWS)
def test_no_row_is_stale(expect: Expect, table: Table) -> None:
    """Every row that is shown is the source's newest."""
    expect(table).holds(rows.no_row_is_stale)


@over(*WITH_ROWS)
def test_values_are_those_of_the_source(expect: Expect, table: Table) -> None:
    """Every value that is shown is the source's."""
    expect(table).holds(rows.values_are_those_of_the_source)
