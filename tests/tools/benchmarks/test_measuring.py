"""What benchmarks measure: sound tables, processes that answer, where a gate's time goes, how that of a shape grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import fs
from pyiceberg.table import StaticTable

from tests.of_each import of_each
from tools.benchmarks.gate import PARTS, AuditSeconds, measure, put_together
from tools.benchmarks.shapes import SHAPES, least
from tools.benchmarks.synthetic_metadata import COLUMNS, listed
from tools.benchmarks.time_spent import CLAIMS, PLANNERS, VALUES
from tools.benchmarks.timing import run
from xtable_audit import claims
from xtable_audit.check.claims import by_metadata
from xtable_audit.check.excused import AsConfigured, Ignores
from xtable_audit.formats.iceberg.check.metadata_writer import writer_of
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.model.outcome import Outcome
from xtable_audit.readers.subprocess_reader import WORKER
from xtable_audit.table.stored_metrics import StoredMetrics

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
ANSWERS_1 = ["-c", "print('new findings'); raise SystemExit(1)"]
FILES, A_MANIFEST = 70, 30
NAMES = {"lower": "lower_bound", "upper": "upper_bound", "null_count": "null_value_count", "value_count": "value_count"}
"""Metrics as the judge and as PyIceberg call them."""
SMALL = {
    "manifests": 200,
    "tens": 2000,
    "positions": 25_000,
    "equality": 10_000,
    "rows": 50,
    "columns": 2000,
    "members": 4000,
}
"""Sizes at which each takes a tenth of a second, about."""
MOST = 6.0
UNEVEN = 0.05
"""Seconds of whatever else the process does."""


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


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> str:
    return listed(tmp_path_factory.mktemp("generated") / "table", FILES, A_MANIFEST)


@pytest.fixture(scope="module")
def stored(metadata: str) -> StoredMetrics:
    return read_stored_metrics(Objects(fs.LocalFileSystem()), metadata)


SMALL |= {"words": 10_000, "rows": 50}


# Where the time goes: what processes, tests and steps took becomes a row a part.


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


# A measured process answers as expected, or nothing is measured of it.


def test_an_exit_status_that_is_an_answer_is_measured() -> None:
    assert run(ANSWERS_1, answers=(0, 1))[1] == "new findings\n"


def test_any_other_exit_status_raises_what_was_printed() -> None:
    with pytest.raises(RuntimeError, match="ended with 1:\nnew findings"):
        run(ANSWERS_1)


# The generated metadata that benchmarks read is sound Iceberg, and read as PyIceberg reads it.


def test_no_claim_about_metadata_fails(stored: StoredMetrics) -> None:
    configured = AsConfigured(stored, writer_of(stored))
    checked = by_metadata(
        "generated", stored, claims.CLAIMS.values(), configured, Ignores(), lambda finding, _: finding
    )
    assert not [result.claim for result in checked.results if result.finding is not None]
    assert sum(result.outcome is Outcome.HELD for result in checked.results) > 10


def test_every_file_is_listed_once(stored: StoredMetrics) -> None:
    assert (len(set(stored.paths)), len(iceberg_of(stored).manifests)) == (FILES, -(-FILES // A_MANIFEST))


@pytest.fixture(scope="module")
def by_pyiceberg(metadata: str) -> pa.StructArray:
    return StaticTable.from_metadata(metadata).inspect.files()["readable_metrics"].combine_chunks()


@of_each("column", [column.name for column in COLUMNS])
def test_metrics_are_those_that_pyiceberg_reads(
    by_pyiceberg: pa.StructArray, stored: StoredMetrics, column: str
) -> None:
    theirs = by_pyiceberg.field(column)
    for ours, name in NAMES.items():
        assert stored.columns[column][ours].to_pylist() == theirs.field(name).to_pylist()


# What four times as much takes at most six times as long: nothing grows by the square of a shape's size.


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_as_much_takes_six_times_as_long_at_most(shape: str, tmp_path: Path) -> None:
    prepare, size = SHAPES[shape].work, SMALL[shape]
    once, four = least(prepare(tmp_path / "one", size), prepare(tmp_path / "four", 4 * size), times=3)
    assert four <= MOST * once + UNEVEN
