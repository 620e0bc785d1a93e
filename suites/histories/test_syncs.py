"""What ties each sync of a table's history to the one before."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, IN_BATTERY, each_target
from xtable_audit.claims.translation import syncs
from xtable_audit.formats.iceberg.claims import syncs as iceberg_syncs

test_snapshots_descend_from_those_before = hold(iceberg_syncs.snapshots_descend_from_those_before, over(IN_BATTERY))
test_uuid_stays_the_same = hold(iceberg_syncs.uuid_stays_the_same, over(IN_BATTERY))
test_last_commit_is_told_alike = hold(iceberg_syncs.last_commit_is_told_alike, over(ALL))
test_last_commit_moves_on_with_the_files = hold(
    syncs.last_commit_moves_on_with_the_files, over(each_target(IN_BATTERY))
)
