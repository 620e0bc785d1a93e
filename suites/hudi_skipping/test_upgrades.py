"""Tables of versions that XTable cannot read, and tables that became so: it says so, and the old translation stays."""

from fixtures.expect import Expect
from fixtures.expect_refusal import ExpectRefusal
from subjects.tables import REFUSED, UPGRADED, Table, over
from xtable_audit.claims import files, history


@over(*REFUSED)
def test_a_version_that_cannot_be_read_is_refused(refusal: ExpectRefusal, table: Table) -> None:
    """A table version that the release cannot read is refused, and nothing is left behind."""
    refusal(table).is_told_and_leaves_nothing()


@over(*UPGRADED)
def test_failure_leaves_the_table_as_it_was(expect: Expect, table: Table) -> None:
    """A sync that failed leaves the table as it was."""
    expect(table).holds(history.failure_leaves_the_table_as_it_was)


@over(*UPGRADED)
def test_every_file_exists(expect: Expect, table: Table) -> None:
    """Every live data file exists."""
    expect(table).holds(files.every_file_exists)
