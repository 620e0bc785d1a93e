"""Which readers a run uses, by its options and by the words of its selection."""

from __future__ import annotations

import pytest

from fixtures.options import readers_listed, selected_readers
from lab.engines.readers import EMBEDDED, READERS, embedded, readers_of
from tests.run.conftest import Audit
from xtable_audit.model.subject_id import DELTA, ICEBERG

SELECTIONS = {
    "no option": (None, [""], EMBEDDED),
    "all": ("all", [""], readers_of(ICEBERG)),
    "none": ("none", ["trino"], ()),
    "two by name, in the registry's order": ("trino,duckdb", [""], ("duckdb", "trino")),
    "one named by -k joins the default": (None, ["good_layout and trino"], (*EMBEDDED, "trino")),
    "one named by a test id joins the default": (None, ["", "t.py::t[good_layout-spark-month]"], (*EMBEDDED, "spark")),
    "a folder's name names no reader": (None, ["", "tests/spark_jobs"], EMBEDDED),
}


@pytest.mark.parametrize(("option", "words", "expected"), SELECTIONS.values(), ids=SELECTIONS.keys())
def test_readers_of_a_run(option: str | None, words: list[str], expected: tuple[str, ...]) -> None:
    assert selected_readers(option, words) == expected


OF_FORMATS = {
    "no option, Delta": (None, [DELTA], embedded(DELTA)),
    "no option, both": (None, [ICEBERG, DELTA], (*EMBEDDED, *embedded(DELTA))),
    "all, Delta": ("all", [DELTA], readers_of(DELTA)),
    "all, both": ("all", [ICEBERG, DELTA], READERS),
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
