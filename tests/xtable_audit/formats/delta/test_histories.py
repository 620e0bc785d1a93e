"""The versions of a Delta table are compared as Iceberg's snapshots are, in Delta's words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.of_each import of_each
from tests.xtable_audit.formats.delta.tables import OBJECTS, case_at, of_every_type, rewrite, with_statistics, write
from xtable_audit.claims.translation import history
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.formats.iceberg.claims import syncs
from xtable_audit.formats.installed import read_stored, target_of
from xtable_audit.model.claim import claims_about
from xtable_audit.model.delta_version import LOG, DeltaVersion
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Kind, Sync
from xtable_audit.subject.case import Case, State
from xtable_audit.table.changes import anew, changes


def case_with_history(root: Path, *kinds: Kind) -> Case:
    """The table, of which a sync of each kind left a version."""
    case = case_at(root)
    locations = [str(path) for path in sorted((root / LOG).glob("*.json"))]
    states = tuple(
        State(
            sync=Sync(kind, "0.4.0", location),
            after=f"commit {number}",
            stored=read_stored(OBJECTS, location),
            base_files={},
            rows=None,
        )
        for number, (kind, location) in enumerate(zip(kinds, locations, strict=True))
    )
    return replace(case, history=states)


def test_an_idle_sync_that_writes_a_version_is_found(tmp_path: Path) -> None:
    write(tmp_path, of_every_type(), of_every_type(after=7).slice(0, 0))
    [found] = history.idle_sync_changes_nothing.deviations(case_with_history(tmp_path, "first", "idle"))
    assert (found.saw.split(" after ")[0], found.expected) == ("a new version", "the version of before")
    assert found.verdict is Verdict.COSMETIC


def test_a_file_that_an_idle_sync_adds_is_found(tmp_path: Path) -> None:
    write(tmp_path, of_every_type(), of_every_type(after=7))
    found = history.idle_sync_changes_nothing.deviations(case_with_history(tmp_path, "first", "idle"))
    assert Verdict.STALE in {one.verdict for one in found}


def test_versions_with_the_same_entries_differ_in_nothing(tmp_path: Path) -> None:
    write(tmp_path, of_every_type())
    stored = case_at(tmp_path).stored
    assert [*changes(stored, replace(stored, metadata_location="another"))] == []
    assert not anew(stored, stored).any()


def test_another_bound_is_a_change_and_makes_an_entry_new(tmp_path: Path) -> None:
    write(tmp_path, of_every_type())
    before = case_at(tmp_path).stored
    rewrite(tmp_path, with_statistics(lambda one: one["minValues"].update({"int": 0})))
    after = case_at(tmp_path).stored
    [change] = changes(before, replace(after, metadata_location="another"))
    assert (change.column, change.now) == ("int", "0")
    assert anew(before, after).all()


def test_another_schema_is_a_change_in_words(tmp_path: Path) -> None:
    write(tmp_path, of_every_type().select(["int"]))
    before = case_at(tmp_path).stored
    write(tmp_path, of_every_type().select(["int", "date"]).slice(0, 0), schema_mode="merge")
    first = next(iter(changes(before, case_at(tmp_path).stored)))
    assert (first.was, first.now) == ("schema struct<int: integer>", "struct<int: integer, date: date>")


def test_claims_about_an_earlier_version_are_those_of_the_log(tmp_path: Path) -> None:
    write(tmp_path, of_every_type(), of_every_type(after=7))
    case = case_with_history(tmp_path, "first", "incremental")
    claim = CLAIMS["last_commit_moves_on_with_the_files"]
    assert (claim.lacks(case), claim.deviations(case)) == (None, [])


ICEBERGS = sorted(id for id, claim in claims_about(Case).items() if claim.of == "iceberg")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    root = tmp_path_factory.mktemp("table")
    write(root, of_every_type().select(["int"]))
    return case_at(root)


@of_each("id", ICEBERGS)
def test_a_claim_about_iceberg_alone_does_not_apply_to_delta(id: str, case: Case) -> None:
    lacking = claims_about(Case)[id].lacks(case)
    assert lacking is not None
    assert lacking.words == "metadata of Iceberg"
    assert id not in CLAIMS


def test_what_ties_snapshots_together_is_icebergs_alone() -> None:
    assert {syncs.snapshots_descend_from_those_before.id, syncs.uuid_stays_the_same.id} <= {*ICEBERGS}


@pytest.mark.parametrize(
    ("location", "format"),
    [
        ("s3://lake/t/_delta_log/00000000000000000007.json", "delta"),
        ("/lake/t/_delta_log/00000000000000000007.json", "delta"),
        ("s3://lake/t/metadata/v7.metadata.json", "iceberg"),
        ("s3://lake/_delta_log/t/metadata/v7.metadata.json", "iceberg"),
        ("s3://lake/t/_delta_log/7.json", "iceberg"),
    ],
)
def test_the_format_is_known_by_the_address(location: str, format: str) -> None:
    assert target_of(location).name == format


@pytest.mark.parametrize(
    ("version", "gone"),
    [
        pytest.param(1, True, id="before the checkpoint that the log begins with"),
        pytest.param(2, False, id="of that checkpoint"),
        pytest.param(3, False, id="the newest"),
    ],
)
def test_a_version_that_the_log_no_longer_tells_is_expired(tmp_path: Path, version: int, gone: bool) -> None:
    log = tmp_path / LOG
    log.mkdir()
    for name in ("00000000000000000002.checkpoint.parquet", "00000000000000000003.json"):
        (log / name).touch()
    newest, left = (DeltaVersion(str(tmp_path), number).location for number in (3, version))
    assert target_of(newest).is_expired(OBJECTS, newest, left) is gone


def test_no_version_is_expired_while_the_log_has_every_commit(tmp_path: Path) -> None:
    write(tmp_path, of_every_type(), of_every_type(after=7))
    first, newest = (DeltaVersion(str(tmp_path), number).location for number in (0, 1))
    assert not target_of(newest).is_expired(OBJECTS, newest, first)
