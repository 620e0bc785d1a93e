"""What readers answer by metadata: counts, least and greatest values; the rows of joins, of dates, and of LIMIT."""

from fixtures.claims import hold
from fixtures.over import by_readers_with_shortcuts, over
from lab.subjects.groups import ANSWERED
from xtable_audit.claims.readers import answering
from xtable_audit.model.aggregate import ANSWERING, CHOOSING

test_answers_from_metadata_are_of_the_values = hold(
    answering.answers_from_metadata_are_of_the_values, by_readers_with_shortcuts(*ANSWERING), over(ANSWERED)
)
test_joins_functions_and_limits_have_every_row = hold(
    answering.joins_functions_and_limits_have_every_row, by_readers_with_shortcuts(*CHOOSING), over(ANSWERED)
)
with_a_switch = (by_readers_with_shortcuts(*ANSWERING, *CHOOSING, turned_off=True), over(ANSWERED))

test_shortcuts_change_no_answer = hold(answering.shortcuts_change_no_answer, *with_a_switch)
test_answers_without_shortcuts_are_of_the_values = hold(
    answering.answers_without_shortcuts_are_of_the_values, *with_a_switch
)
