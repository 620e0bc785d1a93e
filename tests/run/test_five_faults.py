"""Five faults at once, none of which changes what a plain scan returns: each is a finding, and no gate lets them in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.run.conftest import Audit, Ran
from tests.run.five_faults import TABLE
from xtable_audit.report.document import Document
from xtable_audit.report.gate import GateRun, judge_upgrade
from xtable_audit.report.gate_answers import UpgradeAdvice

SELECTED = ("--readers", "none", "-k", f"{TABLE}-xtable")
FOUND = {
    "split_offsets_reach_every_row_group",
    "snapshot_schema_reads_its_files",
    "snapshot_has_a_parent",
    "snapshots_descend_from_those_before",
    "operation_is_what_the_entries_show",
    "last_commit_is_told_alike",
}


@pytest.fixture(scope="module")
def candidate(audit: Audit) -> Ran:
    return audit("-p", "tests.run.five_faults", *SELECTED)


def test_each_is_found_and_nothing_else(candidate: Ran) -> None:
    found = {claim["claim"] for claim in candidate.document["claims"] if claim["outcome"] == "finding"}
    assert (candidate.status, found) == (1, FOUND), candidate.text


def test_no_gate_lets_them_in(candidate: Ran, audit: Audit) -> None:
    """The documents of two replays, taken for live ones."""
    today = audit(*SELECTED)
    before, after = (_live(ran.folder) for ran in (today, candidate))
    in_place = replace(after, run=replace(after.run, upgrade_from="0.3.0-incubating"))
    gate = judge_upgrade(
        GateRun("from", "0.3.0-incubating", before),
        GateRun("to", "0.4.0-incubating", after),
        GateRun("in place", "0.4.0-incubating", in_place, upgrade_from="0.3.0-incubating"),
    )
    assert (gate.exit_status, gate.advice) == (1, UpgradeAdvice.DO_NOT_UPGRADE), gate.sentence


def _live(folder: Path) -> Document:
    document = Document.load(folder / "audit.json")
    return replace(
        document,
        run=replace(document.run, recorded=False),
        translation=replace(document.translation, mode="live"),
    )
