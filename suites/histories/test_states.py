"""The metadata that each earlier sync left, against the data files of that time."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import SYNCED_OFTEN, each_target
from xtable_audit.claims.translation import states
from xtable_audit.formats.iceberg.claims import states as iceberg_states

test_bounds_contain_values_after_a_sync = hold(
    states.bounds_contain_values_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_bounds_are_of_the_columns_type_after_a_sync = hold(
    states.bounds_are_of_the_columns_type_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_record_counts_are_exact_after_a_sync = hold(
    states.record_counts_are_exact_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_value_counts_are_exact_after_a_sync = hold(
    states.value_counts_are_exact_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_null_counts_are_exact_after_a_sync = hold(
    states.null_counts_are_exact_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_nan_counts_are_exact_after_a_sync = hold(states.nan_counts_are_exact_after_a_sync, over(each_target(SYNCED_OFTEN)))
test_operation_is_what_the_entries_show_after_a_sync = hold(
    iceberg_states.operation_is_what_the_entries_show_after_a_sync, over(SYNCED_OFTEN)
)
test_spec_is_the_configured_one_after_a_sync = hold(
    states.spec_is_the_configured_one_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_tuples_equal_every_row_after_a_sync = hold(
    states.tuples_equal_every_row_after_a_sync, over(each_target(SYNCED_OFTEN))
)
test_summaries_cover_every_tuple_after_a_sync = hold(
    states.summaries_cover_every_tuple_after_a_sync, over(SYNCED_OFTEN)
)
test_field_ids_are_unique_after_a_sync = hold(iceberg_states.field_ids_are_unique_after_a_sync, over(SYNCED_OFTEN))
test_names_are_mapped_after_a_sync = hold(iceberg_states.names_are_mapped_after_a_sync, over(SYNCED_OFTEN))
test_types_are_those_of_the_files_after_a_sync = hold(
    iceberg_states.types_are_those_of_the_files_after_a_sync, over(SYNCED_OFTEN)
)
test_required_columns_have_no_nulls_after_a_sync = hold(
    iceberg_states.required_columns_have_no_nulls_after_a_sync, over(SYNCED_OFTEN)
)
test_no_column_is_left_over_after_a_sync = hold(
    states.no_column_is_left_over_after_a_sync, over(each_target(SYNCED_OFTEN))
)
