"""No false alarm: what Trino wrote breaks no claim, except those listed here with reasons."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.of_each import of_each
from tests.other_writers.conftest import BY_TRINO
from tests.other_writers.every_claim import Columns, HeldOf, on
from xtable_audit.model.planner import JUDGE, PYICEBERG

pytestmark = pytest.mark.slow

INFINITE = "by_infinity"
HARM: Mapping[str, Columns] = {INFINITE: {"tuples_equal_every_row": on("d", "f")}}
"""A true fault of the writer: an infinite partition value comes into the manifest as 0.0, and readers skip its file.
(So it was with NaN: trinodb/trino issue 15723, whose mending left out the infinities.)
"""
WITHOUT = ("bounds_are_present", "points_skip_what_exact_bounds_would")
KNOWN: Mapping[str, Columns] = {
    # Bounds come from the footers of the files, where columns with a NaN have none.
    "nan": dict.fromkeys(WITHOUT, on("d", "f")),
    "nested": {"bounds_are_present": on("st.d")},
    "nan_inside": dict.fromkeys(WITHOUT, on("st.d")),
    # Files are of the spec that they were written under.
    "repartitioned_by_trino": {"spec_is_the_configured_one": on(None)},
}


@of_each("name", BY_TRINO)
def test_no_claim_by_which_a_reader_loses_rows_is_broken(of_trino: HeldOf, name: str) -> None:
    table = of_trino(name)
    assert table.harm == HARM.get(table.case.id, {}), table.words


@of_each("name", BY_TRINO)
def test_what_else_is_found_is_known(of_trino: HeldOf, name: str) -> None:
    table = of_trino(name)
    assert table.harmless == KNOWN.get(table.case.id, {}), table.words


@pytest.mark.parametrize("planner", [JUDGE, PYICEBERG])
@of_each("name", BY_TRINO)
def test_no_matching_file_is_dropped(of_trino: HeldOf, name: str, planner: str) -> None:
    table = of_trino(name)
    losses = table.trials[planner].losses
    assert {loss.question.column for loss in losses} == ({"d", "f"} if table.case.id == INFINITE else set())


@of_each("name", BY_TRINO)
def test_planners_keep_the_same_files(of_trino: HeldOf, name: str) -> None:
    assert of_trino(name).disagreements == {}
