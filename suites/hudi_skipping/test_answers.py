"""Soundness, differentially: predicates with skipping on, against skipping off, and against the values."""

from fixtures.expect_hudi import ExpectHudi
from subjects.hudi_tables import ASKED, over_hudi
from xtable_audit.hudi.claims import answers


@over_hudi(*ASKED)
def test_every_question_is_answered(hudi: ExpectHudi, hudi_table: str) -> None:
    """No index fails while it is asked, in strict mode."""
    hudi(hudi_table).holds(answers.every_question_is_answered)


@over_hudi(*ASKED)
def test_no_row_is_lost_without_skipping(hudi: ExpectHudi, hudi_table: str) -> None:
    """Without skipping, Hudi counts the rows that match by their values."""
    hudi(hudi_table).holds(answers.no_row_is_lost_without_skipping)


@over_hudi(*ASKED)
def test_no_row_is_lost_by_skipping(hudi: ExpectHudi, hudi_table: str) -> None:
    """With skipping, Hudi counts the rows that match by their values."""
    hudi(hudi_table).holds(answers.no_row_is_lost_by_skipping)


@over_hudi(*ASKED)
def test_no_matching_file_is_left_out(hudi: ExpectHudi, hudi_table: str) -> None:
    """With skipping, every file that holds a matching row is read."""
    hudi(hudi_table).holds(answers.no_matching_file_is_left_out)


@over_hudi(*ASKED)
def test_nothing_is_skipped_when_skipping_is_off(hudi: ExpectHudi, hudi_table: str) -> None:
    """Without skipping, every base file is read."""
    hudi(hudi_table).holds(answers.nothing_is_skipped_when_skipping_is_off)
