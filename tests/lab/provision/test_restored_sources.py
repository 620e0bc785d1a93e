"""Source tables from recordings: byte for byte what Spark wrote, at each stage, and only while Spark would write it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.provision.battery_sources import FACTS
from lab.provision.dataset import ROWS, STAGES
from lab.provision.recorded_sources import EARLIER, WRITTEN, RecordedSources, record_written, written_key
from lab.recording.provenance import seal
from lab.stack.cache import SEAL, Cache
from lab.stack.versions import stack
from lab.store.address import BUCKET, root_of
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from tests.tables.families import by_family
from xtable.replay import BATTERY_RECORDINGS, SOURCES, SUFFIX, pack, unpacked
from xtable_audit.model.problem import Problem

HERE = root_of(BUCKET)
TABLE = BATTERY["history_unseen_clean"]
KEPT = {
    "1/.hoodie/hoodie.properties": b"version=5",
    "1/.hoodie/.aux/.bootstrap": b"",
    "1/.hoodie/1.commit.requested": b"",
    "1/part=a b%2Fc\u00e9/.hoodie_partition_metadata": b"depth=1",
    "1/part=a b%2Fc\u00e9/old.parquet": b"PAR1 old",
    "1/part=a b%2Fc\u00e9/.old.parquet.crc": b"crc",
    "2/.hoodie/hoodie.properties": b"version=6",
    "2/.hoodie/1.commit.requested": b"",
    "2/.hoodie/2.commit.requested": b"",
    "2/part=a b%2Fc\u00e9/.hoodie_partition_metadata": b"depth=1",
    "2/part=a b%2Fc\u00e9/new\n.parquet": b"PAR1 new",
    "1.rows.parquet": b"PAR1 rows of the first stage",
    "2.rows.parquet": b"PAR1 rows",
    "table.json": b'{"stages": [{"words": "one"}, {"words": "two"}]}',
}
EMPTY = ("1/.hoodie/.temp", "2/.hoodie/archived")


def tree(folder: Path) -> dict[str, bytes | None]:
    """Path -> content of every file, None for a folder; not of what the cache adds."""
    found = (path for path in folder.rglob("*") if path.name != SEAL)
    return {path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None for path in found}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """What Spark wrote of a table of two stages, as the cache keeps it."""
    folder = tmp_path / "kept"
    for name, content in {**KEPT, SEAL: b"{}"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in EMPTY:
        (folder / name).mkdir(parents=True)
    return folder


@pytest.fixture
def archives(kept: Path, tmp_path: Path) -> Path:
    """A recording of that table."""
    sources = tmp_path / "recorded"
    for name in (name for name in KEPT if name.startswith("2/")):
        place = sources / TABLE.name / name.removeprefix("2/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(KEPT[name])
    (sources / f"{TABLE.name}.{ROWS}").write_bytes(KEPT["2.rows.parquet"])
    record_written(kept, sources, TABLE.name, written_key(TABLE, HERE))
    seal(sources, datasets=[])
    pack(sources, tmp_path / "recordings" / f"{SOURCES}{SUFFIX}")
    return tmp_path / "recordings"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_what_is_restored_is_what_spark_wrote(archives: Path, kept: Path, cache: Cache) -> None:
    restored = RecordedSources(cache, HERE, archives).restored(TABLE)
    assert tree(restored) == tree(kept)


def test_what_the_stages_share_is_recorded_once(archives: Path, cache: Cache) -> None:
    found = unpacked(archives, cache, SOURCES) / SOURCES / f"{TABLE.name}.{EARLIER}"
    alone = {content for name, content in KEPT.items() if not name.startswith("2")} - {
        content for name, content in KEPT.items() if name.startswith("2")
    }
    assert sorted(path.read_bytes() for path in found.iterdir()) == sorted(alone)


def test_it_is_restored_once(archives: Path, cache: Cache) -> None:
    restored = RecordedSources(cache, HERE, archives).restored(TABLE)
    assert RecordedSources(cache, HERE, archives).restored(TABLE) == restored
    assert cache.facts(*restored.parts[-2:])["facts"] == {}


def test_a_half_restored_table_is_not_there(archives: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run restores it whole."""
    recorded, failing = RecordedSources(cache, HERE, archives), iter((0, 1, 2))

    def link(source: Path, target: Path, copied: Callable[..., Any] = Path.hardlink_to) -> None:
        if next(failing) == 2:
            raise OSError("no space left")
        copied(target, source)

    with monkeypatch.context() as broken:
        broken.setattr("lab.provision.recorded_sources.os.link", link)
        with pytest.raises(OSError, match="no space left"):
            recorded.restored(TABLE)
    assert [path for path in (cache.root / "restored").iterdir() if path.is_dir()] == []
    assert len(tree(recorded.restored(TABLE))) > len(KEPT)


