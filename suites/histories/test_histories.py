"""The metadata after each sync of a table's history, against the source of that time and the other syncs."""

import pytest

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import IN_BATTERY, each_target
from xtable_audit.claims.translation import history

test_every_sync_comes_through = hold(history.every_sync_comes_through, over(each_target(IN_BATTERY)))
test_no_file_is_missing_after_a_sync = hold(history.no_file_is_missing_after_a_sync, over(each_target(IN_BATTERY)))
test_no_file_is_stale_after_a_sync = hold(history.no_file_is_stale_after_a_sync, over(each_target(IN_BATTERY)))
test_no_file_is_listed_twice_after_a_sync = hold(
    history.no_file_is_listed_twice_after_a_sync, over(each_target(IN_BATTERY))
)
test_rows_are_as_many_after_a_sync = hold(history.rows_are_as_many_after_a_sync, over(each_target(IN_BATTERY)))
test_rows_are_those_of_the_snapshot_view = hold(
    history.rows_are_those_of_the_snapshot_view, over(each_target(IN_BATTERY))
)
test_success_leaves_a_table = hold(history.success_leaves_a_table, over(each_target(IN_BATTERY)))
test_failure_leaves_the_table_as_it_was = hold(
    history.failure_leaves_the_table_as_it_was, over(each_target(IN_BATTERY))
)
test_failure_keeps_the_last_instant = hold(history.failure_keeps_the_last_instant, over(each_target(IN_BATTERY)))
test_idle_sync_changes_nothing = hold(history.idle_sync_changes_nothing, over(each_target(IN_BATTERY)))
test_sync_leaves_the_source_as_it_was = hold(history.sync_leaves_the_source_as_it_was, over(each_target(IN_BATTERY)))
test_incremental_equals_full = hold(
    history.incremental_equals_full, over(each_target(IN_BATTERY)), pytest.mark.full_sync
)
test_last_instant_never_goes_back = hold(history.last_instant_never_goes_back, over(each_target(IN_BATTERY)))
