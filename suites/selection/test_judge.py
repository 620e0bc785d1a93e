"""Which files a reader selects that trusts the metadata, by the judge's own planner, against the rows."""

from fixtures.choice import asking
from fixtures.expect_selection import ExpectSelection
from subjects.tables import BADLY_LAID_OUT, PUBLISHED, TRANSLATED_WELL, WELL_LAID_OUT, Table, over


@asking()
@over(*PUBLISHED)
def test_every_needed_file_is_selected(selection: ExpectSelection, table: Table, question: str) -> None:
    """Every file that holds a matching row is selected."""
    selection(table, question).covers_what_is_needed()


@asking()
@over(*WELL_LAID_OUT)
def test_only_needed_files_are_selected(selection: ExpectSelection, table: Table, question: str) -> None:
    """Of a good layout only files with matching rows are selected."""
    selection(table, question).is_no_more_than_needed()


@asking()
@over(*TRANSLATED_WELL)
def test_selection_equals_native(selection: ExpectSelection, table: Table, question: str) -> None:
    """A translated table lists, selects and needs as many files as native Iceberg over the same rows."""
    selection(table, question).equals_that_of("native_iceberg")


@asking()
@over(*BADLY_LAID_OUT)
def test_negative_control_needs_every_file(selection: ExpectSelection, table: Table, question: str) -> None:
    """Of the bad layout every file is needed: no metadata could help."""
    selection(table, question).is_everything()
