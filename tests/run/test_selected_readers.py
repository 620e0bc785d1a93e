"""Which readers a run uses, by its options and by the words of its selection."""

from __future__ import annotations

import pytest

from engines.readers import EMBEDDED, READERS
from fixtures.options import readers_listed, selected_readers
from tests.run.conftest import Audit

SELECTIONS = {
    "no option": (None, [""], EMBEDDED),
    "all": ("all", [""], READERS),
    "none": ("none", ["trino"], ()),
    "two by name, in the registry's order": ("trino,duckdb", [""], ("duckdb", "trino")),
    "one named by -k joins the default": (None, ["good_layout and trino"], (*EMBEDDED, "trino")),
    "one named by a test id joins the default": (None, ["", "t.py::t[good_layout-spark-month]"], (*EMBEDDED, "spark")),
    "a folder's name names no reader": (None, ["", "tests/spark_jobs"], EMBEDDED),
}


@pytest.mark.parametrize(("option", "words", "expected"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_readers_of_a_run(option: str | None, words: list[str], expected: tuple[str, ...]) -> None:
    assert selected_readers(option, words) == expected


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
