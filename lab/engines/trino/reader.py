"""Trino: registers each metadata.json in the reader's own catalog and queries it in SQL."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from trino.exceptions import TrinoQueryError

from lab.engines.trino.client import (
    Catalogs,
    Client,
    FileCatalogs,
    GivenCatalog,
    JdbcCatalogs,
    NessieCatalogs,
    TrinoHandle,
    in_words,
)
from lab.store.address import Workspace
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.aggregates_in_sql import in_sql
from xtable_audit.readers.reader import Answer, NotOffered, Refusal, column_to_read
from xtable_audit.readers.sql_dialects import TRINO

SCHEMA = "audit"


@dataclass(frozen=True)
class RegisteredTable:
    """A registered table: its qualified SQL name, its columns' types by name, its number of live data files."""

    name: str
    types: Mapping[str, str]
    live: int


class TrinoTables:
    """The tables of one reader. A different metadata.json of a table replaces its registration."""

    def __init__(self, client: Client, handle: TrinoHandle, store: Workspace) -> None:
        self._client = client
        self._catalog, self._schema = _place(client, handle, store)
        self._at: dict[str, str] = {}
        """Table name -> its registered metadata.json."""
        self._known: dict[str, RegisteredTable] = {}
        """Table name -> its description at that metadata.json."""

    def at(self, metadata_location: str) -> RegisteredTable:
        """The table, registered at that metadata.json. Raises Refusal for an unsuitable path, and TrinoQueryError."""
        location, folder, file = metadata_location.rpartition("/metadata/")
        if not folder:
            raise Refusal(f"Trino registers a metadata.json in the folder metadata/ below its table only, not {file}")
        table = table_name(location)
        if self._at.get(table) != metadata_location:
            self._register(table, location, file)
            self._at[table] = metadata_location
        if table not in self._known:
            self._known[table] = self._learn(table)
        return self._known[table]

    def _register(self, table: str, location: str, file: str) -> None:
        call = f"CALL {self._catalog}.system."
        self._known.pop(table, None)
        if self._at.pop(table, None):
            self._client.run(f"{call}unregister_table('{self._schema}', '{table}')")
        where = f"{TRINO.literal(location)}, {TRINO.literal(file)}"
        self._client.run(f"{call}register_table('{self._schema}', '{table}', {where})")

    def _learn(self, table: str) -> RegisteredTable:
        name = f"{self._catalog}.{self._schema}.{table}"
        columns = self._client.run(f"DESCRIBE {name}").rows
        files = f'{self._catalog}.{self._schema}."{table}$files"'
        ((live,),) = self._client.run(f"SELECT count(*) FROM {files} WHERE content = 0").rows
        return RegisteredTable(name, {str(column): str(kind) for column, kind, *_ in columns}, int(live))

    def answers(self) -> bool:
        """Whether the catalog itself answers, independent of any table."""
        try:
            self._client.run(f"SHOW SCHEMAS FROM {self._catalog}")
        except TrinoQueryError:
            return False
        return True


def table_name(location: str) -> str:
    """A readable table name, unique per location, that Trino's SQL takes without quotes."""
    last = re.sub(r"[^a-z0-9]+", "_", location.rstrip("/").rpartition("/")[2].lower()).strip("_")
    readable = last[:40] if last[:1].isalpha() else f"table_{last}"[:40].rstrip("_")
    return f"{readable}_{hashlib.sha256(location.encode()).hexdigest()[:8]}"


def _place(client: Client, handle: TrinoHandle, store: Workspace) -> tuple[str, str]:
    """Catalog and schema, created for this process only, so that leftovers of a crash do not matter."""
    own = handle.prefix + secrets.token_hex(4)
    at = handle.server.url
    try:
        if isinstance(handle.catalogs, GivenCatalog):
            catalog, schema = TRINO.column(handle.catalogs.name), own
        else:
            catalog, schema = own, SCHEMA
            client.run(create_catalog(own, handle.catalogs, store))
        client.run(f"CREATE SCHEMA IF NOT EXISTS {catalog}.{schema}")
    except TrinoQueryError as refused:
        hint = (
            f"set catalog.management=dynamic there, or name one of its Iceberg catalogs: --trino {at}/catalog"
            if "catalog store" in str(refused.message).lower()
            else "the reader needs a catalog of its own there"
        )
        raise Problem(f"Trino at {at} takes no new catalog or schema ({in_words(refused)}): {hint}") from refused
    return catalog, schema


def create_catalog(name: str, catalogs: Catalogs, store: Workspace) -> str:
    """The statement that creates an Iceberg catalog on the store with the store's own key."""
    settings = _S3_AND_ICEBERG | _s3(store) | _kind(name, catalogs, store)
    written = ", ".join(f"{TRINO.column(key)} = {TRINO.literal(value)}" for key, value in settings.items())
    return f"CREATE CATALOG {name} USING iceberg WITH ({written})"


