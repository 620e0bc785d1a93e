"""Runs over spoilt tables: a fault is a finding that says what a reader loses, and what is none is no finding."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tables.draft import read_records, write_records
from tests.tables.orders import orders
from tests.whole_runs.elsewhere import LOCATION
from tests.whole_runs.five_faults import TABLE as FIVE_TIMES_WRONG
from tests.whole_runs.retained import TABLE as CUT_SHORT
from tests.whole_runs.run import Audit, Ran
from xtable_audit.report.document import Document
from xtable_audit.report.gate import GateRun, judge_upgrade
from xtable_audit.report.gate_answers import UpgradeAdvice

__all__ = ["orders"]
READABLE = "metadata_and_data_files_can_be_read"
Spoil = Callable[[Path], None]
"""Spoils the table of this metadata.json."""
SELECTED = ("--readers", "none", "-k", f"{FIVE_TIMES_WRONG}-xtable")
FOUND = {
    "split_offsets_reach_every_row_group",
    "snapshot_schema_reads_its_files",
    "snapshot_has_a_parent",
    "snapshots_descend_from_those_before",
    "operation_is_what_the_entries_show",
    "last_commit_is_told_alike",
}


def audited(audit: Audit, location: str, selected: str = "orders-unknown") -> Ran:
    return audit("-p", "tests.whole_runs.elsewhere", "-k", selected, environment={LOCATION: location})


def at(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def manifest_list(metadata: Path) -> Path:
    content = json.loads(metadata.read_text())
    (snapshot,) = content["snapshots"]
    return at(snapshot["manifest-list"])


def manifest(metadata: Path) -> Path:
    (listed,) = read_records(manifest_list(metadata))
    return at(listed["manifest_path"])


def unknown_snapshot(metadata: Path) -> None:
    content = json.loads(metadata.read_text())
    metadata.write_text(json.dumps(content | {"current-snapshot-id": 77}))


def cut_manifest(metadata: Path) -> None:
    file = manifest(metadata)
    file.write_bytes(file.read_bytes()[:-20])


def no_manifest(metadata: Path) -> None:
    manifest(metadata).unlink()


def no_entry(metadata: Path) -> None:
    write_records(manifest(metadata), [])


def short_bound(metadata: Path) -> None:
    """Of `id`, a long."""
    file = manifest(metadata)
    (entry,) = read_records(file)
    entry["data_file"]["lower_bounds"] = [{"key": 1, "value": b"\1\2\3"}]
    write_records(file, [entry])


def new_findings(ran: Ran) -> list[dict[str, Any]]:
    """Those that follow from no other one."""
    found = [claim for claim in ran.document["claims"] if claim["outcome"] == "finding"]
    return [claim["finding"] for claim in found if claim["claim"] == claim["finding"]["claim"]]


UNREADABLE: dict[str, tuple[Spoil, str, str]] = {
    "a current snapshot that is not there": (
        unknown_snapshot,
        "UNSOUND",
        "PyIceberg takes the table for empty (0.12, tried), and Iceberg's Java refuses it",
    ),
    "a manifest that is cut": (cut_manifest, "FAILED_SILENTLY", "a reader that opens it fails, and returns no row"),
    "a manifest that is missing": (no_manifest, "FAILED_SILENTLY", "a reader that opens it fails, and returns no row"),
}


@pytest.fixture(scope="module")
def candidate(audit: Audit) -> Ran:
    return audit("-p", "tests.whole_runs.five_faults", *SELECTED)


@pytest.fixture(scope="module")
def ran(audit: Audit) -> Ran:
    return audit("-p", "tests.whole_runs.retained", "--readers", "none", "-k", f"{CUT_SHORT}-xtable")


@pytest.fixture(scope="module")
def whole(audit: Audit) -> Ran:
    return audit("--readers", "none", "-k", f"{CUT_SHORT}-xtable")


def held(ran: Ran) -> set[str]:
    return {test for test, outcome in ran.outcomes().items() if outcome == "held"}


# A table whose metadata does not add up is one finding, which says what a reader loses; nothing is inconclusive.


@pytest.mark.parametrize(("spoil", "verdict", "loss"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_table_that_cannot_be_read_is_one_finding(
    audit: Audit, orders: tuple[str, Path], spoil: Spoil, verdict: str, loss: str
) -> None:
    """The other claims follow it."""
    spoil(at(orders[0]))
    ran = audited(audit, orders[0])
    assert (ran.status, set(ran.outcomes().values())) == (1, {"finding"}), ran.text
    [found] = new_findings(ran)
    assert (found["claim"], found["verdict"], loss in found["saw"]) == (READABLE, verdict, True), found
    assert "FINDINGS: 1 new · exit 1" in ran.text


def test_a_claim_alone_tells_why_it_cannot_be_checked(audit: Audit, orders: tuple[str, Path]) -> None:
    """Exit 1 also where the claim that fails is not selected."""
    unknown_snapshot(at(orders[0]))
    ran = audited(audit, orders[0], "orders-unknown and bounds_contain")
    assert (ran.status, set(ran.outcomes().values())) == (1, {"finding"}), ran.text
    assert "FINDINGS: 1 new · exit 1" in ran.text


JUDGED: dict[str, tuple[Spoil, dict[str, str]]] = {
    "a manifest without the entry that its list promises": (no_entry, {"manifest_counts_are_exact": "UNSOUND"}),
    "a bound that is no value of its type": (short_bound, {"bounds_are_of_the_columns_type": "UNREADABLE"}),
}


@pytest.mark.parametrize(("spoil", "breaks"), JUDGED.values(), ids=JUDGED.keys())
def test_what_does_not_add_up_keeps_no_other_claim_from_being_judged(
    audit: Audit, orders: tuple[str, Path], spoil: Spoil, breaks: dict[str, str]
) -> None:
    spoil(at(orders[0]))
    ran = audited(audit, orders[0])
    verdicts = {found["claim"]: found["verdict"] for found in new_findings(ran)}
    assert (ran.status, "inconclusive" in ran.outcomes().values()) == (1, False), ran.text
    assert breaks.items() <= verdicts.items(), verdicts
    assert READABLE not in verdicts


# Five faults at once, none of which changes what a plain scan returns: each is a finding, and no gate lets them in.


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


# Metadata that a policy of retention removed is no fault: the newest state is judged, and the report says so.


def test_it_is_no_finding(ran: Ran) -> None:
    assert (ran.status, [claim["finding"] for claim in ran.document["claims"] if claim["outcome"] == "finding"]) == (
        0,
        [],
    ), ran.text


def test_the_newest_state_is_judged_by_every_claim_about_one_state(ran: Ran, whole: Ran) -> None:
    """A full sync of what is there already adds nothing: neither its counts nor its operation say anything."""
    of_changes = ("suites/histories", "test_changes_are", "test_operation_is")
    of_one_state = {test for test in held(whole) if not any(part in test for part in of_changes)}
    assert (of_one_state - held(ran), len(of_one_state) > 30) == (set(), True), len(of_one_state)


def test_what_compares_states_that_are_gone_does_not_hold(ran: Ran) -> None:
    outcomes = {test.partition("::")[2]: outcome for test, outcome in ran.outcomes().items()}
    told = outcomes[f"test_incremental_equals_full[{CUT_SHORT}-xtable]"]
    assert told not in ("held", "finding"), told


def test_the_report_names_each_state_that_nobody_can_look_at(ran: Ran) -> None:
    gone = [row for row in ran.document["set_aside"] if "a later sync removed that state" in row["reason"]]
    assert len(gone) >= 2, ran.document["set_aside"]
