"""Claims about Iceberg's current metadata, for the state after each earlier sync."""

from __future__ import annotations

from xtable_audit.claims.translation.states import after_each_sync
from xtable_audit.formats.iceberg.claims import commits, schema

operation_is_what_the_entries_show_after_a_sync = after_each_sync(
    commits.operation_is_what_the_entries_show, of_files=False
)
field_ids_are_unique_after_a_sync = after_each_sync(schema.field_ids_are_unique, of_files=False)
names_are_mapped_after_a_sync = after_each_sync(schema.names_are_mapped)
types_are_those_of_the_files_after_a_sync = after_each_sync(schema.types_are_those_of_the_files)
required_columns_have_no_nulls_after_a_sync = after_each_sync(schema.required_columns_have_no_nulls)
