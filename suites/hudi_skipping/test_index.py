"""Hudi's indexes against the actual values, after every event of a table's history."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import LABORATORY
from xtable_audit.formats.hudi.claims import bounds, counts, coverage

test_every_bound_can_be_read = hold(bounds.every_bound_can_be_read, over(LABORATORY))
test_partition_statistics_contain_every_value = hold(bounds.partition_statistics_contain_every_value, over(LABORATORY))
test_column_statistics_contain_every_value = hold(bounds.column_statistics_contain_every_value, over(LABORATORY))
test_nan_lies_within_the_bounds = hold(bounds.nan_lies_within_the_bounds, over(LABORATORY))
test_partition_statistics_are_tight = hold(bounds.partition_statistics_are_tight, over(LABORATORY))
test_column_statistics_are_tight = hold(bounds.column_statistics_are_tight, over(LABORATORY))
test_bounds_called_tight_are_tight = hold(bounds.bounds_called_tight_are_tight, over(LABORATORY))
test_every_live_file_has_its_column_statistics = hold(
    coverage.every_live_file_has_its_column_statistics, over(LABORATORY)
)
test_every_live_partition_has_its_partition_statistics = hold(
    coverage.every_live_partition_has_its_partition_statistics, over(LABORATORY)
)
test_no_statistics_of_what_is_gone = hold(coverage.no_statistics_of_what_is_gone, over(LABORATORY))
test_null_counts_are_right = hold(counts.null_counts_are_right, over(LABORATORY))
test_value_counts_are_right = hold(counts.value_counts_are_right, over(LABORATORY))
