"""A table whose metadata does not add up is one finding, which says what a reader loses; nothing is inconclusive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.audit.draft import read_records, write_records
from tests.orders import orders
from tests.run.conftest import Audit, Ran
from tests.run.elsewhere import LOCATION

__all__ = ["orders"]

READABLE = "metadata_and_data_files_can_be_read"
Spoil = Callable[[Path], None]
"""Spoils the table of this metadata.json."""


def audited(audit: Audit, location: str, selected: str = "orders-unknown") -> Ran:
    return audit("-p", "tests.run.elsewhere", "-k", selected, environment={LOCATION: location})


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
