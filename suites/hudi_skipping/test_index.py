"""Hudi's indexes against the values they stand for, after every event of a table's history."""

from fixtures.expect_hudi import ExpectHudi
from subjects.hudi_tables import LABORATORY, over_hudi
from xtable_audit.hudi.claims import bounds, counts, coverage


@over_hudi(*LABORATORY)
def test_every_bound_can_be_read(hudi: ExpectHudi, hudi_table: str) -> None:
    """Every bound in Hudi's indexes is a value of its column's type."""
    hudi(hudi_table).holds(bounds.every_bound_can_be_read)


@over_hudi(*LABORATORY)
def test_partition_statistics_contain_every_value(hudi: ExpectHudi, hudi_table: str) -> None:
    """Bounds of a partition contain every value of its live files."""
    hudi(hudi_table).holds(bounds.partition_statistics_contain_every_value)


@over_hudi(*LABORATORY)
def test_column_statistics_contain_every_value(hudi: ExpectHudi, hudi_table: str) -> None:
    """Bounds of a file contain every value of the file."""
    hudi(hudi_table).holds(bounds.column_statistics_contain_every_value)


@over_hudi(*LABORATORY)
def test_nan_lies_within_the_bounds(hudi: ExpectHudi, hudi_table: str) -> None:
    """A NaN lies within the bounds, as the greatest value, which it is to Spark."""
    hudi(hudi_table).holds(bounds.nan_lies_within_the_bounds)


@over_hudi(*LABORATORY)
def test_partition_statistics_are_tight(hudi: ExpectHudi, hudi_table: str) -> None:
    """Bounds of a partition are its least and greatest value."""
    hudi(hudi_table).holds(bounds.partition_statistics_are_tight)


@over_hudi(*LABORATORY)
def test_column_statistics_are_tight(hudi: ExpectHudi, hudi_table: str) -> None:
    """Bounds of a file are its least and greatest value."""
    hudi(hudi_table).holds(bounds.column_statistics_are_tight)


@over_hudi(*LABORATORY)
def test_bounds_called_tight_are_tight(hudi: ExpectHudi, hudi_table: str) -> None:
    """Bounds that Hudi calls tight are tight."""
    hudi(hudi_table).holds(bounds.bounds_called_tight_are_tight)


@over_hudi(*LABORATORY)
def test_every_live_file_has_its_column_statistics(hudi: ExpectHudi, hudi_table: str) -> None:
    """Every live file has statistics of the columns that other files have them of."""
    hudi(hudi_table).holds(coverage.every_live_file_has_its_column_statistics)


@over_hudi(*LABORATORY)
def test_every_live_partition_has_its_partition_statistics(hudi: ExpectHudi, hudi_table: str) -> None:
    """Every live partition has statistics of the columns that others have them of."""
    hudi(hudi_table).holds(coverage.every_live_partition_has_its_partition_statistics)


@over_hudi(*LABORATORY)
def test_no_statistics_of_what_is_gone(hudi: ExpectHudi, hudi_table: str) -> None:
    """No statistics are left of a file or partition that is gone."""
    hudi(hudi_table).holds(coverage.no_statistics_of_what_is_gone)


@over_hudi(*LABORATORY)
def test_null_counts_are_right(hudi: ExpectHudi, hudi_table: str) -> None:
    """Null counts are the nulls that are there."""
    hudi(hudi_table).holds(counts.null_counts_are_right)


@over_hudi(*LABORATORY)
def test_value_counts_are_right(hudi: ExpectHudi, hudi_table: str) -> None:
    """Value counts are the values that are there."""
    hudi(hudi_table).holds(counts.value_counts_are_right)
