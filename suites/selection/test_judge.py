"""Which files a reader selects that trusts the metadata, by the judge's own planner, against the rows."""

from fixtures.choice import asking
from fixtures.expect_selection import ExpectSelection
from subjects.tables import BADLY_LAID_OUT, PUBLISHED, TRANSLATED_WELL, WELL_LAID_OUT, Table, over


@asking()
@over(*PUBLISHED)
def test_every_matching_file_is_planned(selection: ExpectSelection, table: Table, question: str) -> None:
    """Every file that holds a matching row is planned."""
    selection(table, question).covers_what_matches()


@asking()
@over(*WELL_LAID_OUT)
def test_only_matching_files_are_planned(selection: ExpectSelection, table: Table, question: str) -> None:
    """Of a good layout only files with matching rows are planned."""
    selection(table, question).is_no_more_than_matches()


@asking()
@over(*TRANSLATED_WELL)
def test_planning_equals_native(selection: ExpectSelection, table: Table, question: str) -> None:
    """A translated table has, plans and matches as many files as native Iceberg over the same rows."""
    selection(table, question).equals_that_of("native_iceberg")


@asking()
@over(*BADLY_LAID_OUT)
def test_negative_control_matches_every_file(selection: ExpectSelection, table: Table, question: str) -> None:
    """Of the bad layout every file matches: no metadata could help."""
    selection(table, question).is_everything()
