"""The base line: what Hudi's own reader on Spark does with the source, its data skipping off and on."""

import pytest

from fixtures.choice import asking
from fixtures.expect_source import ExpectSource
from subjects.tables import Table, over

on_spark = pytest.mark.parametrize("reader", ["spark"])
data_skipping = pytest.mark.parametrize("skipping", [False, True], ids=["without_skipping", "with_skipping"])
translated_from_hudi = over("good_layout-xtable", "bad_layout-xtable")


@asking()
@data_skipping
@on_spark
@translated_from_hudi
def test_source_rows_are_those_of_the_files(
    source: ExpectSource, reader: str, table: Table, skipping: bool, question: str
) -> None:
    """Hudi's own reader counts the rows that match by their values."""
    source(table, question, skipping).counts_the_matching_rows()


@asking()
@data_skipping
@on_spark
@translated_from_hudi
def test_every_matching_file_of_the_source_is_read(
    source: ExpectSource, reader: str, table: Table, skipping: bool, question: str
) -> None:
    """Hudi's own reader reads every file that holds a matching row."""
    source(table, question, skipping).reads_every_matching_file()


@asking()
@data_skipping
@on_spark
@translated_from_hudi
def test_translation_prunes_as_well_as_the_source(
    source: ExpectSource, reader: str, table: Table, skipping: bool, question: str
) -> None:
    """The translated metadata plans no more files than Hudi reads of its own table."""
    source(table, question, skipping).reads_no_less_than_is_planned()
