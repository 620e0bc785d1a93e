"""The live data files against the source's own and against the object store."""

from fixtures.expect import Expect
from subjects.tables import ALL, Table, over
from xtable_audit.claims import files


@over(*ALL)
def test_metadata_and_data_files_can_be_read(expect: Expect, table: Table) -> None:
    """The table's metadata and data files can be read as what they should be."""
    expect(table).can_be_read()


@over(*ALL)
def test_no_file_is_missing(expect: Expect, table: Table) -> None:
    """Every latest base file of the source is a live data file."""
    expect(table).holds(files.no_file_is_missing)


@over(*ALL)
def test_no_file_is_stale(expect: Expect, table: Table) -> None:
    """Every live data file is a latest base file of the source."""
    expect(table).holds(files.no_file_is_stale)


@over(*ALL)
def test_no_file_is_listed_twice(expect: Expect, table: Table) -> None:
    """Every live data file is listed once."""
    expect(table).holds(files.no_file_is_listed_twice)


@over(*ALL)
def test_every_file_exists(expect: Expect, table: Table) -> None:
    """Every live data file exists."""
    expect(table).holds(files.every_file_exists)


@over(*ALL)
def test_sizes_are_exact(expect: Expect, table: Table) -> None:
    """file_size_in_bytes is the size of the file."""
    expect(table).holds(files.sizes_are_exact)
