"""DuckDB's count of rows, where it is installed, and what another reader's refusal says."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def by_duckdb(scan: str, extensions: tuple[str, ...], equal: tuple[str, Any] | None = None) -> int | str:
    """`scan` is the table as DuckDB's SQL names it."""
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        return "not installed"

    def query() -> int:
        connection = duckdb.connect()
        for name in extensions:
            load(connection, name)
        where = f' WHERE "{equal[0]}" = ?' if equal else ""
        rows = connection.execute(f"SELECT count(*) FROM {scan}{where}", [equal[1]] if equal else [])
        return int(rows.fetchone()[0])

    return answer(query)


def answer(query: Callable[[], int]) -> int | str:
    """What the query returns, or the first line of what it raises."""
    try:
        return query()
    except Exception as error:  # noqa: BLE001 - its words are the answer
        words = str(error).splitlines()
        return f"refuses ({type(error).__name__}: {words[0] if words else ''})"


def load(connection: Any, name: str) -> None:
    """The extension, from its Python package where that is installed, else from DuckDB's own repository."""
    try:
        folder = Path(str(import_module(f"duckdb_extension_{name}").__file__)).parent
        connection.load_extension(str(next(folder.rglob("*.duckdb_extension"))))
    except ImportError:
        connection.install_extension(name)
        connection.load_extension(name)
