"""How a table and the store are registered in Trino."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.engines.trino.catalog import create_catalog, table_name
from lab.engines.trino.handle import FileCatalogs, GivenCatalog, JdbcCatalogs, TrinoHandle, TrinoServer
from lab.store.workspace import Workspace
from xtable_audit.model.problem import Problem

STORE = Workspace("http://127.0.0.1:9000", "reader-trino", "it's secret")
JDBC = JdbcCatalogs("jdbc:postgresql://127.0.0.1:5432/iceberg", "iceberg", "pass")
LOCAL = FileCatalogs("local:///metastore", "/scratch")
REMOTE = FileCatalogs("s3://bucket/_trino_metastore")


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
