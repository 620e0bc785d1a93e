"""A reader that returns nothing of the newest metadata fails in another way than one that returns older rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from xtable_audit.claims.readers.reading import Reread, newest_metadata_is_read
from xtable_audit.model.deviation_kind import DeviationKind

LIVE = frozenset({"s3://lake/a.parquet"})
ROWS = 40


def asked(rows: int | None, error: str | None = None) -> Any:
    """A reader that counts so many rows of a table of ROWS, which had other metadata before."""
    one = SimpleNamespace(actual=SimpleNamespace(rows_total=ROWS, live=LIVE))
    return SimpleNamespace(asked=(one,), reread=lambda: Reread("v1.metadata.json", rows, error))


@pytest.mark.parametrize(
    ("rows", "error", "kind"),
    [(0, None, DeviationKind.NO_ROWS), (10, None, ""), (None, "refused", "")],
    ids=["none", "those of before", "an error"],
)
def test_how_the_newest_metadata_is_not_read(rows: int | None, error: str | None, kind: str) -> None:
    assert [one.kind for one in newest_metadata_is_read.check(asked(rows, error))] == [kind]


def test_a_reader_of_the_newest_metadata_returns_every_row() -> None:
    assert list(newest_metadata_is_read.check(asked(ROWS))) == []
