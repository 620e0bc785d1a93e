"""The version of a reader whose distribution has another name than its module: in the run, and by the register."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.run import reader_versions
from lab.engines.readers import ADAPTERS
from lab.provision.plan import Plan
from xtable_audit.readers.adapter import Adapter, Capabilities
from xtable_audit.register.register import Entry, load_register

MADE_UP = Adapter("made_up.reader:Reader", "made_up", "Made-Up-SQL", Capabilities(), s3="none")
ENTRY = """
[[finding]]
id = "XTF-900"
title = "made-up returns nothing"
component = "made-up"
cause = "it was made up"
condition = "any"
common = "rare"
threads = []
searched = "2026-11-22"
remedy = "none known"
claims = ["rows_are_returned"]
subjects = ["good_layout-xtable"]
readers = ["made-up"]
releases = ">=1.2,<1.3"
verdict = "UNSOUND"
kind = "violation"
blame = "reader made-up"
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that Python imports from, with the module and without its distribution."""
    (tmp_path / "made_up.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("fixtures.run.ADAPTERS", dict(ADAPTERS) | {"made-up": MADE_UP})
    monkeypatch.delitem(sys.modules, "made_up", raising=False)
    return tmp_path


def install(site: Path, version: str) -> None:
    folder = site / f"made_up_sql-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: Made-Up-SQL\nVersion: {version}\n")


def entry(folder: Path) -> Entry:
    file = folder / "findings.toml"
    file.write_text(ENTRY)
    [found] = load_register(
        file,
        claims={"rows_are_returned"},
        subjects={"good_layout-xtable"},
        readers={"made-up"},
        components={"made-up"},
    )
    return found


PARAMS = {"table": "good_layout-xtable", "reader": "made-up"}


@pytest.mark.parametrize(("version", "held"), [("1.2.3", True), ("1.3.0", False)])
def test_an_entry_holds_by_the_version_of_the_distribution(site: Path, version: str, held: bool) -> None:
    install(site, version)
    versions = reader_versions(Plan(readers=("made-up",)))
    assert versions == {"made-up": version}
    assert (entry(site).at("rows_are_returned", PARAMS, versions) is not None) == held


def test_a_module_without_its_distribution_is_an_error(site: Path) -> None:
    """Or its version would vanish, and every entry of the register with it."""
    words = "reader made-up: made_up can be imported, but no distribution Made-Up-SQL is installed"
    with pytest.raises(pytest.UsageError, match=words):
        reader_versions(Plan(readers=("made-up",)))


def test_a_reader_that_is_not_installed_has_no_version(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = replace(MADE_UP, module="made_up_elsewhere")
    monkeypatch.setattr("fixtures.run.ADAPTERS", {"made-up": absent})
    assert reader_versions(Plan(readers=("made-up",))) == {}
