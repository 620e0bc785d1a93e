"""Has Trino write tables into the store: CREATE TABLE AS and INSERT, from tables of PyIceberg's that hold the rows.

Then it runs the statements of the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from lab.engines.trino.client import Client
from lab.engines.trino.reader import create_catalog
from lab.store import moto, objects
from lab.store.address import Workspace
from spark_jobs.battery.rows import arrow
from spark_jobs.battery.table import Write
from tests.lab.engines.trino_engine import opened, order
from tests.other_writers.entry import Entry, Stage, Written, terms
from tests.other_writers.written import keep
from tests.tables.mirror import Mirror

TRANSFORMS = {
    "identity": "{column}",
    "bucket": "bucket({column}, {width})",
    "truncate": "truncate({column}, {width})",
    "year": "year({column})",
    "month": "month({column})",
    "day": "day({column})",
    "hour": "hour({column})",
}
NUMBER = "file_number"
"""A column of the source alone: which file a row is of."""


@dataclass(frozen=True)
class Place:
    """A schema of a catalog of Trino's, and the folder of the store that its tables are in."""

    schema: str
    folder: str


FOLDER = "tables"


def write(folder: Path, entries: Sequence[Entry]) -> list[Any]:
    """What a Trino of its own wrote into a store of its own. Raises Problem where there is no Trino."""
    folder.mkdir()
    with TemporaryDirectory() as logs, moto.start() as running, ExitStack() as undo:
        handle = undo.enter_context(opened(order("process", running, Path(logs)))).handle
        store = running.store
        client = undo.enter_context(Client(handle.server))
        catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=store.uri("sources"), **store.pyiceberg())
        undo.callback(catalog.close)
        catalog.create_namespace("tests")
        client.run(create_catalog("native", handle.catalogs, store))
        client.run(f"CREATE SCHEMA native.tables WITH (location = '{store.uri(FOLDER)}')")
        place = Place("native.tables", store.uri(FOLDER))
        facts = [keep(folder, written_by_trino(client, place, store, catalog, entry)) for entry in entries]
        objects.download(store, FOLDER, Mirror(folder).file(store.uri(FOLDER)))
        return facts


def given(entry: Entry) -> pa.Table:
    """The rows of an entry's first step, in microseconds, with their file's number."""
    step = entry.steps[0]
    assert isinstance(step, Write)
    files = (arrow(one, step.schema) for one in step.files)
    return pa.concat_tables(
        file.append_column(NUMBER, pa.array([number] * file.num_rows, pa.int32())) for number, file in enumerate(files)
    )


def written_by_trino(client: Client, place: Place, store: Workspace, catalog: SqlCatalog, entry: Entry) -> Written:
    """Its first step's rows: those of the first file by CREATE TABLE AS, the others' together by INSERT."""
    shown = _source(client, place, store, catalog, entry)
    table, source = f"{place.schema}.{entry.name}", f"{place.schema}.source_{entry.name}"
    columns = ", ".join(f'"{name}"' for name in shown.column_names)
    fields = ", ".join(f"'{field}'" for field in terms(entry, TRANSFORMS))
    client.run(
        f"CREATE TABLE {table} WITH (partitioning = ARRAY[{fields}], location = '{place.folder}/{entry.name}') AS "
        f"SELECT {columns} FROM {source} WHERE {NUMBER} = 0"
    )
    client.run(f"INSERT INTO {table} SELECT {columns} FROM {source} WHERE {NUMBER} > 0")
    statements = [step for step in entry.steps if isinstance(step, str)]
    for statement in statements:
        client.run(statement.format(table=table))
    if statements:
        shown = _shown(client, table)
    return Written(entry.name, (_stage(client, place, entry),), shown)


KINDS = {"bigint": pa.int64(), "double": pa.float64(), "varchar": pa.string()}


def _shown(client: Client, table: str) -> pa.Table:
    """The rows that Trino shows, of columns of KINDS."""
    columns = {str(name): KINDS[str(kind)] for name, kind, *_ in client.run(f"DESCRIBE {table}").rows}
    fetched = client.run(f"SELECT * FROM {table}").rows
    return pa.table(
        {name: pa.array([row[place] for row in fetched], kind) for place, (name, kind) in enumerate(columns.items())}
    )


def _source(client: Client, place: Place, store: Workspace, catalog: SqlCatalog, entry: Entry) -> pa.Table:
    """The rows as a table that Trino reads; as PyIceberg shows them, for it cannot write all of them as they are."""
    rows = given(entry)
    made = catalog.create_table(f"tests.{entry.name}", rows.schema, location=store.uri(f"sources/{entry.name}"))
    made.append(rows)
    folder, _, file = made.metadata_location.rpartition("/metadata/")
    schema = place.schema.split(".")
    client.run(f"CALL {schema[0]}.system.register_table('{schema[1]}', 'source_{entry.name}', '{folder}', '{file}')")
    return made.scan().to_arrow().drop_columns([NUMBER])


def _stage(client: Client, place: Place, entry: Entry) -> Stage:
    """What the table is now. Its files are those whose rows Trino reads."""
    table = f"{place.schema}.{entry.name}"
    files = dict(client.run(f'SELECT "$path", count(*) FROM {table} GROUP BY 1').rows)
    log = f'{place.schema}."{entry.name}$metadata_log_entries"'
    newest = "ORDER BY timestamp DESC, latest_sequence_number DESC LIMIT 1"
    ((location,),) = client.run(f"SELECT file FROM {log} {newest}").rows
    return Stage("rows", str(location), tuple(sorted(map(str, files))), sum(map(int, files.values())))
