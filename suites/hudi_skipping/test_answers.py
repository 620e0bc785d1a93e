"""Predicates with Hudi's data skipping on, against skipping off and against the actual values."""

from fixtures.claims import hold
from subjects.hudi_tables import ASKED, over_hudi
from xtable_audit.hudi.claims import answers

test_every_question_is_answered = hold(answers.every_question_is_answered, over_hudi(*ASKED))
test_no_row_is_lost_without_skipping = hold(answers.no_row_is_lost_without_skipping, over_hudi(*ASKED))
test_no_row_is_lost_by_skipping = hold(answers.no_row_is_lost_by_skipping, over_hudi(*ASKED))
test_no_matching_file_is_left_out = hold(answers.no_matching_file_is_left_out, over_hudi(*ASKED))
test_nothing_is_skipped_when_skipping_is_off = hold(answers.nothing_is_skipped_when_skipping_is_off, over_hudi(*ASKED))
