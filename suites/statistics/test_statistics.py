"""Statistics files and partition statistics files."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import MAY_HAVE_DELETES
from xtable_audit.formats.iceberg.claims import statistics

test_statistics_can_be_read = hold(statistics.statistics_can_be_read, over(MAY_HAVE_DELETES))
test_statistics_sizes_are_exact = hold(statistics.statistics_sizes_are_exact, over(MAY_HAVE_DELETES))
test_statistics_are_of_snapshots = hold(statistics.statistics_are_of_snapshots, over(MAY_HAVE_DELETES))
test_statistics_blobs_are_those_of_the_footer = hold(
    statistics.statistics_blobs_are_those_of_the_footer, over(MAY_HAVE_DELETES)
)
test_partition_statistics_are_one_a_snapshot = hold(
    statistics.partition_statistics_are_one_a_snapshot, over(MAY_HAVE_DELETES)
)
test_partition_statistics_count_live_files = hold(
    statistics.partition_statistics_count_live_files, over(MAY_HAVE_DELETES)
)
test_partition_statistics_are_sorted = hold(statistics.partition_statistics_are_sorted, over(MAY_HAVE_DELETES))
