"""Every Arrow scalar can be shown, those that Python's calendar ends before too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest

from tests.audit.conftest import TableOf
from xtable_audit.claims.bounds import bounds_contain_values
from xtable_audit.model.predicate import Compare
from xtable_audit.model.scalars import show
from xtable_audit.planning.bounds_in_words import bounds_in_words

YEAR_10000 = 253402300800


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (pa.scalar(YEAR_10000, pa.timestamp("s")), "10000-01-01T00:00:00"),
        (pa.scalar(YEAR_10000 * 10**6, pa.timestamp("us", "UTC")), "10000-01-01T00:00:00.000000"),
        (pa.scalar(YEAR_10000 // 86400, pa.date32()), "10000-01-01"),
        (pa.scalar(-800_000, pa.date32()), "-221-09-04"),
        (pa.scalar(0, pa.date32()), "1970-01-01"),
        (pa.scalar("a"), "'a'"),
        (pa.scalar(None, pa.int32()), "nothing"),
        ("a" * 99, "'" + "a" * 56 + "…"),
        (None, "nothing"),
    ],
)
def test_a_value_is_shown(value: Any, words: str) -> None:
    assert show(value) == words


@pytest.mark.parametrize("column", ["date", "timestamp", "timestamptz"])
def test_a_bound_beyond_the_year_9999_is_shown_as_any_other(table_of: TableOf, column: str) -> None:
    """Of the claim, and of what a planner keeps."""
    case = table_of("typed").case
    stored = case.stored.columns[column]
    unit: Literal["D", "us"] = "D" if column == "date" else "us"
    late = pa.array([np.datetime64("10000-01-01", unit).astype(np.int64)] * stored.num_rows)
    raised = stored.set_column(
        0, "lower", late.cast(pa.int32() if unit == "D" else pa.int64()).cast(stored["lower"].type)
    )
    spoilt = replace(case, stored=replace(case.stored, columns={**case.stored.columns, column: raised}))
    [found] = bounds_contain_values.deviations(spoilt)
    assert found.saw.startswith("[10000-01-01")
    predicate = Compare(column, "=", stored["upper"][0].as_py())
    assert "10000-01-01" in bounds_in_words(spoilt.stored, case.stored.paths[0], predicate)
