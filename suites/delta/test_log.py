"""What only a Delta log can break: paths, statistics, partition values, the protocol's features, column mapping."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import IN_DELTA
from xtable_audit.formats.delta.claims import log, protocol

test_paths_are_uris = hold(log.paths_are_uris, over(IN_DELTA))
test_logged_statistics_can_be_read = hold(log.logged_statistics_can_be_read, over(IN_DELTA))
test_null_counts_are_numbers = hold(log.null_counts_are_numbers, over(IN_DELTA))
test_partition_values_are_of_their_type = hold(log.partition_values_are_of_their_type, over(IN_DELTA))
test_features_are_in_the_protocol = hold(protocol.features_are_in_the_protocol, over(IN_DELTA))
test_mapped_columns_have_ids_and_names = hold(protocol.mapped_columns_have_ids_and_names, over(IN_DELTA))
