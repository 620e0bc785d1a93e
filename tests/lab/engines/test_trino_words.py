"""What Trino is asked to register, and what its account of a query says of files and rows.

The account is Trino 476's, without the other operators."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from trino.exceptions import TrinoQueryError

from lab.engines.trino.client import (
    Client,
    FileCatalogs,
    GivenCatalog,
    JdbcCatalogs,
    QueryResult,
    TrinoHandle,
    TrinoServer,
)
from lab.engines.trino.reader import Account, TrinoReader, account_of, create_catalog, table_name
from lab.store.address import Workspace
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Refusal

SAMPLE = Path(__file__).parent / "trino_accounts" / "one_of_four.json"
STORE = Workspace("http://127.0.0.1:9000", "reader-trino", "it's secret")
JDBC = JdbcCatalogs("jdbc:postgresql://127.0.0.1:5432/iceberg", "iceberg", "pass")
LOCAL = FileCatalogs("local:///metastore", "/scratch")
REMOTE = FileCatalogs("s3://bucket/_trino_metastore")


@pytest.fixture
def query() -> dict[str, Any]:
    """`SELECT count(*), checksum(distance) … WHERE month = '2023-03'` over four files of 50 rows."""
    account: dict[str, Any] = json.loads(SAMPLE.read_text())
    return account


def scan(query: dict[str, Any]) -> dict[str, Any]:
    (found,) = [one for one in query["queryStats"]["operatorSummaries"] if one["operatorType"] == "TableScanOperator"]
    operator: dict[str, Any] = found
    return operator


# What Trino's account of a query says of files and rows. The sample is Trino 476's, without the other operators.


def test_the_files_planned_and_the_rows_scanned_are_reported(query: dict[str, Any]) -> None:
    assert account_of(query) == Account(planned_count=1, scanned=50)


def test_no_file_planned_is_zero_files(query: dict[str, Any]) -> None:
    scan(query)["connectorMetrics"]["dataFiles"]["total"] = 0
    assert account_of(query).planned_count == 0


def test_a_scan_with_a_filter_is_a_scan(query: dict[str, Any]) -> None:
    scan(query)["operatorType"] = "ScanFilterAndProjectOperator"
    assert account_of(query).planned_count == 1


def test_a_trino_that_counts_no_files_says_nothing_and_why(query: dict[str, Any]) -> None:
    del scan(query)["connectorMetrics"]["dataFiles"]
    assert account_of(query) == Account(
        planned_count=None,
        scanned=50,
        unknown_plan="this Trino does not report how many files it plans to read; 476 and newer do",
    )


def test_a_plan_without_a_scan_has_no_count_and_that_is_as_it_should_be(query: dict[str, Any]) -> None:
    query["queryStats"]["operatorSummaries"].remove(scan(query))
    assert account_of(query) == Account(planned_count=None, scanned=50)


def test_what_is_not_reported_is_not_zero() -> None:
    assert account_of({}) == Account(planned_count=None, scanned=None)


# How a table and the store are registered in Trino.


@pytest.mark.parametrize(
    "setting",
    [
        """"s3.endpoint" = 'http://127.0.0.1:9000'""",
        """"s3.aws-access-key" = 'reader-trino'""",
        """"s3.aws-secret-key" = 'it''s secret'""",
        """"s3.path-style-access" = 'true'""",
        """"iceberg.metadata-cache.enabled" = 'false'""",
        """"iceberg.register-table-procedure.enabled" = 'true'""",
        """"iceberg.jdbc-catalog.catalog-name" = 'mine'""",
        """"iceberg.jdbc-catalog.schema-version" = 'V1'""",
        """"iceberg.jdbc-catalog.connection-url" = 'jdbc:postgresql://127.0.0.1:5432/iceberg'""",
    ],
)
def test_a_catalog_has_the_readers_own_key_no_cache_and_a_name_of_its_own(setting: str) -> None:
    assert setting in create_catalog("mine", JDBC, STORE)


@pytest.mark.parametrize(
    ("catalogs", "folder"),
    [(LOCAL, "local:///metastore/mine"), (REMOTE, "s3://bucket/_trino_metastore/mine")],
    ids=["local", "S3"],
)
def test_a_catalog_of_files_has_a_folder_of_its_own(catalogs: FileCatalogs, folder: str) -> None:
    assert f""""hive.metastore.catalog.dir" = '{folder}'""" in create_catalog("mine", catalogs, STORE)


def test_a_catalog_in_s3_needs_no_local_file_system() -> None:
    assert "local" not in create_catalog("mine", REMOTE, STORE)


def test_aws_itself_needs_no_endpoint() -> None:
    assert "s3.endpoint" not in create_catalog("mine", JDBC, replace(STORE, endpoint=None))


def test_a_key_that_expires_is_refused_in_a_sentence() -> None:
    with pytest.raises(Problem, match="Trino's S3 takes no session token: give it a key that lasts"):
        create_catalog("mine", JDBC, replace(STORE, session_token="token"))


@pytest.mark.parametrize(
    ("location", "begins"),
    [
        ("s3://bucket/hudi/good_layout", "good_layout_"),
        ("s3a://bucket/hudi/Good-Layout/", "good_layout_"),
        ("s3://bucket/табл", "table_"),
        ("s3://bucket/2024-trips", "table_2024_trips_"),
        ("s3://bucket/x'; DROP TABLE y", "x_drop_table_y_"),
    ],
)
def test_a_table_is_named_after_its_folder(location: str, begins: str) -> None:
    assert table_name(location).startswith(begins)


def test_tables_of_one_name_in_two_folders_are_two() -> None:
    assert table_name("s3://bucket/a/trips") != table_name("s3://bucket/b/trips")


@pytest.mark.parametrize(("catalogs", "watched"), [(JDBC, True), (REMOTE, True), (GivenCatalog("theirs"), False)])
def test_only_a_catalog_of_theirs_hides_which_reader_reads(
    catalogs: JdbcCatalogs | FileCatalogs, watched: bool
) -> None:
    handle = TrinoHandle(TrinoServer("http://127.0.0.1:8080", "audit"), "476", catalogs, "run_")
    assert handle.watched is watched


def test_a_handle_shows_no_password() -> None:
    handle = TrinoHandle(
        TrinoServer("https://trino:443", "me", "hidden"), "476", replace(JDBC, password="hidden"), "run_"
    )
    assert "hidden" not in repr(handle)


# An external failure is the table's only while the catalog itself answers.


def reader_that_fails(monkeypatch: pytest.MonkeyPatch, *, catalog_answers: bool) -> TrinoReader:
    """Whose Trino makes catalogs and schemas, and nothing else."""

    def run(statement: str) -> QueryResult:
        if statement.startswith("CREATE ") or (catalog_answers and statement.startswith("SHOW SCHEMAS")):
            return QueryResult([], "id")
        raise TrinoQueryError({"errorType": "EXTERNAL", "message": "no connection"}, "id")

    monkeypatch.setattr(Client, "run", lambda _, statement: run(statement))
    return TrinoReader(STORE, TrinoHandle(TrinoServer("http://127.0.0.1:1", "audit"), "481", JDBC, "audit_"))


def ask(reader: TrinoReader, question: str) -> object:
    metadata = "s3://bucket/orders/metadata/v1.metadata.json"
    return reader.query(metadata, None) if question == "rows" else reader.aggregate(metadata, [Aggregate("count")])


@pytest.mark.parametrize("question", ["rows", "aggregates"])
@pytest.mark.parametrize(
    ("catalog_answers", "error", "words"),
    [(False, Problem, "Trino's own catalog is gone"), (True, Refusal, "no connection")],
    ids=["the catalog is gone", "the catalog answers"],
)
def test_whose_an_external_failure_is(
    monkeypatch: pytest.MonkeyPatch, question: str, catalog_answers: bool, error: type[Exception], words: str
) -> None:
    reader = reader_that_fails(monkeypatch, catalog_answers=catalog_answers)
    with pytest.raises(error, match=words):
        ask(reader, question)
