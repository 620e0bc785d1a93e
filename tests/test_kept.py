"""What tests keep of an engine's work belongs to the code that made it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.imports import modules_of
from tests.kept import kept, key_for

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


def key_of_project(root: Path, changed: Mapping[str, str], arguments: dict[str, object]) -> str:
    for name, text in (PROJECT | dict(changed)).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return key_for(modules_of("jobs.writes", root=root), arguments, root)


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
