"""Row ids, of format version 3."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import MAY_HAVE_DELETES
from xtable_audit.formats.iceberg.claims import row_lineage

test_row_ids_are_unique = hold(row_lineage.row_ids_are_unique, over(MAY_HAVE_DELETES))
test_next_row_id_is_higher = hold(row_lineage.next_row_id_is_higher, over(MAY_HAVE_DELETES))
test_held_row_ids_are_assigned = hold(row_lineage.held_row_ids_are_assigned, over(MAY_HAVE_DELETES))
test_rows_are_no_newer_than_their_file = hold(row_lineage.rows_are_no_newer_than_their_file, over(MAY_HAVE_DELETES))
test_manifests_have_first_row_ids = hold(row_lineage.manifests_have_first_row_ids, over(MAY_HAVE_DELETES))
test_manifests_take_their_snapshots_row_ids = hold(
    row_lineage.manifests_take_their_snapshots_row_ids, over(MAY_HAVE_DELETES)
)
test_snapshots_take_row_ids_in_turn = hold(row_lineage.snapshots_take_row_ids_in_turn, over(MAY_HAVE_DELETES))
test_added_rows_cover_the_assigned_ones = hold(row_lineage.added_rows_cover_the_assigned_ones, over(MAY_HAVE_DELETES))
