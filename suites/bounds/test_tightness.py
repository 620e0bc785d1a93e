"""How many files bounds let a point predicate skip, against exact ones."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims.bounds import points_skip_what_exact_bounds_would


@over(*ALL)
def test_points_skip_what_exact_bounds_would(expect: Expect, table: Table) -> None:
    """A point predicate on any column skips as many files as exact bounds would let it."""
    expect(table).tightness_is_noted()
    expect(table).holds(points_skip_what_exact_bounds_would)
