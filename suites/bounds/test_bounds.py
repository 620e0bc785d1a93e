"""Stored bounds against actual values, for every live data file and every column."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims import bounds

test_bounds_contain_values = hold(bounds.bounds_contain_values, over(each_target(ALL)))
test_bounds_are_of_the_columns_type = hold(bounds.bounds_are_of_the_columns_type, over(each_target(ALL)))
test_bounds_are_tight = hold(bounds.bounds_are_tight, over(each_target(ALL)))
test_bounds_are_present = hold(bounds.bounds_are_present, over(each_target(ALL)))
test_no_bound_is_nan = hold(bounds.no_bound_is_nan, over(each_target(ALL)))
test_zeros_are_in_total_order = hold(bounds.zeros_are_in_total_order, over(each_target(ALL)))
test_bounds_are_of_values = hold(bounds.bounds_are_of_values, over(each_target(ALL)))
