"""A wrong `record_count` is a wrong answer to whoever counts rows by it."""

from __future__ import annotations

import pytest
from pyiceberg.table import StaticTable

from tests.audit import mutate
from tests.audit.conftest import DraftOf
from xtable_audit.claims.counts import record_counts_are_exact
from xtable_audit.model.finding import Verdict


@pytest.mark.parametrize("more", [1, -1])
def test_pyiceberg_counts_the_rows_that_the_metadata_claims(draft_of: DraftOf, more: int) -> None:
    """`scan().count()` adds up record counts of files that match as a whole; `to_arrow()` reads them."""
    draft = draft_of("typed")
    mutate.set_field("record_count", lambda rows: rows + more)(draft, 1)
    scan = StaticTable.from_metadata(draft.table.metadata_location, draft.mirror.pyiceberg).scan()
    assert scan.count() == scan.to_arrow().num_rows + more
    assert record_counts_are_exact.breaks is Verdict.UNSOUND
    assert record_counts_are_exact.deviations(draft.case())
