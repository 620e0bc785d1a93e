"""A gate that advises to drop the metadata passes with a file that says how, for that release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.xtable_audit.report.runs import claim, document
from tests.xtable_audit.report.test_gate import FOUND, HELD, LOOSE, NEW, OLD, runs
from tools.gate.procedure import main
from xtable_audit.report.gate import GateRun, judge_upgrade

OTHER = "history_append-xtable"
ELSEWHERE = (claim(table=OTHER), claim("finding", table=OTHER, verdict="LOOSE"))
"""A claim of another table, before and after."""
SPARED = (ELSEWHERE[0], ELSEWHERE[0])
CASES = {
    "dropped, and nothing else is new": (FOUND, HELD, FOUND, SPARED, NEW, 0),
    "the upgrade itself breaks it": (HELD, HELD, FOUND, SPARED, NEW, 0),
    "something else is new": (FOUND, HELD, FOUND, ELSEWHERE, NEW, 1),
    "no file": (FOUND, HELD, FOUND, SPARED, None, 1),
    "a file for another release": (FOUND, HELD, FOUND, SPARED, OLD, 1),
    "a file for a candidate of the release": (FOUND, HELD, FOUND, SPARED, f"{NEW}-rc2", 1),
    "an answer that no procedure helps against": (HELD, FOUND, FOUND, SPARED, NEW, 1),
    "a slower table, without a file": (HELD, LOOSE, LOOSE, SPARED, None, 1),
    "nothing in the way, without a file": (HELD, HELD, HELD, SPARED, None, 0),
    "a claim that could not run": (FOUND, HELD, FOUND, (SPARED[0], claim("inconclusive", table=OTHER)), NEW, 6),
}


@pytest.mark.parametrize(("before", "after", "in_place", "elsewhere", "named", "exits"), CASES.values(), ids=CASES)
def test_a_gate_with_a_procedure_exits(
    before: Any, after: Any, in_place: Any, elsewhere: Any, named: str | None, exits: int, tmp_path: Path
) -> None:
    first, later = elsewhere
    begun, to, upgraded = runs(before, after, in_place)
    answer = judge_upgrade(with_(begun, before, first), with_(to, after, later), with_(upgraded, in_place, later))
    report = tmp_path / "report" / "gate-1"
    report.mkdir(parents=True)
    (report / "gate.json").write_text(answer.to_json())
    if named:
        (tmp_path / "drop.md").write_text(f"For {named}: stop the readers, delete metadata/, sync.\n")
    assert main([str(tmp_path / "report"), str(tmp_path), "drop.md"]) == exits


def with_(run: GateRun, *claims: Any) -> GateRun:
    assert run.document is not None
    return replace(run, document=replace(document(*claims), run=run.document.run))
