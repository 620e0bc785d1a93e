"""Untouched tables raise nothing, and neither do true row ids: what the mutations are held against."""

from __future__ import annotations

import pytest

from tests.audit import vectors
from tests.audit.conftest import DraftOf, TableOf
from tests.audit.fault import HEALTHY, NEGATIVE
from tests.audit.faults_of_schema import change_column
from tests.audit.healthy_deletes import VECTORS
from tests.of_each import of_each
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.deviation import TableClaim as Claim
from xtable_audit.formats.iceberg.claims import row_lineage
from xtable_audit.formats.iceberg.claims.schema import required_columns_have_no_nulls
from xtable_audit.formats.iceberg.claims.states import required_columns_have_no_nulls_after_a_sync

OF_HELD_IDS = (row_lineage.held_row_ids_are_assigned, row_lineage.rows_are_no_newer_than_their_file)


# Untouched tables raise nothing: what the mutations are held against.


@of_each("claim", CLAIMS.values(), ids=CLAIMS)
def test_untouched_tables_hold(table_of: TableOf, claim: Claim) -> None:
    assert not {id: found for id in HEALTHY if (found := claim.deviations(table_of(id).case))}


REQUIRED = (required_columns_have_no_nulls, required_columns_have_no_nulls_after_a_sync)
"""No column of a healthy table is required."""


@of_each("claim", [c for c in CLAIMS.values() if c not in REQUIRED], ids=lambda c: c.id)
def test_every_claim_applies_to_some_healthy_table(table_of: TableOf, claim: Claim) -> None:
    """Else no healthy table would show that it holds."""
    assert [id for id in HEALTHY if claim.lacks(table_of(id).case) is None] != []


def test_a_required_column_without_nulls_holds(draft_of: DraftOf) -> None:
    draft = draft_of("typed")
    change_column(draft, "int", required=True)
    claim, case = required_columns_have_no_nulls, draft.case()
    assert (claim.lacks(case), claim.deviations(case)) == (None, [])


@of_each("claim", [c for c in CLAIMS.values() if c.family != "layout"], ids=lambda c: c.id)
def test_badly_laid_out_tables_hold_all_but_their_layout(table_of: TableOf, claim: Claim) -> None:
    assert not {id: found for id in NEGATIVE if (found := claim.deviations(table_of(id).case))}


@pytest.mark.parametrize("claim", [c for c in CLAIMS.values() if c.family == "layout"], ids=lambda c: c.id)
@pytest.mark.parametrize("id", NEGATIVE)
def test_badly_laid_out_table_breaks_its_layout_in_every_file(table_of: TableOf, id: str, claim: Claim) -> None:
    case = table_of(id).case
    touched = {place for deviation in claim.deviations(case) for place in deviation.places}
    assert touched == set(range(len(case.stored.paths)))


# Row ids and last updates that a data file holds: true ones break no claim.


@pytest.mark.parametrize("claim", OF_HELD_IDS, ids=lambda claim: claim.id)
def test_true_ones_break_no_claim(draft_of: DraftOf, claim: TableClaim) -> None:
    draft = draft_of(VECTORS)
    vectors.hold_lineage(draft, lambda row, end: end - 1 - row, updated=1)
    case = draft.case()
    assert (claim.lacks(case), list(claim.check(case))) == (None, [])


@pytest.mark.parametrize("claim", OF_HELD_IDS, ids=lambda claim: claim.id)
def test_a_table_without_them_has_nothing_to_compare(draft_of: DraftOf, claim: TableClaim) -> None:
    assert claim.lacks(draft_of("typed").case()) is not None
