"""What a run does before its first test, what it leaves out, and which tests it does not even make."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fixtures.by_dataset import names_one_dataset
from tests.whole_runs.run import ROOT, Audit

HEAVY = (
    "datafusion",
    "deltalake",
    "hudi",
    "maven_artifact",
    "pandas",
    "pyiceberg.table",
    "pyspark",
    "requests",
    "sqlalchemy",
)
COLLECT = """
import contextlib, io, sys, pytest
with contextlib.redirect_stdout(io.StringIO()):
    status = pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider"])
print("status", int(status), *sys.modules, sep="\\n")
"""


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    """The modules that are there after a collection."""
    command = [sys.executable, "-c", COLLECT]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    title, status, *modules = done.stdout.splitlines()
    assert (title, status) == ("status", "0"), done.stdout + done.stderr
    return modules


def collected(audit: Audit, suite: str, keyword: str) -> tuple[list[str], int]:
    """The tests that are left, and how many were made."""
    text = audit(suite, "--collect-only", "-q", "--xtable=0.4.0", "-k", keyword).text
    made = re.search(r"(?:\d+/)?(\d+) tests collected|\((\d+) deselected\)", text)
    assert made, text
    return [line for line in text.splitlines() if "::" in line], int(made[1] or made[2])


# What a run does before its first test, and what it leaves out.


@pytest.mark.parametrize("library", HEAVY)
def test_a_collection_imports_no_library_that_it_has_no_use_for(loaded: list[str], library: str) -> None:
    """Each takes a tenth of a second or more. A module imports it late, in the function that needs it."""
    assert library not in loaded


def test_a_collection_requests_nothing_from_a_repository(audit: Audit, tmp_path: Path) -> None:
    """Nothing connects to the mirror. A run requests releases from it: a named one that cannot be resolved exits 6."""
    with socket.create_server(("127.0.0.1", 0)) as mirror:
        mirror.setblocking(False)
        settings = tmp_path / ".m2" / "settings.xml"
        settings.parent.mkdir()
        url = f"<url>http://127.0.0.1:{mirror.getsockname()[1]}</url>"
        settings.write_text(f"<settings><mirrors><mirror><mirrorOf>*</mirrorOf>{url}</mirror></mirrors></settings>")
        nowhere = {"MAVEN_REPO_LOCAL": str(tmp_path), "XTABLE_AUDIT_CACHE": str(tmp_path), "HOME": str(tmp_path)}
        ran = audit("--collect-only", "-k", "good_layout", recorded=False, environment=nowhere)
        assert ran.status == 0, ran.text
        with pytest.raises(BlockingIOError):
            mirror.accept()


SELECTIONS = {
    "a dataset": ("good_layout", ["suites"], True),
    "a table and a claim": ("good_layout-xtable and contain", ["suites"], True),
    "a claim": ("contain", ["suites"], False),
    "two datasets": ("good_layout or bad_layout", ["suites"], False),
    "all but one dataset": ("not good_layout", ["suites"], False),
    "brackets": ("(good_layout) and contain", ["suites"], False),
    "a test": ("", ["suites/x.py::test_y[good_layout-xtable]"], True),
    "two tests of one dataset": ("", ["x.py::y[good_layout-xtable]", "x.py::z[good_layout-control]"], True),
    "tests of two datasets": ("", ["x.py::y[good_layout-xtable]", "x.py::y[bad_layout-xtable]"], False),
    "a test and a folder": ("", ["x.py::y[good_layout-xtable]", "suites"], False),
}


@pytest.mark.parametrize(("keyword", "args", "one"), SELECTIONS.values(), ids=SELECTIONS)
def test_a_selection_that_names_one_dataset_is_known_by_its_words(keyword: str, args: list[str], one: bool) -> None:
    assert names_one_dataset(keyword, args, {"good_layout", "bad_layout"}) is one


@pytest.mark.parametrize(
    ("datasets", "workers"), [(("good_layout",), False), (("good_layout", "bad_layout"), True)], ids=["one", "two"]
)
def test_workers_are_started_for_more_than_one_dataset(audit: Audit, datasets: tuple[str, ...], workers: bool) -> None:
    selected = " or ".join(f"{dataset} and control and contain" for dataset in datasets)
    selection = ("-n", "auto", "-k", selected, "--readers=none", "-v")
    ran = audit(*selection, environment={"PYTEST_XDIST_AUTO_NUM_WORKERS": "2"})
    assert (ran.status, "2 workers [" in ran.text) == (0, workers), ran.text


# Tests that `-k` cannot match are not made, and those that are left are the ones that pytest itself would leave.


@pytest.mark.parametrize(
    ("suite", "keyword"),
    [
        ("suites/bounds", "bounds and good_layout-XTABLE"),
        ("suites", "history_upsert or plain_types and not reader"),
        ("suites/answers", "good_layout and DUCKDB or types_nan_plain-xtable-polars"),
        ("suites/histories", "full_sync"),
        ("suites/bounds", "no_such_name"),
    ],
    ids=[
        "a suite and a table in other capitals",
        "tables and no test of readers",
        "readers",
        "a mark",
        "a name of nothing",
    ],
)
def test_k_leaves_what_pytest_leaves(audit: Audit, suite: str, keyword: str) -> None:
    """In parentheses a keyword is pytest's alone."""
    left, made = collected(audit, suite, keyword)
    by_pytest, every = collected(audit, suite, f"({keyword})")
    assert left == by_pytest
    assert made < every / 4
