"""The snapshots in metadata.json: what they name, their order, and the summary of the current one."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, MAY_HAVE_DELETES
from xtable_audit.formats.iceberg.claims import snapshots

test_snapshots_name_schemas = hold(snapshots.snapshots_name_schemas, over(ALL))
test_references_name_snapshots = hold(snapshots.references_name_snapshots, over(ALL))
test_branches_and_tags_can_be_read = hold(snapshots.branches_and_tags_can_be_read, over(MAY_HAVE_DELETES))
test_times_are_in_order = hold(snapshots.times_are_in_order, over(ALL))
test_sequence_numbers_grow = hold(snapshots.sequence_numbers_grow, over(ALL))
test_totals_are_those_of_the_manifests = hold(snapshots.totals_are_those_of_the_manifests, over(ALL))
test_changes_are_those_of_the_manifests = hold(snapshots.changes_are_those_of_the_manifests, over(ALL))
