"""What is not compared of files with a deletion vector is said of each column that they have statistics of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.cli.delta_tables import change_add
from tests.formats.delta.tables import case_at, failing, inline_vector, rewrite, with_add, with_statistics, write

ROWS = pa.table({"id": [1, 2, 3], "price": [1.5, None, 9.25]})
LEFT, WIDE = "bounds and null counts of 1 file with a deletion vector are not compared", "null counts of 1 file with a"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    write(tmp_path, ROWS)
    return tmp_path


def delete(root: Path, *rows: int, tight: bool) -> None:
    rewrite(root, with_statistics(lambda one: one.update({"tightBounds": tight})))
    rewrite(root, with_add(lambda add: add.update({"deletionVector": inline_vector(*rows)})))


def said(root: Path) -> dict[str | None, str]:
    return {one.column: one.reason for one in case_at(root).stored.set_aside}


@pytest.mark.parametrize(("tight", "words"), [(True, LEFT), (False, WIDE)], ids=["tight", "wide"])
def test_each_column_is_named(table: Path, words: str, *, tight: bool) -> None:
    delete(table, 1, tight=tight)
    found = said(table)
    assert found.keys() == {"id", "price"}
    assert all(one.startswith(words) and "Delta protocol, tightBounds" in one for one in found.values())


def test_a_table_without_deletion_vectors_has_nothing_to_say(table: Path) -> None:
    assert said(table) == {}


def test_a_file_without_statistics_has_nothing_to_say(table: Path) -> None:
    delete(table, 1, tight=True)
    rewrite(table, with_add(lambda add: add.pop("stats")))
    assert said(table) == {}


def test_a_column_that_is_named_is_judged_in_other_files(table: Path) -> None:
    delete(table, 1, tight=True)
    write(table, ROWS)
    change_add(table, 1, lambda add, statistics: _at_least(2, statistics))
    assert [one.column for one in failing(case_at(table))["bounds_contain_values"]] == ["id"]


BOUND = {"inside": (2, {"id"}), "around all": (0, set())}


@pytest.mark.parametrize(("least", "columns"), BOUND.values(), ids=BOUND)
def test_wide_bounds_are_held_against_all_rows(table: Path, least: int, columns: set[str]) -> None:
    delete(table, 1, tight=False)
    rewrite(table, with_statistics(partial(_at_least, least)))
    found = failing(case_at(table)).get("bounds_contain_values", [])
    assert {one.column for one in found} == columns


def _at_least(least: int, statistics: dict[str, Any]) -> None:
    statistics["minValues"]["id"] = least
