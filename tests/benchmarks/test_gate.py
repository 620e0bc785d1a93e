"""Where the time goes: what processes, tests and steps took becomes a row a part."""

from __future__ import annotations

from typing import Any

import pytest

from tools.benchmarks.gate import PARTS, AuditSeconds, measure, put_together
from tools.benchmarks.spent import CLAIMS, PLANNERS, VALUES
from xtable_audit.readers.subprocess_reader import WORKER

PROCESSES = {"Spark": 30.0, "XTable": 20.0, "store": 5.0, "readers": 4.0, "ours": 41.0}
BEGAN = 1_795_000_000.0  # 2026-11-18T11:06:40Z
SPENT = [
    {
        "began": BEGAN + 10,
        "ended": BEGAN + 80,
        "spent": {VALUES: {"a-xtable": [6.0, 50.0]}, CLAIMS: {"a-xtable": [1.0, 1.5]}},
    },
    {
        "began": BEGAN + 12,
        "ended": BEGAN + 90,
        "spent": {VALUES: {"b-xtable": [2.0, 60.0]}, PLANNERS: {"b-xtable": [2.0, 9.0]}},
    },
]


def document(*steps: tuple[str, str, float]) -> dict[str, Any]:
    made = [{"name": name, "detail": detail, "seconds": seconds} for name, detail, seconds in steps]
    return {
        "claims": [{}, {}, {}],
        "steps": made,
        "run": {"started": "2026-11-18T11:06:40Z", "finished": "2026-11-18T11:08:20Z"},
    }


@pytest.fixture
def measured() -> AuditSeconds:
    audit = document(
        ("dataset", "a: written", 20.0),
        ("XTable", "a: synced by 0.4.0", 7.0),
        ("XTable", "b: synced by 0.4.0", 8.0),
        ("judge", "a-xtable: 4 files", 3.0),
        ("store", "moto", 1.0),
    )
    return put_together(100.0, PROCESSES, SPENT, [audit])


def row(measured: AuditSeconds, word: str) -> list[str]:
    [found] = [line for line in measured.rows() if word in line]
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def test_a_part_has_its_processes_and_its_longest_table(measured: AuditSeconds) -> None:
    assert row(measured, "syncs") == ["20.0 s, 20%", "15.0 s", "`b`, 8.0 s"]


def test_what_tests_spend_is_taken_off_the_rest_of_our_processes(measured: AuditSeconds) -> None:
    assert row(measured, "planners and") == ["2.0 s, 2%", "9.0 s", "`b-xtable`, 9.0 s"]
    assert row(measured, "pytest")[0] == "30.0 s, 30%"


def test_reading_metadata_and_values_is_without_the_wait_for_the_table(measured: AuditSeconds) -> None:
    assert row(measured, "metadata and values") == ["8.0 s, 8%", "3.0 s", "`a-xtable`, 3.0 s"]


def test_start_up_and_end_are_by_the_clock(measured: AuditSeconds) -> None:
    assert row(measured, "pytest")[1:] == ["20.0 s", "`before the first test`, 10.0 s"]


def test_all_parts_make_the_whole(measured: AuditSeconds) -> None:
    assert row(measured, "the whole") == ["100.0 s", "100.0 s", ""]


def test_readers_are_known_by_their_command() -> None:
    assert WORKER in PARTS["readers"]


def test_without_two_releases_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.benchmarks.gate.is_resolvable", lambda one: one.short == "0.4.0")
    assert list(measure(0.01)) == ["inconclusive: a gate needs two releases of XTable that resolve here"]
