"""The recorded answers of Hudi's own reader are of the tables, releases and questions that are there today."""

from __future__ import annotations

import pytest

from fixtures.hudi.kept import kept
from fixtures.hudi.recorded import recorded
from fixtures.hudi.subject import subject_of
from fixtures.hudi.tables import HUDI_TABLES
from fixtures.plan import Plan
from stack.cache import Cache


@pytest.mark.parametrize("id", HUDI_TABLES)
def test_the_recording_is_of_todays_table_and_questions(id: str) -> None:
    """Else `python -m fixtures.record --hudi` has to make it anew."""
    spec = HUDI_TABLES[id]
    found = kept(recorded(id, spec.release, Cache()), "recorded")
    assert found.subject == subject_of(spec, Plan().shipping)
