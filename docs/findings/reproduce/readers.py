"""Readers' counts of rows: PyIceberg's, and DuckDB's where it is installed."""

from importlib import import_module
from pathlib import Path
from typing import Any

from pyiceberg.expressions import EqualTo, Reference
from pyiceberg.expressions.literals import literal
from pyiceberg.table import StaticTable


def by_pyiceberg(table: StaticTable, equal: tuple[str, Any] | None = None) -> int | str:
    try:
        scan = (
            table.scan(row_filter=EqualTo(term=Reference(equal[0]), value=literal(equal[1]))) if equal else table.scan()
        )
        return int(scan.to_arrow().num_rows)
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return f"refuses ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})"


def by_duckdb(location: str, equal: tuple[str, Any] | None = None) -> int | str:
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        return "not installed"
    try:
        connection = duckdb.connect()
        for name in ("avro", "iceberg"):
            load(connection, name)
        where = f' WHERE "{equal[0]}" = ?' if equal else ""
        query = f"SELECT count(*) FROM iceberg_scan('{location}'){where}"
        return int(connection.execute(query, [equal[1]] if equal else []).fetchone()[0])
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return f"refuses ({str(error).splitlines()[0]})"


def load(connection: Any, name: str) -> None:
    """The extension, from its Python package where that is installed, else from DuckDB's own repository."""
    try:
        folder = Path(str(import_module(f"duckdb_extension_{name}").__file__)).parent
        connection.load_extension(str(next(folder.rglob("*.duckdb_extension"))))
    except ImportError:
        connection.install_extension(name)
        connection.load_extension(name)
