"""Has DuckDB write tables into the store, through Nessie as its Iceberg REST catalog: an INSERT a file.

Then it runs the statements of the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import requests

from lab.engines.nessie import WAREHOUSE, NessieServer
from lab.engines.registry import Order, open_engine
from lab.stack.cache import Cache
from lab.store import moto, objects
from lab.store.address import Workspace
from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import Write
from tests.other_writers.entry import Entry, Stage, Written, terms
from tests.other_writers.written import keep
from tests.tables.mirror import Mirror
from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file

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


FOLDER = "duckdb"


def write(folder: Path, entries: Sequence[Entry]) -> list[Any]:
    """What it wrote into a store of its own. Raises Problem where there is no Nessie."""
    folder.mkdir()
    with TemporaryDirectory() as logs, moto.start() as running, ExitStack() as undo:
        order = Order("process", lambda: running, Path(logs), Cache(), lambda step: None, {"warehouse": FOLDER})
        engine = open_engine("nessie", order)
        undo.callback(engine.stop)
        connection = undo.enter_context(connected(engine.handle, running.store))
        facts = [keep(folder, written_by_duckdb(connection, engine.handle, entry)) for entry in entries]
        objects.download(running.store, FOLDER, Mirror(folder).file(running.store.uri(FOLDER)))
        return facts


def connected(nessie: NessieServer, store: Workspace) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config=OFFLINE)
    for extension in EXTENSIONS:
        connection.load_extension(str(extension_file(extension)))
    connection.execute(
        f"CREATE SECRET (TYPE s3, KEY_ID '{store.access_key}', SECRET '{store.secret_key}', ENDPOINT '{store.host}', "
        f"URL_STYLE 'path', USE_SSL {store.tls}, REGION '{store.region}')"
    )
    # Nessie lends credentials for tables that exist; DuckDB requests them before it has made one.
    no_credentials = "AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none'"
    connection.execute(f"ATTACH '{WAREHOUSE}' AS native (TYPE iceberg, ENDPOINT '{nessie.rest}', {no_credentials})")
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
    shown = pa.concat_tables(files)
    for step in entry.steps:
        if isinstance(step, str):
            connection.execute(step.format(table=table))
            shown = connection.execute(f"SELECT * FROM {table}").to_arrow_table()
    return Written(entry.name, (_stage(connection, nessie, entry),), shown)


def _stage(connection: duckdb.DuckDBPyConnection, nessie: NessieServer, entry: Entry) -> Stage:
    """What the table is now. Its files are those whose rows DuckDB reads."""
    read = f"SELECT filename, count(*) FROM native.tables.{entry.name} GROUP BY 1"
    files = {str(file): int(rows) for file, rows in connection.execute(read).fetchall()}
    with requests.Session() as session:
        session.trust_env = False
        response = session.get(f"{nessie.rest}/v1/main/namespaces/tables/tables/{entry.name}", timeout=30)
    response.raise_for_status()
    return Stage("rows", str(response.json()["metadata-location"]), tuple(sorted(files)), sum(files.values()))
