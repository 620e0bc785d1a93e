"""Commits of a Hudi table moved into one second, all of their traces with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_jobs.battery.one_second import share_a_second
from spark_jobs.battery.timeline import completed

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
