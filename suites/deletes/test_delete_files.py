"""Position and equality delete files: what manifests say of them, against the rows that they delete."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import MAY_HAVE_DELETES
from xtable_audit.formats.iceberg.claims import delete_files

test_delete_files_can_be_read = hold(delete_files.delete_files_can_be_read, over(MAY_HAVE_DELETES))
test_delete_file_sizes_are_exact = hold(delete_files.delete_file_sizes_are_exact, over(MAY_HAVE_DELETES))
test_delete_counts_are_exact = hold(delete_files.delete_counts_are_exact, over(MAY_HAVE_DELETES))
test_delete_bounds_contain_values = hold(delete_files.delete_bounds_contain_values, over(MAY_HAVE_DELETES))
test_delete_value_counts_are_exact = hold(delete_files.delete_value_counts_are_exact, over(MAY_HAVE_DELETES))
test_referenced_files_are_those_of_the_deletes = hold(
    delete_files.referenced_files_are_those_of_the_deletes, over(MAY_HAVE_DELETES)
)
test_position_deletes_are_sorted = hold(delete_files.position_deletes_are_sorted, over(MAY_HAVE_DELETES))
test_deleted_positions_are_rows = hold(delete_files.deleted_positions_are_rows, over(MAY_HAVE_DELETES))
test_deletes_apply_to_their_files = hold(delete_files.deletes_apply_to_their_files, over(MAY_HAVE_DELETES))
test_no_position_deletes_are_added_in_version_3 = hold(
    delete_files.no_position_deletes_are_added_in_version_3, over(MAY_HAVE_DELETES)
)
test_equality_ids_are_columns = hold(delete_files.equality_ids_are_columns, over(MAY_HAVE_DELETES))
test_equality_deletes_compare_no_floats = hold(delete_files.equality_deletes_compare_no_floats, over(MAY_HAVE_DELETES))
