"""Has DuckDB write tables into the store, through Nessie as its Iceberg REST catalog: an INSERT a file."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import requests

from engines.nessie import WAREHOUSE, NessieServer
from readers.duckdb_reader import EXTENSIONS, extension_file
from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import Write
from store.workspace import Workspace
from tests.native.entry import Entry, Stage, Written, terms

TRANSFORMS = {
    "identity": '"{column}"',
    "bucket": 'bucket({width}, "{column}")',
    "truncate": 'truncate({width}, "{column}")',
    "year": 'year("{column}")',
    "month": 'month("{column}")',
    "day": 'day("{column}")',
    "hour": 'hour("{column}")',
}
WIDER = {"TINYINT": "INTEGER", "SMALLINT": "INTEGER"}
"""Iceberg's for types that it has not."""
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def connected(nessie: NessieServer, store: Workspace) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=OFFLINE)
    for extension in EXTENSIONS:
        connection.load_extension(str(extension_file(extension)))
    connection.execute(
        f"CREATE SECRET (TYPE s3, KEY_ID '{store.access_key}', SECRET '{store.secret_key}', ENDPOINT '{store.host}', "
        f"URL_STYLE 'path', USE_SSL {store.tls}, REGION '{store.region}')"
    )
    # Nessie lends credentials for tables that exist; DuckDB asks for them before it has made one.
    unasked = "AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none'"
    connection.execute(f"ATTACH '{WAREHOUSE}' AS native (TYPE iceberg, ENDPOINT '{nessie.rest}', {unasked})")
    connection.execute("CREATE SCHEMA native.tables")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def written_by_duckdb(connection: duckdb.DuckDBPyConnection, nessie: NessieServer, entry: Entry) -> Written:
    """The rows of each file by an INSERT of their own."""
    table = f"native.tables.{entry.name}"
    files = [arrow(one, step.schema) for step in entry.steps if isinstance(step, Write) for one in step.files]
    fields = ", ".join(terms(entry, TRANSFORMS))
    connection.register("given", files[0])
    described = connection.execute("DESCRIBE SELECT * FROM given").fetchall()
    columns = ", ".join(f'"{name}" {WIDER.get(kind, kind)}' for name, kind, *_ in described)
    connection.execute(f"CREATE TABLE {table} ({columns}) {f'PARTITIONED BY ({fields})' if fields else ''}")
    for file in files:
        connection.register("given", file)
        connection.execute(f"INSERT INTO {table} SELECT * FROM given")
    return Written(entry.name, (_stage(connection, nessie, entry),), pa.concat_tables(files))


def _stage(connection: duckdb.DuckDBPyConnection, nessie: NessieServer, entry: Entry) -> Stage:
    """What the table is now. Its files are those whose rows DuckDB reads."""
    read = f"SELECT filename, count(*) FROM native.tables.{entry.name} GROUP BY 1"
    files = {str(file): int(rows) for file, rows in connection.execute(read).fetchall()}
    with requests.Session() as session:
        session.trust_env = False
        told = session.get(f"{nessie.rest}/v1/main/namespaces/tables/tables/{entry.name}", timeout=30)
    told.raise_for_status()
    return Stage("rows", str(told.json()["metadata-location"]), tuple(sorted(files)), sum(files.values()))
