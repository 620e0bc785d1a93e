"""A Delta table that cannot be read ends in the reader's own words, in one line, and never in an answer."""

from __future__ import annotations

from typing import Any

import pytest

from lab.engines.readers import open_reader
from lab.store.workspace import Workspace
from tests.readers.delta.test_delta_files import MARCH
from tests.readers.test_broken_tables import cut_in_half, is_reported_in_one_line
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers import duckdb_reader
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader


def asked(reader: Reader, tables: Any, location: str, predicate: Predicate | None = MARCH) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, location, [predicate], tables.by_month.data)
    return seen


def commit(tables: Any, version: int) -> str:
    key: str = tables.store.store.key(tables.by_month.at(version))
    return key


def test_a_truncated_commit_is_an_error(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, commit(tables, 2)):
        assert is_reported_in_one_line(asked(reader, tables, tables.by_month.metadata))


def test_a_data_file_cut_short_is_an_error(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, tables.by_month.data[2]):
        assert is_reported_in_one_line(asked(reader, tables, tables.by_month.metadata))


def test_after_a_failure_the_next_question_is_answered(reader: Reader, tables: Any) -> None:
    with cut_in_half(tables.store.store, commit(tables, 2)):
        asked(reader, tables, tables.by_month.metadata)
    seen = asked(reader, tables, tables.by_month.metadata)
    assert (seen.rows, seen.read, seen.error) == (50, frozenset({tables.by_month.data[2]}), None)


def test_a_version_that_is_not_there_is_an_error(reader: Reader, tables: Any) -> None:
    assert is_reported_in_one_line(asked(reader, tables, tables.by_month.at(9)))


def test_a_table_that_is_not_there_is_an_error_without_the_stores_secret(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.metadata.replace("by_month", "nowhere"))
    assert is_reported_in_one_line(seen)
    assert tables.store.store.secret_key not in str(seen.error)


def test_a_column_that_is_not_there_is_an_error(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.metadata, Compare("nope", "=", 1))
    assert "nope" in str(seen.error)


def test_metadata_of_another_format_is_no_commit(reader: Reader, tables: Any) -> None:
    seen = asked(reader, tables, tables.by_month.root + "/metadata/v1.metadata.json")
    assert "is no commit in a folder _delta_log/" in str(seen.error)


def test_duckdb_without_its_delta_extension_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_reader, "find_spec", lambda name: None)
    with pytest.raises(Problem, match="lacks its delta extension: pip install duckdb-extension-delta=="):
        duckdb_reader.extension_file("delta")


def test_a_store_that_does_not_answer_is_an_error(reader: Reader, tables: Any) -> None:
    nobody = Workspace("http://127.0.0.1:9", "key", "secret")
    lonely = open_reader(reader.name, nobody)
    [seen] = observe(lonely, None, tables.by_month.metadata, [None], ())
    lonely.close()
    assert is_reported_in_one_line(seen)
