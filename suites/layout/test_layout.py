"""The layout of the source itself, by its values: good ones keep files apart, the bad one is the negative control."""

from fixtures.expect import Expect
from subjects.tables import BADLY_LAID_OUT, WELL_LAID_OUT, Table, over
from xtable_audit.claims.layout import every_file_holds_one_value_of_its_own, files_do_not_overlap


@over(*WELL_LAID_OUT)
def test_files_do_not_overlap(expect: Expect, table: Table) -> None:
    """No two files overlap in pickup month or pickup time."""
    expect(table).holds(files_do_not_overlap)


@over(*WELL_LAID_OUT)
def test_every_file_holds_one_value_of_its_own(expect: Expect, table: Table) -> None:
    """Every file carries one month, and no other file carries it."""
    expect(table).holds(every_file_holds_one_value_of_its_own)


@over(*BADLY_LAID_OUT)
def test_negative_control_overlaps_everywhere(expect: Expect, table: Table) -> None:
    """The bad layout overlaps in every file: a suite that calls it tight is broken."""
    expect(table).breaks_everywhere(files_do_not_overlap)
