"""Tables with something wrong: a reader ends in its own words, in one line, or reads them in silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

from lab.store import objects
from lab.store.address import Workspace
from tests.hostile.conftest import Hostile, in_snappy
from tests.tables.draft import Record
from tests.tables.orders import ORDERS, orders
from xtable_audit.formats.iceberg.claims.metadata_json import (
    metadata_json_has_the_specified_types,
    no_name_stands_twice_in_metadata_json,
)
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.predicate import Compare
from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation, Reader

MARCH = Compare("month", "=", "2023-03")
__all__ = ["orders"]


def watch(reader: Reader, tables: Any, metadata: str) -> Observation:
    log = tables.store.guest(f"reader-{reader.name}").log
    [seen] = observe(reader, log, metadata, [MARCH], tables.native.data)
    return seen


def is_reported_in_one_line(seen: Observation) -> bool:
    return seen.rows is None and bool(seen.error) and "\n" not in str(seen.error)


@contextmanager
def cut_in_half(store: Workspace, key: str) -> Iterator[None]:
    """The object, truncated for the while and then put right."""
    whole = objects.read(store, key)
    objects.write(store, key, whole[: len(whole) // 2])
    try:
        yield
    finally:
        objects.write(store, key, whole)


def one_of(tables: Any, ending: str, beginning: str = "") -> str:
    """The key of the native table's only metadata file of that kind."""
    store = tables.store.store
    folder = store.key(tables.native.metadata).rpartition("/")[0]
    names = [key for key in objects.list_objects(store, folder) if key.endswith(ending)]
    (key,) = [name for name in names if name.rpartition("/")[2].startswith(beginning)]
    return key


@pytest.fixture
def table(orders: tuple[str, Path]) -> Hostile:
    return Hostile(Path(orders[0].removeprefix("file://")), orders[1])


@contextmanager
def opened() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"autoinstall_known_extensions": "false"}) as connection:
        for extension in EXTENSIONS:
            connection.load_extension(str(extension_file(extension)))
        yield connection


def by_duckdb(table: Hostile) -> int:
    with opened() as connection:
        counted = connection.execute(f"SELECT count(*) FROM iceberg_scan('{table.metadata}')").fetchall()
        return int(counted[0][0])


def by_pyiceberg(table: Hostile) -> int:
    return int(StaticTable.from_metadata(str(table.metadata)).scan().to_arrow().num_rows)


# A table that cannot be read ends in the reader's own words, in one line, and never in an answer.


@pytest.mark.parametrize("file", ["metadata.json", "manifest list", "manifest"])
def test_a_truncated_file_of_the_metadata_is_an_error(reader: Reader, tables: Any, file: str) -> None:
    store = tables.store.store
    keys: dict[str, Callable[[], str]] = {
        "metadata.json": lambda: store.key(tables.native.metadata),
        "manifest list": lambda: one_of(tables, ".avro", "snap-"),
        "manifest": lambda: one_of(tables, "-m0.avro"),
    }
    key = keys[file]()
    with cut_in_half(store, key):
        assert is_reported_in_one_line(watch(reader, tables, tables.native.metadata))


def test_a_data_file_cut_short_is_an_error(reader: Reader, tables: Any) -> None:
    (march,) = [key for key in tables.native.data if "month=2023-03" in key]
    with cut_in_half(tables.store.store, march):
        assert is_reported_in_one_line(watch(reader, tables, tables.native.metadata))


@pytest.mark.parametrize("file", ["-m0.avro", ".parquet"], ids=["manifest", "data file"])
def test_after_a_failure_the_next_question_is_answered(reader: Reader, tables: Any, file: str) -> None:
    key = one_of(tables, file) if file == "-m0.avro" else tables.native.data[2]
    with cut_in_half(tables.store.store, key):
        watch(reader, tables, tables.native.metadata)
    seen = watch(reader, tables, tables.native.metadata)
    assert (seen.rows, seen.read, seen.error) == (50, frozenset({tables.native.data[2]}), None)


def test_a_missing_metadata_json_is_an_error(reader: Reader, tables: Any) -> None:
    assert is_reported_in_one_line(watch(reader, tables, missing(tables)))


def test_the_stores_secret_is_in_no_error(reader: Reader, tables: Any) -> None:
    assert tables.store.store.secret_key not in str(watch(reader, tables, missing(tables)).error)


def missing(tables: Any) -> str:
    absent: str = tables.native.metadata.replace("metadata/0", "metadata/9")
    return absent


# What is wrong in metadata.json: PyIceberg reads it in silence, DuckDB refuses it or returns other rows.


def test_both_read_the_healthy_table(table: Hostile) -> None:
    assert (by_duckdb(table), by_pyiceberg(table)) == (ORDERS.num_rows, ORDERS.num_rows)


REFUSED: dict[str, Callable[[Record], object]] = {
    "ids in quotes": lambda metadata: metadata.update({"last-column-id": "3", "current-schema-id": "0"}),
    "a sequence number with a point": lambda metadata: metadata.update({"last-sequence-number": 1.0}),
    "a time of 301 digits": lambda metadata: metadata.update({"last-updated-ms": 10**300}),
    "a snapshot of a time of 31 digits": lambda metadata: metadata["snapshots"][0].update({"timestamp-ms": 10**30}),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_duckdb_refuses_a_type_that_is_not_the_specified_one(
    table: Hostile, change: Callable[[Record], object]
) -> None:
    table.change_metadata(change)
    assert by_pyiceberg(table) == ORDERS.num_rows
    assert metadata_json_has_the_specified_types.deviations(table.case())
    with pytest.raises(duckdb.Error, match="is not of type 'integer'"):
        by_duckdb(table)


def test_of_two_current_snapshots_duckdb_takes_the_first_and_pyiceberg_the_last(tmp_path: Path, table: Hostile) -> None:
    with closing(SqlCatalog("here", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=f"file://{tmp_path}")) as catalog:
        orders = catalog.load_table("shop.orders")
        first = orders.metadata.current_snapshot_id
        orders.append(ORDERS)
    grown = Hostile(Path(orders.metadata_location.removeprefix("file://")), table.data)
    text = grown.metadata.read_text()
    grown.metadata.write_text(text.replace("{", f'{{"current-snapshot-id": {first}, ', 1))

    assert (by_duckdb(grown), by_pyiceberg(grown)) == (ORDERS.num_rows, 2 * ORDERS.num_rows)
    [found] = no_name_stands_twice_in_metadata_json.deviations(grown.case())
    assert found.saw == "current-snapshot-id 2 times, with different values"


def test_a_manifest_in_snappy_is_refused_for_a_wrong_checksum(table: Hostile) -> None:
    """By DuckDB, too, whose process it ends where it reads a table. PyIceberg reads no snappy by itself."""
    in_snappy(table.manifest)
    assert (by_duckdb(table), table.case().stored.files.num_rows) == (ORDERS.num_rows, 1)

    in_snappy(table.manifest, lambda records: 7)
    with opened() as connection, pytest.raises(duckdb.Error, match="CRC32 check failure"):
        connection.execute(f"SELECT * FROM read_avro('{table.manifest}')")
    with pytest.raises(Malformed, match="has another checksum than stands after it"):
        table.case()
