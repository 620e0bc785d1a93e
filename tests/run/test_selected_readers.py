"""The readers of a run: which are used, which tables they are asked about, and which versions they have."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.options import readers_listed, selected_readers
from fixtures.run import reader_versions
from lab.engines.readers import ADAPTERS, EMBEDDED, READERS, embedded, readers_of
from lab.provision.plan import Plan
from tests.run.conftest import Audit
from xtable_audit.model.planner import JAVA
from xtable_audit.model.subject_id import DELTA, ICEBERG, SubjectId
from xtable_audit.planning.planners import planners
from xtable_audit.readers.registry import Adapter, Capabilities
from xtable_audit.register.register import Entry, load_register

SELECTIONS = {
    "no option": (None, [""], EMBEDDED),
    "all": ("all", [""], readers_of(ICEBERG)),
    "none": ("none", ["trino"], ()),
    "two by name, in the registry's order": ("trino,duckdb", [""], ("duckdb", "trino")),
    "one named by -k joins the default": (None, ["good_layout and trino"], (*EMBEDDED, "trino")),
    "one named by a test id joins the default": (None, ["", "t.py::t[good_layout-spark-month]"], (*EMBEDDED, "spark")),
    "a folder's name names no reader": (None, ["", "tests/spark_jobs"], EMBEDDED),
}
TARGETS = {ICEBERG: {ICEBERG}, DELTA: {DELTA}, "all": {ICEBERG, DELTA}}
ASKED = {**{name: adapter.formats for name, adapter in ADAPTERS.items()}, **planners()}
TEST = re.compile(
    r"(test_readers|test_grid|test_pruning)\.py::\w+\[(\w+(?:-\w+)??)-(" + "|".join(ASKED) + r")(?:-\w+)?\]"
)
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
PARAMS = {"table": "good_layout-xtable", "reader": "made-up"}


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


# Which readers a run uses, by its options and by the words of its selection.


@pytest.mark.parametrize(("option", "words", "expected"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_readers_of_a_run(option: str | None, words: list[str], expected: tuple[str, ...]) -> None:
    assert selected_readers(option, words) == expected


OF_FORMATS = {
    "no option, Delta": (None, [DELTA], embedded(DELTA)),
    "no option, both": (None, [ICEBERG, DELTA], (*EMBEDDED, *embedded(DELTA))),
    "all, Delta": ("all", [DELTA], readers_of(DELTA)),
    "all, both": ("all", [ICEBERG, DELTA], (*readers_of(ICEBERG), *readers_of(DELTA))),
    "one of each": ("duckdb_delta,duckdb", [DELTA, ICEBERG], ("duckdb", "duckdb_delta")),
}


@pytest.mark.parametrize(("option", "formats", "expected"), OF_FORMATS.values(), ids=OF_FORMATS.keys())
def test_readers_of_a_run_open_its_formats(option: str | None, formats: list[str], expected: tuple[str, ...]) -> None:
    selected = selected_readers(option, [""], formats)
    assert sorted(selected) == sorted(expected)


def test_a_reader_of_another_format_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="deltalake opens Delta tables alone"):
        selected_readers("deltalake,duckdb", [""])


def test_a_typo_is_one_sentence() -> None:
    with pytest.raises(pytest.UsageError, match="there is no reader 'trion'; known are pyiceberg"):
        selected_readers("trion", [])


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_is_listed(reader: str) -> None:
    assert any(line.startswith(reader) for line in readers_listed().splitlines())


@pytest.mark.parametrize("workers", ["0", "auto"])
def test_readers_list_shows_them_and_runs_nothing(audit: Audit, workers: str) -> None:
    """Exit 0, no report."""
    ran = audit("--readers", "list", "-n", workers)
    assert (ran.status, "plan: reports the planned files by name" in ran.text, ran.document) == (0, True, {}), ran.text


# Readers and planners are asked about tables of their formats alone.


@pytest.mark.parametrize("target", TARGETS)
def test_each_is_asked_about_tables_of_its_formats(audit: Audit, target: str) -> None:
    ran = audit(f"--target={target}", "--readers=all", "--collect-only", "-q", "suites/selection")
    found = {(where, SubjectId.parse(table).target, one) for where, table, one in TEST.findall(ran.text)}
    assert {format for _, format, _ in found} == TARGETS[target], ran.text
    assert [pair for pair in found if pair[1] not in ASKED[pair[2]]] == []
    asked = {one for where, _, one in found if where == "test_readers"}
    assert asked == {*readers_of(*TARGETS[target])}
    planning = {one for where, _, one in found if where == "test_pruning"}
    fitting = {name for name, formats in planners().items() if {*formats} & TARGETS[target]}
    assert planning == fitting - {JAVA}  # which a recorded run leaves out


# The version of a reader whose distribution has another name than its module: in the run, and by the register.


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
