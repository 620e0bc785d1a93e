"""The run's verdict, from how its claims ended."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.audit import runs
from xtable_audit.model.outcome import Outcome, RunVerdict
from xtable_audit.report.document import Document


def document(*outcomes: Outcome, complete: bool = True) -> Document:
    return replace(runs.document(*map(runs.claim, outcomes)), complete=complete)


HELD, FINDING, KNOWN, GONE, INCONCLUSIVE, NOT_APPLICABLE, ERROR = Outcome
VERDICTS = {
    "all held": ([HELD, HELD], RunVerdict.CONFORMANT),
    "held and known": ([HELD, KNOWN], RunVerdict.KNOWN_DEFECTS),
    "known alone": ([KNOWN], RunVerdict.KNOWN_DEFECTS),
    "one finding": ([HELD, FINDING], RunVerdict.FINDINGS),
    "one registered but gone": ([HELD, GONE], RunVerdict.FINDINGS),
    "one that could not run": ([HELD, INCONCLUSIVE], RunVerdict.INCONCLUSIVE),
    "held, where others do not apply": ([HELD, NOT_APPLICABLE], RunVerdict.CONFORMANT),
    "none that applies": ([NOT_APPLICABLE], RunVerdict.INCONCLUSIVE),
    "one error": ([HELD, ERROR], RunVerdict.ERROR),
    "a finding outweighs an error": ([FINDING, ERROR, INCONCLUSIVE], RunVerdict.FINDINGS),
    "an error outweighs what could not run": ([ERROR, INCONCLUSIVE], RunVerdict.ERROR),
    "nothing at all": ([], RunVerdict.INCONCLUSIVE),
}


@pytest.mark.parametrize(("outcomes", "verdict"), VERDICTS.values(), ids=VERDICTS.keys())
def test_verdict_of_a_run(outcomes: list[Outcome], verdict: RunVerdict) -> None:
    assert document(*outcomes).verdict is verdict


def test_run_cut_short_is_no_pass() -> None:
    assert document(HELD, complete=False).verdict is RunVerdict.ERROR


def test_a_run_cut_short_still_reports_its_findings() -> None:
    assert document(FINDING, complete=False).verdict is RunVerdict.FINDINGS


@pytest.mark.parametrize("outcome", [o for o in Outcome if o not in (HELD, KNOWN, NOT_APPLICABLE)])
def test_whatever_else_a_claim_comes_to_is_no_pass(outcome: Outcome) -> None:
    assert document(HELD, outcome).verdict not in (RunVerdict.CONFORMANT, RunVerdict.KNOWN_DEFECTS)


def test_counts_name_every_outcome() -> None:
    counts = json.loads(document(HELD, HELD, KNOWN).to_json())["counts"]
    assert counts == dict.fromkeys(map(str, Outcome), 0) | {"held": 2, "known": 1}
