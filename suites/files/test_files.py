"""The live data files against the source's own and against the object store."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, each_target
from xtable_audit.claims import readable
from xtable_audit.claims.translation import files
from xtable_audit.formats.iceberg.claims import data_files

test_metadata_and_data_files_can_be_read = hold(readable.metadata_and_data_files_can_be_read, over(each_target(ALL)))
test_no_file_is_missing = hold(files.no_file_is_missing, over(each_target(ALL)))
test_no_file_is_stale = hold(files.no_file_is_stale, over(each_target(ALL)))
test_no_file_is_listed_twice = hold(files.no_file_is_listed_twice, over(each_target(ALL)))
test_every_file_exists = hold(files.every_file_exists, over(each_target(ALL)))
test_sizes_are_exact = hold(files.sizes_are_exact, over(each_target(ALL)))
test_formats_are_those_of_the_files = hold(data_files.formats_are_those_of_the_files, over(ALL))
test_sort_orders_are_those_of_the_table = hold(data_files.sort_orders_are_those_of_the_table, over(ALL))
test_rows_are_in_their_sort_order = hold(data_files.rows_are_in_their_sort_order, over(ALL))
test_split_offsets_reach_every_row_group = hold(data_files.split_offsets_reach_every_row_group, over(ALL))
test_column_sizes_fit_the_file = hold(data_files.column_sizes_fit_the_file, over(ALL))
