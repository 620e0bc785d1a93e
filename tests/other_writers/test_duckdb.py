"""No false alarm: what DuckDB wrote breaks no claim, except those listed here with reasons."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.of_each import of_each
from tests.other_writers.conftest import BY_DUCKDB
from tests.other_writers.every_claim import Columns, HeldOf, on
from xtable_audit.model.planner import JUDGE, PYICEBERG, Refused

pytestmark = [pytest.mark.slow, pytest.mark.jvm]

UNCOUNTED = "value_counts_are_exact"
ZEROS, SUMMARIES = "zeros_are_in_total_order", "summaries_cover_every_tuple"
HARM: Mapping[str, Columns] = {
    # True faults of the writer. Of both zeros in a file it takes the first for the greatest too: Iceberg's Java, which
    # orders them, then skips the file. And of a manifest with a NaN tuple it says that it has none.
    "float_edges": {ZEROS: on("zero")},
    "nan_inside": {ZEROS: on("st.f")},
    "by_nan_and_zeros": {ZEROS: on("d", "f"), SUMMARIES: on("identity_d_2", "identity_f_3")},
    "by_nan_apart": {SUMMARIES: on("identity_d_2", "identity_f_3")},
    # It raises the last byte of a bound that it cut, and not the last character.
    "truncated": {"bounds_are_of_the_columns_type": on("s")},
}
KNOWN: Mapping[str, Columns] = {
    # Types that it writes no bounds of: times of day, UUIDs and booleans.
    "times_of_day_and_uuids": {
        "bounds_are_present": on("t", "u"),
        "points_skip_what_exact_bounds_would": on("t", "u"),
    },
    "nulls": {"bounds_are_present": on("b")},
    "ints": {"bounds_are_present": on("b"), "points_skip_what_exact_bounds_would": on("b")},
}
CUT_IN_A_CHARACTER = "truncated"
"""PyIceberg plans no predicate on a table with a bound that is no text."""
PLANNED = [name for name in BY_DUCKDB if name != CUT_IN_A_CHARACTER]


@of_each("name", BY_DUCKDB)
def test_no_claim_by_which_a_reader_loses_rows_is_broken(of_duckdb: HeldOf, name: str) -> None:
    table = of_duckdb(name)
    assert table.harm == HARM.get(table.case.id, {}), table.words


@of_each("name", BY_DUCKDB)
def test_what_else_is_found_is_known(of_duckdb: HeldOf, name: str) -> None:
    table = of_duckdb(name)
    found = {id: columns for id, columns in table.harmless.items() if id != UNCOUNTED}
    assert found == KNOWN.get(table.case.id, {}), table.words


@of_each("name", BY_DUCKDB)
def test_values_are_counted_of_no_column(of_duckdb: HeldOf, name: str) -> None:
    """The spec leaves it to the writer. Readers then know no file of nothing but nulls."""
    table = of_duckdb(name)
    assert table.harmless.get(UNCOUNTED, frozenset()) == {leaf.path for leaf in table.case.stored.leaves}


@pytest.mark.parametrize("planner", [JUDGE, PYICEBERG])
@of_each("name", PLANNED)
def test_no_matching_file_is_dropped(of_duckdb: HeldOf, name: str, planner: str) -> None:
    assert [str(loss) for loss in of_duckdb(name).trials[planner].losses] == []


@of_each("name", PLANNED)
def test_planners_keep_the_same_files(of_duckdb: HeldOf, name: str) -> None:
    assert of_duckdb(name).disagreements == {}


def test_pyiceberg_refuses_a_bound_that_is_no_text(of_duckdb: HeldOf) -> None:
    """Once DuckDB does better, this table is like the others."""
    with pytest.raises(Refused, match="can't decode byte"):
        of_duckdb(CUT_IN_A_CHARACTER).trials  # noqa: B018
