"""Recorded tables of XTable 0.4.0, with their source in S3: `check --source` finds what the register lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.provision.checked_register import REGISTER, register
from lab.store import moto, objects
from lab.store.address import prefix_of
from lab.store.running import RunningStore
from tests.tables.recorded import RecordedSync, folder_of, state, stored, syncs
from tests.xtable_audit.cli.conftest import Command, Ran
from tests.xtable_audit.formats.test_recorded_states import MERGED, NOT_READ, OUTSIDE
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.affected.releases import XTABLE
from xtable_audit.check.what_to_do import partition_spec
from xtable_audit.model.outcome import Outcome

pytestmark = pytest.mark.slow
RELEASE, SHORT = "0.4.0-incubating", "0.4.0"
BUCKET = "xtable-audit"
CLAIMS = (
    "no_file_is_missing", "no_file_is_stale", "no_column_is_left_over", "spec_is_the_configured_one",
    "no_row_is_missing", "no_row_is_shown_twice", "no_row_is_stale", "values_are_those_of_the_source",
)  # fmt: skip
LATE = "edge_delta_two_dropped"
"""No sync comes through but the first (XTF-065): the table is compared with the state of then."""
LAST = {sync.table: sync for sync in syncs() if sync.release == RELEASE and sync.kind in ("first", "incremental")}
COMPARED = sorted({*LAST} - {*NOT_READ, LATE} - OUTSIDE - MERGED)


@cache
def listed(table: str) -> frozenset[str]:
    """The claims that the register says fail there."""
    return frozenset(
        claim
        for entry in register(REGISTER)
        for one in entry.where
        if one.component == XTABLE and f"{table}-xtable" in one.subjects and one.in_force(SHORT, None)
        for claim in one.claims
        if claim in CLAIMS
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One table of each format with each set of failing claims; with --every-table all."""
    if "compared" in metafunc.fixturenames:
        kinds = {(recorded()[table].format, listed(table)): table for table in reversed(COMPARED)}
        every = metafunc.config.getoption("--every-table")
        metafunc.parametrize("compared", COMPARED if every else sorted(kinds.values()))


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStore]:
    with moto.start() as store:
        yield store


@pytest.fixture
def check(
    running: RunningStore, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[RecordedSync], Ran]:
    for name, value in running.store.environment().items():
        monkeypatch.setenv(name, value)

    def check(sync: RecordedSync) -> Ran:
        table = recorded()[sync.table]
        for root in (recorded_sources() / sync.table, folder_of(RELEASE) / sync.table):
            for path in filter(Path.is_file, root.rglob("*")):
                objects.write(running.store, f"{prefix_of(sync.table)}/{path.relative_to(root)}", path.read_bytes())
        config = tmp_path / "xtable.yaml"
        spec = f", partitionSpec: {table.partition_spec!r}" if table.partition_spec else ""
        config.write_text(
            f"sourceFormat: {table.format}\ntargetFormats: [ICEBERG]\n"
            f"datasets: [{{tableBasePath: 's3://{BUCKET}/{prefix_of(sync.table)}', tableName: t{spec}}}]\n"
        )
        source = f"{table.format.lower()}:s3://{BUCKET}/{prefix_of(sync.table)}"
        return command("check", sync.location, "--source", source, "--config", config, "--json")

    return check


def test_the_claims_that_fail_are_those_that_the_register_lists(
    compared: str, check: Callable[[RecordedSync], Ran]
) -> None:
    ran = check(LAST[compared])
    assert ran.status in (0, 1), ran.err
    failing = {
        one.claim
        for one in ran.document.claims
        if one.outcome in (Outcome.FINDING, Outcome.KNOWN) and one.claim in CLAIMS
    }
    assert failing == listed(compared)


SPECS = ("history_upsert", "partition_int", "partition_long", "partition_date_day", "partition_two_columns")
"""Tables that XTable was configured for as `check` advises, of each type of column."""


@pytest.mark.parametrize("table", SPECS)
def test_with_the_spec_that_is_advised_xtable_wrote_a_right_one(
    table: str, check: Callable[[RecordedSync], Ran]
) -> None:
    partition_by = state(LAST[table]).partition_by
    assert partition_spec(partition_by, stored(LAST[table]).leaves) == recorded()[table].partition_spec
    ran = check(LAST[table])
    held = {one.claim for one in ran.document.claims if one.outcome is Outcome.HELD}
    assert held >= {"spec_is_the_configured_one", "tuples_equal_every_row", "summaries_cover_every_tuple"}


def test_a_forgotten_spec_is_advised_for_its_columns(check: Callable[[RecordedSync], Ran]) -> None:
    found = {one.claim: one.finding for one in check(LAST["partition_forgotten"]).document.claims if one.finding}
    assert found["spec_is_the_configured_one"].advice[-1].endswith(" (YAML): partitionSpec: p:VALUE")


@pytest.mark.parametrize("table", NOT_READ)
def test_rows_that_the_library_refuses_are_inconclusive(table: str, check: Callable[[RecordedSync], Ran]) -> None:
    ran = check(LAST[table])
    assert ran.status == 6
    unsure = {one.claim for one in ran.document.claims if one.outcome is Outcome.INCONCLUSIVE}
    assert unsure == {one for one in CLAIMS if "row" in one or "values" in one}


def test_a_table_that_lags_behind_its_source_is_told_by_how_much(check: Callable[[RecordedSync], Ran]) -> None:
    notes = check(LAST[LATE]).document.notes
    assert [note for note in notes if note.startswith("The table lags behind its source by 2 commits")]
