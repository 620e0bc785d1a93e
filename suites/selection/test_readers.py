"""What real readers answer and which files they open, by the store's own request log."""

from fixtures.choice import asking, by_readers
from fixtures.expect_reader import ExpectReader
from subjects.tables import PUBLISHED, TRANSLATED_WELL, Table, over


@asking()
@by_readers()
@over(*PUBLISHED)
def test_rows_are_those_of_the_files(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader counts the rows that match by their values."""
    asked(reader, table, question).counts_the_matching_rows()


@asking()
@by_readers()
@over(*PUBLISHED)
def test_every_matching_file_is_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads every file that holds a matching row."""
    asked(reader, table, question).reads_every_matching_file()


@asking()
@by_readers()
@over(*PUBLISHED)
def test_only_planned_files_are_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads the files that the metadata plans, and no other."""
    asked(reader, table, question).reads_what_is_planned()


@asking()
@by_readers()
@over(*TRANSLATED_WELL)
def test_as_many_files_are_read_as_of_native(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads as many files of a translated table as of native Iceberg over the same rows."""
    asked(reader, table, question).reads_as_many_as_of("native_iceberg")


@asking()
@by_readers(reporting="live")
@over(*PUBLISHED)
def test_every_live_file_is_listed(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader knows, by its own word, of each live data file."""
    asked(reader, table, question).lists_every_live_file()


@asking()
@by_readers(reporting="planned")
@over(*PUBLISHED)
def test_planned_files_are_the_judges(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader plans, by its own word, the files that the metadata plans."""
    asked(reader, table, question).plans_what_the_judge_plans()


@asking()
@by_readers(reporting="planned")
@over(*PUBLISHED)
def test_planned_files_are_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """The reader reads as many files as it says it planned."""
    asked(reader, table, question).reads_what_it_plans()


@asking("month")
@by_readers()
@over("good_layout-xtable", "bad_layout-xtable")
def test_newest_metadata_is_read(asked: ExpectReader, reader: str, table: Table, question: str) -> None:
    """After another sync, and asked for it, the reader reads the newest metadata."""
    asked(reader, table, question).reads_the_newest_metadata()
