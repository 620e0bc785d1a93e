"""What counts as a sync that came through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xtable.report import came_through, what_is_there
from xtable.target import Target, read_target
from xtable.writer import DELTA, KERNEL, Writer

OLD = Target("t/metadata/v1.metadata.json", 1, 11, "{}")
NEW = Target("t/metadata/v2.metadata.json", 2, 22, "{}")


@pytest.mark.parametrize("before", [None, OLD], ids=["first", "later"])
def test_a_new_snapshot_with_xtables_note_came_through(before: Target | None) -> None:
    assert came_through(before, NEW) is NEW


@pytest.mark.parametrize(
    "after",
    [None, OLD, Target("v2", 2, None, "{}"), Target("v2", 2, 22, None), Target("v2", 2, 11, "{}")],
    ids=["nothing", "unchanged", "no-snapshot", "no-note", "the-old-snapshot"],
)
def test_anything_less_did_not(after: Target | None) -> None:
    assert came_through(OLD, after) is None


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, None, "no Iceberg metadata was written"),
        (OLD, OLD, "the Iceberg metadata stayed at t/metadata/v1.metadata.json"),
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
