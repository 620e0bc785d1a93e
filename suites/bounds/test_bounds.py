"""Bounds against values, on every live data file and every column."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims.bounds import (
    bounds_are_of_values,
    bounds_are_present,
    bounds_are_tight,
    bounds_contain_values,
    no_bound_is_nan,
    zeros_are_in_total_order,
)


@over(*ALL)
def test_bounds_contain_values(expect: Expect, table: Table) -> None:
    """Lower and upper bound contain every value of their file."""
    expect(table).holds(bounds_contain_values)


@over(*ALL)
def test_bounds_are_tight(expect: Expect, table: Table) -> None:
    """Lower and upper bound are the smallest and the largest value of their file."""
    expect(table).holds(bounds_are_tight)


@over(*ALL)
def test_bounds_are_present(expect: Expect, table: Table) -> None:
    """Every column with values has a lower and an upper bound."""
    expect(table).holds(bounds_are_present)


@over(*ALL)
def test_no_bound_is_nan(expect: Expect, table: Table) -> None:
    """No bound is NaN."""
    expect(table).holds(no_bound_is_nan)


@over(*ALL)
def test_zeros_are_in_total_order(expect: Expect, table: Table) -> None:
    """A bound that is zero has the sign of the values' zeros."""
    expect(table).holds(zeros_are_in_total_order)


@over(*ALL)
def test_bounds_are_of_values(expect: Expect, table: Table) -> None:
    """A column that holds no values in a file has no bounds there."""
    expect(table).holds(bounds_are_of_values)
