"""The published measurement, layer by layer: `select count(1) from shipping_address where zip_code = '10001'`."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import BOTH_INDEXED, ONE_STATE_IN_TWENTY, SHIPPING
from xtable_audit.formats.hudi.claims import answers, layers, published

test_the_indexes_are_there = hold(published.the_indexes_are_there, over(SHIPPING))
test_every_question_is_answered = hold(answers.every_question_is_answered, over(SHIPPING))
test_nothing_is_skipped_when_skipping_is_off = hold(answers.nothing_is_skipped_when_skipping_is_off, over(SHIPPING))
test_no_row_is_lost_without_skipping = hold(answers.no_row_is_lost_without_skipping, over(SHIPPING))
test_no_row_is_lost_by_skipping = hold(answers.no_row_is_lost_by_skipping, over(SHIPPING))
test_partition_statistics_leave_the_partitions_that_could_match = hold(
    layers.partition_statistics_leave_the_partitions_that_could_match, over(BOTH_INDEXED)
)
test_column_statistics_leave_the_files_that_could_match = hold(
    layers.column_statistics_leave_the_files_that_could_match, over(SHIPPING)
)
test_planned_files_are_those_the_layers_leave = hold(layers.planned_files_are_those_the_layers_leave, over(SHIPPING))
test_read_files_are_those_planned = hold(layers.read_files_are_those_planned, over(SHIPPING))
test_skipping_leaves_one_file_in_twenty = hold(published.skipping_leaves_one_file_in_twenty, over(ONE_STATE_IN_TWENTY))