def test_a_recorded_table_is_that_of_its_day(archives: Path, cache: Cache) -> None:
    day = RecordedSources(cache, HERE, archives).recorded_on(TABLE)
    assert day is not None
    assert len(day) == len("2026-11-24")


OTHERS: dict[str, Callable[[BatteryTable], BatteryTable]] = {
    "its steps": lambda table: replace(table, steps=table.steps[:-1]),
    "its partitioning": lambda table: replace(table, partition_by=("other",)),
    "its options": lambda table: replace(table, options={"hoodie.parquet.compression.codec": "gzip"}),
    "its release of Hudi": lambda table: replace(table, hudi="1.0.2"),
    "its seconds": lambda table: replace(table, in_one_second=True),
    "its name": lambda table: replace(table, name="history_upsert"),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_a_table_that_spark_would_write_otherwise_is_not_recorded(
    change: Callable[[BatteryTable], BatteryTable], archives: Path, cache: Cache
) -> None:
    assert RecordedSources(cache, HERE, archives).recorded_on(change(TABLE)) is None


def test_words_about_a_table_do_not_change_it(archives: Path, cache: Cache) -> None:
    described = replace(TABLE, description="other words", alone=not TABLE.alone)
    assert RecordedSources(cache, HERE, archives).recorded_on(described) is not None


def test_a_table_is_recorded_for_its_address_alone(archives: Path, cache: Cache) -> None:
    assert RecordedSources(cache, root_of("another-bucket"), archives).recorded_on(TABLE) is None


def test_other_jars_write_another_table(archives: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    row = replace(stack(), jars=(*stack().jars, "group:more:1.0"))
    monkeypatch.setattr("lab.provision.recorded_sources.stack", lambda: row)
    assert RecordedSources(cache, HERE, archives).recorded_on(TABLE) is None


def test_without_recordings_nothing_is_recorded(tmp_path: Path, cache: Cache) -> None:
    assert RecordedSources(cache, HERE, tmp_path / "nowhere").recorded_on(TABLE) is None
    assert RecordedSources(cache, HERE, None).recorded_on(TABLE) is None


def test_a_recording_of_the_newest_stage_alone_restores_nothing(archives: Path, cache: Cache, tmp_path: Path) -> None:
    older = tmp_path / "recorded"
    (older / f"{TABLE.name}.{WRITTEN}").unlink()
    seal(older, datasets=[])
    pack(older, archives / f"{SOURCES}{SUFFIX}")
    assert RecordedSources(cache, HERE, archives).recorded_on(TABLE) is None


def test_a_truncated_archive_is_one_sentence(archives: Path, cache: Cache) -> None:
    archive = archives / f"{SOURCES}{SUFFIX}"
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(Problem, match=r"sources\.tar\.xz cannot be unpacked .* Restore recordings/ with git"):
        RecordedSources(cache, HERE, archives).recorded_on(TABLE)


def test_a_changed_file_is_one_sentence(archives: Path, cache: Cache) -> None:
    there = unpacked(archives, cache, SOURCES) / SOURCES / TABLE.name / ".hoodie" / "hoodie.properties"
    there.write_bytes(b"version=7")
    with pytest.raises(Problem, match=r"Recorded file .*hoodie\.properties is changed"):
        RecordedSources(cache, HERE, archives).recorded_on(TABLE)


# the recordings of the project


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> RecordedSources:
    return RecordedSources(Cache(tmp_path_factory.mktemp("cache")), HERE, BATTERY_RECORDINGS)


@by_family(BATTERY.values(), lambda table: table.name)
def test_every_table_of_the_battery_is_recorded_at_each_stage(
    cases: list[BatteryTable], recorded: RecordedSources
) -> None:
    sources = unpacked(BATTERY_RECORDINGS, Cache()) / SOURCES
    for table in cases:
        name = table.name
        assert recorded.recorded_on(table) is not None, f"record it again: python -m lab.recording --tables {name}"
        restored = recorded.restored(table)
        facts = json.loads((restored / FACTS).read_text(encoding="utf-8"))
        noted = json.loads((sources / f"{name}.{STAGES}").read_text(encoding="utf-8"))
        assert tree(restored / str(len(table.stages))) == tree(sources / name), name
        assert [one["words"] for one in facts["stages"]] == [one["words"] for one in noted] == list(table.stages), name
        for number, stage in enumerate(noted, start=1):
            lacking = [path for path in stage["base_files"] if not (restored / str(number) / path).is_file()]
            assert not lacking, f"stage {number} of {name} lacks {lacking}"
