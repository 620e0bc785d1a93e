"""Whether a recording shows a finding is read from what a run judged, in whatever words it prints that."""

from __future__ import annotations

import pytest

from tests.audit.runs import claim, document
from tools.reproduce.replay import shows
from xtable_audit.model.finding import Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.result import ClaimResult

ENTRY, OTHER = "XTF-003", "XTF-004"
JUDGED = {
    "the finding": (claim("known", registered=ENTRY), True),
    "another's": (claim("known", registered=OTHER), False),
    "of another verdict": (claim("known", registered=ENTRY, verdict="LOOSE"), False),
    "a new one": (claim("finding"), False),
    "one that follows": (claim("known", registered=ENTRY, cause=Cause.FOLLOWS), False),
    "a claim that holds": (claim(), False),
}


@pytest.mark.parametrize(("judged", "shown"), JUDGED.values(), ids=JUDGED)
def test_a_recording_shows_what_fails_as_registered(judged: ClaimResult, shown: bool) -> None:
    assert shows(document(claim(), judged), ENTRY, Verdict.UNSOUND) == shown
