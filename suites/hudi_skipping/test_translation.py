"""XTable's two sources of a file's statistics, Hudi's column statistics and the footer, on the same rows."""

from fixtures.claims import hold
from fixtures.over import over_pairs
from lab.subjects.groups import with_and_without_statistics
from xtable_audit.claims.translation import paired_tables

test_both_ways_say_the_same = hold(paired_tables.both_ways_say_the_same, over_pairs(with_and_without_statistics))
