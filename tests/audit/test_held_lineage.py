"""Row ids and last updates that a data file holds: true ones break no claim."""

from __future__ import annotations

import pytest

from tests.audit import vectors
from tests.audit.conftest import DraftOf
from tests.audit.healthy_deletes import VECTORS
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.iceberg.claims import row_lineage

CLAIMS = (row_lineage.held_row_ids_are_assigned, row_lineage.rows_are_no_newer_than_their_file)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_true_ones_break_no_claim(draft_of: DraftOf, claim: TableClaim) -> None:
    draft = draft_of(VECTORS)
    vectors.hold_lineage(draft, lambda row, end: end - 1 - row, updated=1)
    case = draft.case()
    assert (claim.lacks(case), list(claim.check(case))) == (None, [])


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_table_without_them_has_nothing_to_compare(draft_of: DraftOf, claim: TableClaim) -> None:
    assert claim.lacks(draft_of("typed").case()) is not None
