"""The live data files against the source's own and against the object store."""

from fixtures.claims import hold
from fixtures.over import over
from subjects.groups import ALL
from xtable_audit.claims.iceberg import readable
from xtable_audit.claims.translation import files

test_metadata_and_data_files_can_be_read = hold(readable.metadata_and_data_files_can_be_read, over(ALL))
test_no_file_is_missing = hold(files.no_file_is_missing, over(ALL))
test_no_file_is_stale = hold(files.no_file_is_stale, over(ALL))
test_no_file_is_listed_twice = hold(files.no_file_is_listed_twice, over(ALL))
test_every_file_exists = hold(files.every_file_exists, over(ALL))
test_sizes_are_exact = hold(files.sizes_are_exact, over(ALL))
