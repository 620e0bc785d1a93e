"""Many predicates on each plain type: `= != < <= > >= IN NOT IN BETWEEN IS NULL LIKE OR`, values present and absent."""

from fixtures.choice import asking_the_grid, by_readers
from fixtures.expect_reader import ExpectReader
from fixtures.expect_selection import ExpectSelection
from subjects.tables import PLAIN, Table, over


@asking_the_grid()
@over(*PLAIN)
def test_every_matching_file_is_planned(selection: ExpectSelection, table: Table, question: str) -> None:
    """Every file that holds a matching row is planned."""
    selection(table, question).covers_what_matches()


@asking_the_grid()
@by_readers()
@over(*PLAIN)
def test_rows_are_those_of_the_files(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader counts the rows that match by their values."""
    asked(reader, table, question).counts_the_matching_rows()


@asking_the_grid()
@by_readers()
@over(*PLAIN)
def test_every_matching_file_is_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads every file that holds a matching row."""
    asked(reader, table, question).reads_every_matching_file()