_S3_AND_ICEBERG = {
    "iceberg.register-table-procedure.enabled": "true",
    "iceberg.metadata-cache.enabled": "false",  # repeated reads must reach the store
    "fs.native-s3.enabled": "true",
    "s3.path-style-access": "true",
}


def _s3(store: Workspace) -> dict[str, str]:
    if store.session_token:
        raise Problem("Trino's S3 takes no session token: give it a key that lasts (AWS_ACCESS_KEY_ID without a token)")
    endpoint = {"s3.endpoint": store.endpoint} if store.endpoint else {}
    return endpoint | {
        "s3.region": store.region,
        "s3.aws-access-key": store.access_key,
        "s3.aws-secret-key": store.secret_key,
    }


def _kind(name: str, catalogs: Catalogs, store: Workspace) -> dict[str, str]:
    match catalogs:
        case JdbcCatalogs(url, user, password):
            settings = {
                "driver-class": "org.postgresql.Driver",
                "connection-url": url,
                "connection-user": user,
                "connection-password": password,
                "catalog-name": name,
                "default-warehouse-dir": store.uri("_trino"),
                "schema-version": "V1",
            }
            return {"iceberg.catalog.type": "jdbc"} | {
                f"iceberg.jdbc-catalog.{key}": value for key, value in settings.items()
            }
        case NessieCatalogs(uri):
            return {
                "iceberg.catalog.type": "nessie",
                "iceberg.nessie-catalog.uri": uri,
                "iceberg.nessie-catalog.default-warehouse-dir": store.uri("_trino"),
            }
        case FileCatalogs(folder, local_root):
            local = {"fs.native-local.enabled": "true", "local.location": local_root} if local_root else {}
            return local | {
                "iceberg.catalog.type": "TESTING_FILE_METASTORE",
                "hive.metastore.catalog.dir": f"{folder}/{name}",
                "hive.metastore.disable-location-checks": "true",
            }
    raise TypeError(f"no catalog is made in {catalogs}")


METRIC = "dataFiles"
SINCE = "476"
"""The first Trino release whose split sources have this metric."""
_SCANS = ("ScanFilterAndProjectOperator", "TableScanOperator")


@dataclass(frozen=True)
class Account:
    """Planned files and scanned rows; None if Trino does not report them. `unknown_plan`: why one is missing."""

    planned_count: int | None
    scanned: int | None
    unknown_plan: str | None = None


def account_of(query: Mapping[str, Any]) -> Account:
    """The account from the JSON of a finished query on one table.

    `planned_count` is the `dataFiles` metric of the table's splits: the files Iceberg planned for the predicate that
    Trino pushed down. Trino may skip more of them by partition value without opening them. A predicate that Trino finds
    never true leaves no scan in the plan, so there is no count.
    """
    stats = query.get("queryStats", {})
    scans = [one for one in stats.get("operatorSummaries", ()) if one.get("operatorType") in _SCANS]
    counts = [one["connectorMetrics"][METRIC]["total"] for one in scans if METRIC in one.get("connectorMetrics", {})]
    scanned = stats.get("physicalInputPositions")
    unknown_plan = None
    if scans and not counts:
        unknown_plan = f"this Trino does not report how many files it plans to read; {SINCE} and newer do"
    return Account(sum(counts) if counts else None, scanned, unknown_plan)


class TrinoReader:
    name: ClassVar[str] = "trino"

    def __init__(self, store: Workspace, handle: Any = None) -> None:
        if not isinstance(handle, TrinoHandle):
            raise Problem("reader trino needs a Trino: give one with --trino")
        self._handle = handle
        self._client = Client(handle.server)
        self._tables = TrinoTables(self._client, handle, store)

    @property
    def version(self) -> str:
        return self._handle.version

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. `live` counts the live data files of `"t$files"`; `trino_account` has the rest."""
        try:
            table = self._tables.at(metadata_location)
            sql = TRINO.over(table.types)
            column = sql.column(column_to_read(table.types, predicate))
            result = self._client.run(f"SELECT count(*), checksum({column}) FROM {table.name}{sql.where(predicate)}")
        except TrinoQueryError as refused:
            raise self._why(refused) from refused
        account = account_of(self._client.account(result.query_id))
        return Answer(
            rows=int(result.rows[0][0]),
            live=table.live,
            planned_count=account.planned_count,
            scanned=account.scanned,
            unknown_plan=account.unknown_plan,
        )

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`. No setting turns a shortcut off."""
        if not shortcut:
            raise NotOffered
        try:
            table = self._tables.at(metadata_location)
            sql = TRINO.over(table.types, table.types)
            return self._client.run(in_sql(asked, table.name, sql)).rows[0]
        except TrinoQueryError as refused:
            raise self._why(refused) from refused

    def _why(self, refused: TrinoQueryError) -> Problem | Refusal:
        """A catalog that is gone says nothing of the table."""
        if refused.error_type == "EXTERNAL" and not self._tables.answers():
            server = self._handle.server
            return Problem(f"Trino's own catalog is gone ({in_words(refused)}): see {server.log or server.url}")
        return Refusal(in_words(refused))
