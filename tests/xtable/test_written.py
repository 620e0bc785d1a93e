"""What two syncs wrote is compared but for ids and times, and for nothing else."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.recording.both_ways import first_difference
from lab.stack.cache import Cache
from tests.audit.draft import read_records, write_records
from xtable.archive import unpacked
from xtable.replay import BATTERY_RECORDINGS, newest_recording
from xtable.written import but_for_ids_and_times

TABLE = "history_upsert"


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
