"""What real readers answer and which files they open, by the store's own request log."""

from fixtures.choice import asking, by_readers
from fixtures.expect_reader import ExpectReader
from fixtures.tables import ALL, TRANSLATED_WELL, Table, over


@asking()
@by_readers()
@over(*ALL)
def test_rows_are_those_of_the_files(asked: ExpectReader, reader: str, table: Table, predicate: str) -> None:
    """The reader counts the rows that match by their values."""
    asked(reader, table, predicate).counts_the_matching_rows()


@asking()
@by_readers()
@over(*ALL)
def test_every_needed_file_is_opened(asked: ExpectReader, reader: str, table: Table, predicate: str) -> None:
    """The reader opens every file that holds a matching row."""
    asked(reader, table, predicate).opens_every_needed_file()


@asking()
@by_readers()
@over(*ALL)
def test_only_selected_files_are_opened(asked: ExpectReader, reader: str, table: Table, predicate: str) -> None:
    """The reader opens the files that the metadata selects, and no other."""
    asked(reader, table, predicate).opens_what_is_selected()


@asking()
@by_readers()
@over(*TRANSLATED_WELL)
def test_as_many_files_are_opened_as_of_native(asked: ExpectReader, reader: str, table: Table, predicate: str) -> None:
    """The reader opens as many files of a translated table as of native Iceberg over the same rows."""
    asked(reader, table, predicate).opens_as_many_as_of("native_iceberg")
