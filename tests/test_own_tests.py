"""What the suite's own tests are made with: one test of many cases, what engines wrote, and the order of files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.stack.project import ROOT
from tests.imports import modules_of
from tests.kept import kept, key_for
from tests.of_each import of_each
from tests.scheduling import TOGETHER, durations, longest_first, unit

PROJECT = {
    "lab/stack/versions.toml": "spark = '3.5'",
    "requirements.txt": "pyspark==3.5",
    "jobs/__init__.py": "",
    "jobs/writes.py": "from jobs import options\ndef late():\n    import jobs.late",
    "jobs/options.py": "from jobs.deep.values import VALUES",
    "jobs/deep/__init__.py": "",
    "jobs/deep/values.py": "VALUES = 1",
    "jobs/late.py": "",
    "jobs/other.py": "",
}
ARGUMENTS: dict[str, object] = {"files": 55}
TESTS = """
import pytest
from tests.of_each import of_each

@pytest.fixture
def two():
    return 2

@of_each("n", [1, 2, 3, 4], ids=lambda n: f"case {n}")
def test_numbers_are_odd(n, two):
    assert n % two

@of_each(("a", "b"), [(1, 1), (2, 2)], ids=["one", "two"])
def test_pairs_are_equal(a, b):
    assert a == b
"""
SECONDS = {"tests/b.py": 5.0, "tests/c.py": 9.0}


def key_of_project(root: Path, changed: Mapping[str, str], arguments: dict[str, object]) -> str:
    for name, text in (PROJECT | dict(changed)).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return key_for(modules_of("jobs.writes", root=root), arguments, root)


def order(*nodeids: str) -> list[str]:
    return [item.nodeid for item in longest_first([SimpleNamespace(nodeid=nodeid) for nodeid in nodeids], SECONDS)]


# What tests keep of an engine's work belongs to the code that made it.


@pytest.mark.parametrize(
    ("changed", "arguments", "same"),
    [
        ({}, ARGUMENTS, True),
        ({"jobs/other.py": "OTHER = 1"}, ARGUMENTS, True),
        ({"jobs/options.py": '"""Words."""\nfrom jobs.deep.values import VALUES  # more\n'}, ARGUMENTS, True),
        ({"jobs/writes.py": "import jobs.options"}, ARGUMENTS, False),
        ({"jobs/options.py": "from jobs.deep.values import VALUES as V"}, ARGUMENTS, False),
        ({"jobs/deep/values.py": "VALUES = 2"}, ARGUMENTS, False),
        ({"jobs/deep/__init__.py": "import os"}, ARGUMENTS, False),
        ({"jobs/late.py": "LATE = 1"}, ARGUMENTS, False),
        ({"lab/stack/versions.toml": "spark = '3.6'"}, ARGUMENTS, False),
        ({"requirements.txt": "pyspark==3.6"}, ARGUMENTS, False),
        ({}, {"files": 56}, False),
    ],
    ids=[
        "nothing",
        "a module that it does not import",
        "its words",
        "the module",
        "one that it imports",
        "one imported by that",
        "a package",
        "one imported late",
        "a version",
        "a library",
        "an argument",
    ],
)
def test_the_key_changes_with_whatever_decides_what_is_written(
    tmp_path: Path, changed: Mapping[str, str], arguments: dict[str, object], same: bool
) -> None:
    before = key_of_project(tmp_path / "before", {}, ARGUMENTS)
    assert (key_of_project(tmp_path / "after", changed, arguments) == before) is same


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("XTABLE_AUDIT_CACHE", str(tmp_path / "cache"))
    return tmp_path


def write(folder: Path, calls: Path, fails: bool = False) -> dict[str, int]:
    calls.write_text(f"{calls.read_text() if calls.exists() else ''}.")
    folder.mkdir()
    (folder / "table").write_text("rows")
    if fails and len(calls.read_text()) == 1:
        raise ValueError("the first time")
    return {"rows": 4}


def test_what_is_kept_is_not_written_again(cache: Path) -> None:
    first, again = (kept(write, calls=cache / "calls") for _ in range(2))
    assert first == again
    assert ((first[0] / "table").read_text(), first[1], (cache / "calls").read_text()) == ("rows", {"rows": 4}, ".")


def test_what_fails_half_way_is_not_kept(cache: Path) -> None:
    with pytest.raises(ValueError, match="the first time"):
        kept(write, calls=cache / "calls", fails=True)
    assert kept(write, calls=cache / "calls", fails=True)[1] == {"rows": 4}
    assert (cache / "calls").read_text() == ".."


def test_the_modules_of_a_job_counts(cache: Path) -> None:
    places = {kept(write, *jobs, calls=cache / "calls")[0] for jobs in ((), ("spark_jobs.bad_layout",))}
    assert len(places) == 2


# A test of each case: every one is tried, and each that fails is named.


@pytest.mark.parametrize("workers", [0, 2])
def test_each_case_that_fails_is_named_and_no_other(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_them.py").write_text(TESTS)
    options = ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "fixtures.report_facts", f"-n{workers}"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    failed = [line for line in ran.stdout.splitlines() if line.startswith(("SUBFAILED", "FAILED"))]
    assert ["case 2" in failed[0], "case 4" in failed[1], "test_numbers_are_odd" in failed[2]] == [True] * 3, ran.stdout
    assert (len(failed), ran.returncode) == (3, 1)
    assert "1 passed" in ran.stdout


def test_no_case_is_no_test() -> None:
    with pytest.raises(ValueError, match="no case of entry"):
        of_each("entry", [])


# In which order, and together with what, files of the suite's own tests go to workers.


def test_the_longest_file_comes_first() -> None:
    assert order("tests/b.py::x", "tests/c.py::x") == ["tests/c.py::x", "tests/b.py::x"]


def test_a_file_without_a_duration_comes_before_all_others() -> None:
    assert order("tests/c.py::x", "tests/a.py::x") == ["tests/a.py::x", "tests/c.py::x"]


def test_tests_of_a_file_keep_their_order() -> None:
    assert order("tests/c.py::z", "tests/c.py::a") == ["tests/c.py::z", "tests/c.py::a"]


@pytest.mark.parametrize(("file", "other"), TOGETHER.items())
def test_files_that_share_a_session_are_one_unit(file: str, other: str) -> None:
    assert unit(f"{file}::test_x[a]") == unit(f"{other}::test_y") == other


def test_no_file_is_gone_that_has_a_duration_or_a_companion() -> None:
    assert not [file for file in {*durations(), *TOGETHER, *TOGETHER.values()} if not Path(ROOT / file).is_file()]
