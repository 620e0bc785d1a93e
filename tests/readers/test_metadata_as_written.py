"""What is wrong in metadata.json: PyIceberg reads it in silence, DuckDB refuses it or returns other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

from tests.audit.draft import Record
from tests.hostile import snappy
from tests.hostile.table import Hostile
from tests.orders import ORDERS, orders
from xtable_audit.formats.iceberg.claims.metadata_json import (
    metadata_json_has_the_specified_types,
    no_name_stands_twice_in_metadata_json,
)
from xtable_audit.model.malformed import Malformed
from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file

__all__ = ["orders"]


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
    snappy.rewrite(table.manifest)
    assert (by_duckdb(table), table.case().stored.files.num_rows) == (ORDERS.num_rows, 1)

    snappy.rewrite(table.manifest, lambda records: 7)
    with opened() as connection, pytest.raises(duckdb.Error, match="CRC32 check failure"):
        connection.execute(f"SELECT * FROM read_avro('{table.manifest}')")
    with pytest.raises(Malformed, match="has another checksum than stands after it"):
        table.case()
