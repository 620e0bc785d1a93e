"""Stored counts against actual counts, for every live data file and every column."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims import counts

test_record_counts_are_exact = hold(counts.record_counts_are_exact, over(each_target(ALL)))
test_value_counts_are_exact = hold(counts.value_counts_are_exact, over(each_target(ALL)))
test_null_counts_are_exact = hold(counts.null_counts_are_exact, over(each_target(ALL)))
test_nan_counts_are_exact = hold(counts.nan_counts_are_exact, over(each_target(ALL)))
