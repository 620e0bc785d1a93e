"""The partition spec against the configured one, the tuples against every row."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims import partition


@over(*ALL)
def test_spec_is_the_configured_one(expect: Expect, table: Table) -> None:
    """The partition spec is the one the translation was configured for."""
    expect(table).holds(partition.spec_is_the_configured_one)


@over(*ALL)
def test_summaries_cover_every_tuple(expect: Expect, table: Table) -> None:
    """The manifest list's partition summary covers every tuple of its manifest."""
    expect(table).holds(partition.summaries_cover_every_tuple)


@over(*ALL)
def test_tuples_equal_every_row(expect: Expect, table: Table) -> None:
    """The partition tuple equals the transform of every row's value."""
    expect(table).holds(partition.tuples_equal_every_row)
