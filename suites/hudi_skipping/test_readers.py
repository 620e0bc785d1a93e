"""The published predicate, put to Iceberg's readers over XTable's translation of rows that Hudi is asked for too."""

from fixtures.choice import asking, by_readers
from fixtures.expect_reader import ExpectReader
from subjects.questions import ZIP
from subjects.tables import TWINS_OF_HUDI, Table, over


@asking(ZIP)
@by_readers()
@over(*TWINS_OF_HUDI)
def test_rows_are_those_of_the_files(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader counts the rows that match by their values."""
    asked(reader, table, question).counts_the_matching_rows()


@asking(ZIP)
@by_readers()
@over(*TWINS_OF_HUDI)
def test_only_planned_files_are_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads the files that the metadata plans, and no other."""
    asked(reader, table, question).reads_what_is_planned()
