"""What is kept of a table at each stage, also of commits in one second, and what is reported of tables that fail."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lab.stack.mount import Mount, Place
from spark_jobs.battery import write
from spark_jobs.battery.one_second import share_a_second
from spark_jobs.battery.stages import keep, standing_for
from spark_jobs.battery.tables import chosen
from spark_jobs.battery.timeline import completed

FIRST, SECOND = "20240101000001000", "20240101000002000"
"""Instants."""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of one base file with two instants, as Hudi lays it out on a local disk."""
    folder = tmp_path / "table"
    for name in (
        ".hoodie/hoodie.properties",
        ".hoodie/.hoodie.properties.crc",
        f".hoodie/{FIRST}.commit.requested",
        f".hoodie/{FIRST}.inflight",
        f".hoodie/{FIRST}.commit",
        f".hoodie/{SECOND}.deltacommit.inflight",
        f".hoodie/{SECOND}.deltacommit",
        f".hoodie/metadata/.hoodie/{FIRST}.deltacommit",
        "part=a/x_1.parquet",
        "part=a/.x_1.parquet.crc",
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


def kept(stage: Path) -> set[str]:
    return {path.relative_to(stage).as_posix() for path in stage.rglob("*") if path.is_file()}


def test_checksums_of_the_local_disk_stay_behind(table: Path, tmp_path: Path) -> None:
    assert keep(table, tmp_path / "1") == len(kept(tmp_path / "1")) == 8
    assert not [name for name in kept(tmp_path / "1") if name.endswith(".crc")]


def test_a_base_file_is_linked(table: Path, tmp_path: Path) -> None:
    keep(table, tmp_path / "1")
    assert os.path.samefile(table / "part=a/x_1.parquet", tmp_path / "1/part=a/x_1.parquet")


def test_what_may_be_written_again_is_copied(table: Path, tmp_path: Path) -> None:
    keep(table, tmp_path / "1")
    (table / ".hoodie/hoodie.properties").write_text("changed")
    assert (tmp_path / "1/.hoodie/hoodie.properties").read_text() == ".hoodie/hoodie.properties"


def test_an_unseen_instant_has_begun_and_not_completed(table: Path, tmp_path: Path) -> None:
    keep(table, tmp_path / "1", unseen={FIRST})
    assert f".hoodie/{FIRST}.commit" not in kept(tmp_path / "1")
    assert {f".hoodie/{FIRST}.commit.requested", f".hoodie/{FIRST}.inflight"} <= kept(tmp_path / "1")


def test_an_unseen_instant_of_a_log_has_begun_and_not_completed(table: Path, tmp_path: Path) -> None:
    keep(table, tmp_path / "1", unseen={SECOND})
    assert f".hoodie/{SECOND}.deltacommit" not in kept(tmp_path / "1")
    assert f".hoodie/{SECOND}.deltacommit.inflight" in kept(tmp_path / "1")


def fail_over_nan(spark: Any, table: Any, step: Any, instants: Any, place: Place, scratch: Path) -> None:
    if table.name == "types_nan_plain":
        raise ValueError("no such luck\nand more")
    (place.folder / ".hoodie").mkdir(parents=True)
    (place.folder / ".hoodie" / "1.commit").write_text("{}")


def name_another_place(spark: Any, table: Any, step: Any, instants: Any, place: Place, scratch: Path) -> None:
    (place.folder / ".hoodie").mkdir(parents=True)
    (place.folder / ".hoodie" / "1.commit").write_text('{"path": "/home/me/1.parquet"}')


def test_a_table_that_fails_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "act", fail_over_nan)
    monkeypatch.setattr(write, "keep_rows", lambda *_: {"rows": 0})
    tables = chosen(["types_nan_plain", "plain_types"])
    no_spark: Any = None
    facts_of_tables = list(
        write.write_all(no_spark, tables, tmp_path, Mount("s3://lake", tmp_path / "at"), tmp_path / "by", {})
    )
    assert [(facts["name"], facts["failure"]) for facts in facts_of_tables] == [
        ("types_nan_plain", "ValueError: no such luck"),
        ("plain_types", None),
    ]
    assert [json.loads((tmp_path / table.name / "table.json").read_text()) for table in tables] == facts_of_tables


def test_a_table_that_names_another_place_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "act", name_another_place)
    no_spark: Any = None
    mount = Mount("s3://lake", tmp_path / "at")
    [facts] = write.write_all(no_spark, chosen(["plain_types"]), tmp_path, mount, tmp_path / "by", {})
    assert facts["failure"].startswith(
        "Strayed: .hoodie/1.commit names /home/me/1.parquet, which is not below s3://lake"
    )


def test_a_reader_finds_the_stage_where_the_table_is(table: Path, tmp_path: Path) -> None:
    keep(table, tmp_path / "1", unseen={FIRST})
    with standing_for(table, tmp_path / "1"):
        assert not (table / f".hoodie/{FIRST}.commit").exists()
    assert (table / f".hoodie/{FIRST}.commit").exists()


# Commits of a Hudi table moved into one second, all of their traces with them.

INSTANTS = ("20240101000000002", "20240101000000907", "20240101000002001")


@pytest.fixture
def stages(tmp_path: Path) -> list[Path]:
    """A stage after two commits, and one after three. Each commit names its data file."""
    made = [tmp_path / "1", tmp_path / "2"]
    for stage, instants in zip(made, (INSTANTS[:2], INSTANTS), strict=True):
        (stage / ".hoodie").mkdir(parents=True)
        for instant in instants:
            (stage / ".hoodie" / f"{instant}.commit").write_text(f'{{"path": "f_0_{instant}.parquet"}}')
            (stage / ".hoodie" / f"{instant}.commit.requested").touch()
            (stage / f"f_0_{instant}.parquet").write_bytes(instant.encode())
    share_a_second(made)
    return made


def test_all_instants_are_in_the_second_before_the_first(stages: list[Path]) -> None:
    moved = ["20231231235959001", "20231231235959002", "20231231235959003"]
    assert [sorted(completed(stage)) for stage in stages] == [moved[:2], moved]


def test_each_commit_names_its_file(stages: list[Path]) -> None:
    for commit in stages[1].glob(".hoodie/*.commit"):
        [named] = [path.name for path in stages[1].glob("*.parquet") if path.name in commit.read_text()]
        assert commit.name.partition(".")[0] in named


def test_no_name_has_an_old_instant(stages: list[Path]) -> None:
    names = [path.name for stage in stages for path in stage.rglob("*")]
    assert not [name for name in names for old in INSTANTS if old in name]


def test_what_data_files_hold_stays(stages: list[Path]) -> None:
    assert sorted(path.read_bytes().decode() for path in stages[1].glob("*.parquet")) == list(INSTANTS)
