"""The table's schema against its earlier versions and against its data files."""

from fixtures.claims import hold
from fixtures.over import over
from lab.subjects.groups import ALL, IN_BATTERY, each_target
from xtable_audit.claims.translation import columns
from xtable_audit.formats.iceberg.claims import schema

test_field_ids_are_unique = hold(schema.field_ids_are_unique, over(ALL))
test_field_ids_are_stable = hold(schema.field_ids_are_stable, over(ALL))
test_names_are_mapped = hold(schema.names_are_mapped, over(ALL))
test_types_are_those_of_the_files = hold(schema.types_are_those_of_the_files, over(ALL))
test_required_columns_have_no_nulls = hold(schema.required_columns_have_no_nulls, over(ALL))
test_no_column_is_left_over = hold(columns.no_column_is_left_over, over(each_target(IN_BATTERY)))
