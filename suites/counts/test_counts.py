"""Counts against rows, on every live data file and every column."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims import counts


@over(*ALL)
def test_record_counts_are_exact(expect: Expect, table: Table) -> None:
    """record_count is the number of rows of the file."""
    expect(table).holds(counts.record_counts_are_exact)


@over(*ALL)
def test_value_counts_are_exact(expect: Expect, table: Table) -> None:
    """Value counts are the number of values of the column, nulls included."""
    expect(table).holds(counts.value_counts_are_exact)


@over(*ALL)
def test_null_counts_are_exact(expect: Expect, table: Table) -> None:
    """Null counts are the number of nulls of the column."""
    expect(table).holds(counts.null_counts_are_exact)


@over(*ALL)
def test_nan_counts_are_exact(expect: Expect, table: Table) -> None:
    """NaN counts, where there are any, are the number of NaNs of the column."""
    expect(table).holds(counts.nan_counts_are_exact)
