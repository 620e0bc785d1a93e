"""Claims about readers: who counts by a wrong `record_count`, and who does not read the newest metadata."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyiceberg.table import StaticTable

from tests.audit import mutate
from tests.audit.conftest import DraftOf
from xtable_audit.claims.counts import record_counts_are_exact
from xtable_audit.claims.readers.reading import Reread, newest_metadata_is_read
from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.finding import Verdict

LIVE = frozenset({"s3://lake/a.parquet"})
ROWS = 40


def asked(rows: int | None, error: str | None = None) -> Any:
    """A reader that counts so many rows of a table of ROWS, which had other metadata before."""
    one = SimpleNamespace(actual=SimpleNamespace(rows_total=ROWS, live=LIVE))
    return SimpleNamespace(asked=(one,), reread=lambda: Reread("v1.metadata.json", rows, error))


# A wrong `record_count` is a wrong answer to whoever counts rows by it.


@pytest.mark.parametrize("more", [1, -1])
def test_pyiceberg_counts_the_rows_that_the_metadata_claims(draft_of: DraftOf, more: int) -> None:
    """`scan().count()` adds up record counts of files that match as a whole; `to_arrow()` reads them."""
    draft = draft_of("typed")
    mutate.set_field("record_count", lambda rows: rows + more)(draft, 1)
    scan = StaticTable.from_metadata(draft.table.metadata_location, draft.mirror.pyiceberg).scan()
    assert scan.count() == scan.to_arrow().num_rows + more
    assert record_counts_are_exact.breaks is Verdict.UNSOUND
    assert record_counts_are_exact.deviations(draft.case())


# A reader that returns nothing of the newest metadata fails in another way than one that returns older rows.


@pytest.mark.parametrize(
    ("rows", "error", "kind"),
    [(0, None, DeviationKind.NO_ROWS), (10, None, ""), (None, "refused", "")],
    ids=["none", "those of before", "an error"],
)
def test_how_the_newest_metadata_is_not_read(rows: int | None, error: str | None, kind: str) -> None:
    assert [one.kind for one in newest_metadata_is_read.check(asked(rows, error))] == [kind]


def test_a_reader_of_the_newest_metadata_returns_every_row() -> None:
    assert list(newest_metadata_is_read.check(asked(ROWS))) == []
