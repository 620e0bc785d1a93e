"""The rows of the Iceberg table against those that the source's own engine returns."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import WITH_ROWS, each_target
from xtable_audit.claims.translation import rows

test_no_row_is_missing = hold(rows.no_row_is_missing, over(each_target(WITH_ROWS)))
test_no_row_is_shown_twice = hold(rows.no_row_is_shown_twice, over(each_target(WITH_ROWS)))
test_no_row_is_stale = hold(rows.no_row_is_stale, over(each_target(WITH_ROWS)))
test_values_are_those_of_the_source = hold(rows.values_are_those_of_the_source, over(each_target(WITH_ROWS)))
