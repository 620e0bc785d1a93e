"""The table's schema against its own past and against the files that it describes."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims import schema


@over(*ALL)
def test_field_ids_are_unique(expect: Expect, table: Table) -> None:
    """No two columns have one field id."""
    expect(table).holds(schema.field_ids_are_unique)


@over(*ALL)
def test_field_ids_are_stable(expect: Expect, table: Table) -> None:
    """A column keeps its field id, and no other column ever gets it."""
    expect(table).holds(schema.field_ids_are_stable)


@over(*ALL)
def test_names_are_mapped(expect: Expect, table: Table) -> None:
    """Columns of files without field ids are found by the name mapping."""
    expect(table).holds(schema.names_are_mapped)


@over(*ALL)
def test_types_are_those_of_the_files(expect: Expect, table: Table) -> None:
    """Each column's values are read as what the files hold."""
    expect(table).holds(schema.types_are_those_of_the_files)


@over(*ALL)
def test_required_columns_have_no_nulls(expect: Expect, table: Table) -> None:
    """A required column has no nulls."""
    expect(table).holds(schema.required_columns_have_no_nulls)
