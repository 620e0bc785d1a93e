"""How a sync went: what counts as one that came through, how metadata came to be written, and what two syncs wrote."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lab.provision.translator_pool import Begun
from lab.recording.both_ways import first_difference
from lab.stack.cache import Cache
from tests.tables.draft import read_records, write_records
from xtable.replay import BATTERY_RECORDINGS, newest_recording, unpacked
from xtable.same_output import but_for_ids_and_times
from xtable.sync import Translator
from xtable.sync_report import came_through, what_is_there
from xtable.target import Target, read_target
from xtable.writer import DELTA, HUDI, ICEBERG, KERNEL, STANDALONE, Way, Writer, ways

OLD_TARGET = Target("t/metadata/v1.metadata.json", 1, 11, "{}")
NEW_TARGET = Target("t/metadata/v2.metadata.json", 2, 22, "{}")
OLD, MIDDLE, NEW = "0.2.0-incubating", "0.3.0-incubating", "0.4.0-incubating"
TABLE = "history_upsert"


def asked(begun_by: Writer) -> list[Writer]:
    """What reaches the translator of a sync that asks for Kernel as its writer."""
    reached: list[Writer] = []

    def sync(*_: Any, writer: Writer, timeout: float) -> None:
        reached.append(writer)

    translator = cast(Translator, SimpleNamespace(release="0.3.0", sync=sync))
    Begun(translator, begun_by).sync("DELTA", "s3://lake/t", "t", writer=KERNEL)
    return reached


@pytest.fixture(scope="module")
def recorded() -> Path:
    release = newest_recording()
    return unpacked(BATTERY_RECORDINGS, Cache()) / release / TABLE / "metadata"


@pytest.fixture
def another(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "metadata"))


def difference(recorded: Path, another: Path, table_format: str = "HUDI") -> str:
    return first_difference(*(but_for_ids_and_times(folder, table_format) for folder in (recorded, another)))


def in_metadata(folder: Path, change: Callable[[str], str]) -> None:
    for path in folder.glob("*.metadata.json"):
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def in_a_manifest(folder: Path, change: Callable[[Any], None]) -> None:
    path = next(path for path in sorted(folder.glob("*.avro")) if not path.name.startswith("snap-"))
    records = read_records(path)
    change(records[0])
    write_records(path, records)


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


@pytest.mark.parametrize(
    ("names", "content", "found"),
    [
        (["1.replacecommit", "2.replacecommit"], {"extraMetadata": {"XTABLE_METADATA": "{}"}}, (2, 2, "{}")),
        (["1.commit", "2.replacecommit"], {"extraMetadata": {}}, (2, 2, None)),
        (["1.commit", "2.clean"], {"extraMetadata": {"XTABLE_METADATA": "{}"}}, (1, 1, "{}")),
        (["1.commit", "2.replacecommit.requested"], {"extraMetadata": {"XTABLE_METADATA": "{}"}}, (1, 1, "{}")),
        (["1.commit"], [], (1, None, None)),
        (["1.replacecommit.requested"], {}, None),
        ([], {}, None),
    ],
    ids=["two writes", "no note", "a clean after it", "a write in flight", "no metadata", "no write", "no instant"],
)
def test_a_hudi_target_is_its_newest_completed_write(
    tmp_path: Path, names: list[str], content: Any, found: tuple[int, int | None, str | None] | None
) -> None:
    (tmp_path / ".hoodie").mkdir()
    day = 20261127120000000
    for name in names:
        (tmp_path / ".hoodie" / f"{day + int(name[0])}{name[1:]}").write_text(json.dumps(content))
    target = read_target(f"{tmp_path}/", None, HUDI)
    assert (target is None) is (found is None)
    if target is not None and found is not None:
        version, snapshot, note = found
        expected = (day + version, None if snapshot is None else day + snapshot, note)
        assert (target.version, target.snapshot, target.synced) == expected
        assert target.metadata_location.startswith(f"{tmp_path}/.hoodie/{day + version}.")


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


@pytest.mark.parametrize("begins", [STANDALONE, ICEBERG])
def test_the_first_sync_is_by_the_writer_that_begins(begins: Writer) -> None:
    assert asked(begins) == [begins]


# What two syncs wrote is compared but for ids and times, and for nothing else.


def test_a_table_is_like_itself(recorded: Path, another: Path) -> None:
    assert difference(recorded, another) == ""


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r'("(?:timestamp-ms|last-updated-ms)": ?)\d+', r"\g<1>1", text),
        lambda text: text.replace(json.loads(text)["table-uuid"], "00000000-0000-0000-0000-000000000000"),
    ],
    ids=["times", "uuid of the table"],
)
def test_what_differs_from_sync_to_sync_is_left_out(
    recorded: Path, another: Path, change: Callable[[str], str]
) -> None:
    before = {path.name: path.read_text(encoding="utf-8") for path in another.glob("*.metadata.json")}
    in_metadata(another, change)
    assert before != {path.name: path.read_text(encoding="utf-8") for path in another.glob("*.metadata.json")}
    assert difference(recorded, another) == ""


def bound(entry: Any) -> None:
    entry["data_file"]["lower_bounds"][0]["value"] += b"x"


def counted(entry: Any) -> None:
    entry["data_file"]["record_count"] += 1


@pytest.mark.parametrize(("change", "where"), [(bound, "lower_bounds[0].value"), (counted, "record_count")])
def test_a_difference_in_a_manifest_is_found(
    recorded: Path, another: Path, change: Callable[[Any], None], where: str
) -> None:
    in_a_manifest(another, change)
    assert f"data_file.{where}: recorded" in difference(recorded, another)


def test_the_commit_that_was_synced_counts_for_hudi_and_not_for_delta(recorded: Path, another: Path) -> None:
    in_metadata(another, lambda text: re.sub(r'(lastInstantSynced\\" ?: ?\\")\d', r"\g<1>3", text))
    assert ".lastInstantSynced: recorded" in difference(recorded, another)
    assert difference(recorded, another, "DELTA") == ""
