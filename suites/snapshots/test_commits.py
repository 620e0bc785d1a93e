"""What the current snapshot says of the commit that made it."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL
from xtable_audit.formats.iceberg.claims import commits

test_snapshot_schema_reads_its_files = hold(commits.snapshot_schema_reads_its_files, over(ALL))
test_operation_is_what_the_entries_show = hold(commits.operation_is_what_the_entries_show, over(ALL))
test_snapshot_has_a_parent = hold(commits.snapshot_has_a_parent, over(ALL))
test_log_ends_with_the_current_snapshot = hold(commits.log_ends_with_the_current_snapshot, over(ALL))
