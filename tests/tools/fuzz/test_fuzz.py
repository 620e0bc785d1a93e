"""A thousand mutants of healthy tables, and what is demanded of each. `make fuzz` judges ten thousand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tools.fuzz import judging
from tools.fuzz.__main__ import JudgeProcess, fuzz
from tools.fuzz.judging import End, answer
from tools.fuzz.mutate import Seed, mutant, seeds

SEED = 7
MUTANTS = 1000


@pytest.fixture
def table(tmp_path: Path) -> Seed:
    return seeds(tmp_path)[0]


@pytest.mark.slow
def test_every_mutant_ends_as_a_check_may(tmp_path: Path) -> None:
    found = list(fuzz(tmp_path, range(MUTANTS), SEED))
    faults = [one for one in found if one.is_fault]
    assert [f"{one.number} {one.file} {one.end}: {one.words}" for one in faults] == []
    assert {End.MALFORMED, End.FINDINGS, End.PASSED} <= {*Counter(one.end for one in found)}


def test_a_healthy_table_passes(tmp_path: Path) -> None:
    assert [answer(str(one.metadata)) for one in seeds(tmp_path)] == [(End.PASSED, "")] * 2


def test_the_same_seed_makes_the_same_mutant() -> None:
    content = b"PAR1" + bytes(range(200)) + b"\x10\0\0\0PAR1"
    made = [mutant("a.parquet", content, Random("7-1")) for _ in range(2)]
    assert made[0] == made[1] != content


def test_the_tables_have_the_same_files_each_time(tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "other"
    for folder in folders:
        folder.mkdir()
    made = [[file.relative_to(folder) for one in seeds(folder) for file in one.files] for folder in folders]
    assert made[0] == made[1]


def test_a_judge_that_hangs_is_ended(table: Seed) -> None:
    with JudgeProcess(patience=0.1) as judged:
        assert judged.end_of(table.metadata)[0] is End.HUNG


def test_an_exception_of_the_judge_is_a_fault(table: Seed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "judge", lambda metadata: 1 / 0)
    end, words = answer(str(table.metadata))
    assert (end, "ZeroDivisionError" in words) == (End.RAISED, True)


def test_a_pass_that_a_strict_reader_refuses_is_a_fault(table: Seed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "refused_elsewhere", lambda metadata: "no")
    assert answer(str(table.metadata)) == (End.REFUSED, "no")
