"""How a sync went: what counts as one that came through, and how its metadata came to be written."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from xtable.begun import Begun
from xtable.report import came_through, what_is_there
from xtable.sync import Translator
from xtable.target import Target, read_target
from xtable.way import Way, ways
from xtable.writer import DELTA, KERNEL, STANDALONE, Writer

OLD_TARGET = Target("t/metadata/v1.metadata.json", 1, 11, "{}")
NEW_TARGET = Target("t/metadata/v2.metadata.json", 2, 22, "{}")
OLD, MIDDLE, NEW = "0.2.0-incubating", "0.3.0-incubating", "0.4.0-incubating"
Sync = tuple[Writer, bool]
"""What a sync writes by, and whether it reads by Delta Kernel."""


def asked(begun_by: Writer, *, by_kernel: bool) -> list[Sync]:
    """What reaches the translator of a sync that asks for Kernel as its writer."""
    reached: list[Sync] = []

    def sync(*_: Any, writer: Writer, by_kernel: bool, timeout: float) -> None:
        reached.append((writer, by_kernel))

    translator = cast(Translator, SimpleNamespace(release="0.3.0", sync=sync))
    Begun(translator, begun_by, by_kernel=by_kernel).sync("DELTA", "s3://lake/t", "t", writer=KERNEL)
    return reached


# What counts as a sync that came through.


@pytest.mark.parametrize("before", [None, OLD_TARGET], ids=["first", "later"])
def test_a_new_snapshot_with_xtables_note_came_through(before: Target | None) -> None:
    assert came_through(before, NEW_TARGET) is NEW_TARGET


@pytest.mark.parametrize(
    "after",
    [None, OLD_TARGET, Target("v2", 2, None, "{}"), Target("v2", 2, 22, None), Target("v2", 2, 11, "{}")],
    ids=["nothing", "unchanged", "no-snapshot", "no-note", "the-old-snapshot"],
)
def test_anything_less_did_not(after: Target | None) -> None:
    assert came_through(OLD_TARGET, after) is None


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, None, "no Iceberg metadata was written"),
        (OLD_TARGET, OLD_TARGET, "the Iceberg metadata stayed at t/metadata/v1.metadata.json"),
        (None, Target("v2", 2, None, None), "v2 was written without a snapshot"),
    ],
)
def test_the_state_of_the_target_is_described(before: Target | None, after: Target | None, words: str) -> None:
    assert what_is_there(before, after) == words


def test_the_state_of_a_delta_target_is_described() -> None:
    assert what_is_there(None, None, KERNEL) == "no Delta metadata was written"


NOTED = {"schemaString": '{"type":"struct","fields":[]}', "configuration": {"XTABLE_METADATA": "{}"}}


@pytest.mark.parametrize("writer", DELTA, ids=lambda writer: writer.id)
@pytest.mark.parametrize(
    ("commits", "snapshot", "synced"),
    [
        (({"metaData": NOTED},), 0, "{}"),
        (({"metaData": NOTED}, {"commitInfo": {}}), 1, "{}"),
        (({"metaData": NOTED | {"configuration": {}}},), 0, None),
        (({"commitInfo": {}},), None, None),
    ],
    ids=["one commit", "the note is of an earlier one", "no note", "no metadata"],
)
def test_a_delta_target_is_its_newest_commit_with_the_note_in_force(
    tmp_path: Path, writer: Writer, commits: tuple[dict[str, object], ...], snapshot: int | None, synced: str | None
) -> None:
    (tmp_path / "_delta_log").mkdir()
    for version, action in enumerate(commits):
        (tmp_path / "_delta_log" / f"{version:020}.json").write_text(json.dumps(action))
    target = read_target(f"{tmp_path}/", None, writer)
    place = f"{tmp_path}/_delta_log/{len(commits) - 1:020}.json"
    assert target == Target(place, len(commits) - 1, snapshot, synced)


def test_a_table_without_a_commit_has_no_delta_target(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    assert read_target(str(tmp_path), None, KERNEL) is None


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_the_newest_metadata_file_is_read_by_number_not_by_name(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "metadata").mkdir()
    for version in (9, 10):
        content: dict[str, object] = {"current-snapshot-id": version, "properties": {}}
        (tmp_path / "metadata" / f"v{version}.metadata.json").write_text(json.dumps(content))
    target = read_target(f"{scheme}{tmp_path}", None)
    assert target is not None
    assert (target.version, target.snapshot) == (10, 10)


def test_a_table_without_metadata_has_no_target(tmp_path: Path) -> None:
    assert read_target(str(tmp_path), None) is None


# How metadata comes to be written: alone, or begun by an older release.


def test_every_upgrade_is_from_an_older_release_to_a_newer_one() -> None:
    releases = [Way.of(version).release for version in (MIDDLE, NEW, OLD)]
    assert [way.name for way in ways(releases)] == [
        NEW,
        MIDDLE,
        OLD,
        f"{MIDDLE}-to-{NEW}",
        f"{OLD}-to-{NEW}",
        f"{OLD}-to-{MIDDLE}",
    ]


# A translator whose first sync has another writer, or reader of Delta, than the later ones.


def test_the_first_sync_is_by_the_writer_that_begins() -> None:
    assert asked(STANDALONE, by_kernel=False) == [(STANDALONE, False)]


def test_later_syncs_read_by_kernel() -> None:
    assert asked(KERNEL, by_kernel=True) == [(KERNEL, True)]
