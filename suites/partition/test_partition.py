"""The partition spec against the configured one, and the stored partition tuples against every row."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims import partition

test_spec_is_the_configured_one = hold(partition.spec_is_the_configured_one, over(each_target(ALL)))
test_summaries_cover_every_tuple = hold(partition.summaries_cover_every_tuple, over(ALL))
test_tuples_equal_every_row = hold(partition.tuples_equal_every_row, over(each_target(ALL)))
