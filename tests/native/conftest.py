"""What writers of Iceberg's own left, judged: each table once, when a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from pyarrow import fs
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

from engines.order import Order
from engines.registry import open_engine
from engines.trino.client import Client
from readers.planners import plan, plan_table
from readers.trino_catalog import create_catalog
from stack.cache import Cache
from stack.problem import Problem
from store import moto
from store.access import Access
from tests.native import deletes
from tests.native.deletes import DELETED
from tests.native.duckdb_run import connected, written_by_duckdb
from tests.native.held import Held, HeldOf
from tests.native.histories import HISTORIES
from tests.native.partitions import PARTITIONS
from tests.native.spark_run import written_by_spark
from tests.native.trino_run import Place, written_by_trino
from tests.native.values import OF_TRINO, VALUES
from tests.readers.trino_engine import opened, order
from xtable_audit.model.objects import Objects

BY_SPARK = {
    entry.name: entry for entry in (*VALUES, *PARTITIONS, *HISTORIES, *DELETED, deletes.FORMATS, deletes.VERSION_3)
}


@pytest.fixture(scope="session")
def of_spark(tmp_path_factory: pytest.TempPathFactory) -> HeldOf:
    """A table that Iceberg's writer in Spark wrote, on local disk."""
    written = written_by_spark(tuple(BY_SPARK.values()), tmp_path_factory.mktemp("native"))
    objects = Objects(fs.LocalFileSystem())

    @cache
    def held(name: str) -> Held:
        return Held(
            written[name],
            objects,
            lambda location, asked: plan_table(StaticTable.from_metadata(location), asked),
            BY_SPARK[name].spec,
        )

    return held


BY_TRINO = {
    entry.name: entry
    for entry in (*VALUES, OF_TRINO, *PARTITIONS)
    if entry.name not in ("year_10000", "long_strings", "dates", "lost_days")
}


@pytest.fixture(scope="module")
def of_trino(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeldOf]:
    """A table that Trino wrote, into a store of its own."""
    logs = tmp_path_factory.mktemp("logs")
    with moto.start() as running, ExitStack() as undo:
        try:
            engine = undo.enter_context(opened(order("process", running, logs)))
        except Problem as problem:
            pytest.skip(f"Trino cannot be had: {problem}")
        store, handle = running.store, engine.handle
        client = undo.enter_context(Client(handle.server))
        catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=store.uri("sources"), **store.pyiceberg())
        undo.callback(catalog.close)
        catalog.create_namespace("tests")
        client.run(create_catalog("native", handle.catalogs, store))
        client.run(f"CREATE SCHEMA native.tables WITH (location = '{store.uri('tables')}')")
        place = Place("native.tables", store.uri("tables"))
        objects = Access(store).objects(store.uri(""))

        @cache
        def held(name: str) -> Held:
            entry = BY_TRINO[name]
            written = written_by_trino(client, place, store, catalog, entry)
            return Held(written, objects, lambda location, asked: plan(store, location, asked), entry.spec)

        yield held


REFUSED_BY_DUCKDB = ("by_identity", "by_truncate")
"""It makes text of partition values, and fails over bytes that are none."""
BY_DUCKDB = {entry.name: entry for entry in (*VALUES, OF_TRINO, *PARTITIONS) if entry.name not in REFUSED_BY_DUCKDB}


@pytest.fixture(scope="module")
def of_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeldOf]:
    """A table that DuckDB wrote, into a store of its own."""
    logs = tmp_path_factory.mktemp("logs")
    with moto.start() as running, ExitStack() as undo:
        asked = Order("process", lambda: running, logs, Cache(), lambda told: None, {"warehouse": "duckdb"})
        try:
            engine = open_engine("nessie", asked)
            undo.callback(engine.stop)
            connection = undo.enter_context(connected(engine.handle, running.store))
        except Problem as problem:
            pytest.skip(f"DuckDB has no Iceberg REST catalog to write to: {problem}")
        objects = Access(running.store).objects(running.store.uri(""))

        @cache
        def held(name: str) -> Held:
            entry = BY_DUCKDB[name]
            written = written_by_duckdb(connection, engine.handle, entry)
            return Held(written, objects, lambda location, asked: plan(running.store, location, asked), entry.spec)

        yield held
