"""Predicates with Hudi's data skipping on, against skipping off and against the actual values."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import QUERIED
from xtable_audit.formats.hudi.claims import answers

test_every_question_is_answered = hold(answers.every_question_is_answered, over(QUERIED))
test_no_row_is_lost_without_skipping = hold(answers.no_row_is_lost_without_skipping, over(QUERIED))
test_no_row_is_lost_by_skipping = hold(answers.no_row_is_lost_by_skipping, over(QUERIED))
test_no_matching_file_is_left_out = hold(answers.no_matching_file_is_left_out, over(QUERIED))
test_nothing_is_skipped_when_skipping_is_off = hold(answers.nothing_is_skipped_when_skipping_is_off, over(QUERIED))
