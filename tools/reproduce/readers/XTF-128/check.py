"""XTF-128: DuckDB shows null for the columns behind one that the name mapping of an Iceberg table lacks.

Needs `pip install duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5
"pyiceberg[pyarrow,sql-sqlite]"`, and neither Java nor XTable. PyIceberg adds a Parquet file without field ids to a
table, and so writes the name mapping. Then the file has one column more, which neither the schema nor the mapping has:
behind the others, and before them.
DuckDB is asked for the rows of both.

Ends with 10 if it shows nulls where the file has values, 0 if it shows the values, 6 if it does not show them with the
column behind the others.
"""

import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog

ROWS = pa.table({"id": [1, 2], "name": ["a", "b"]})
MORE = pa.array([0, 0])
PRESENT, GONE, NOT_TRIED = 10, 0, 6


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        behind = shown(written(Path(folder), "behind", ROWS.append_column("more", MORE)))
        before = shown(written(Path(folder), "before", ROWS.add_column(0, "more", MORE)))
    print(f"duckdb {duckdb.__version__}; a column more behind the others: {behind}, before them: {before}\n")
    values = [tuple(row.values()) for row in ROWS.to_pylist()]
    if behind != values:
        print(f"COULD NOT RUN: DuckDB shows {behind} instead of {values}")
        return NOT_TRIED
    print("FAULT GONE: XTF-128" if before == values else "FAULT PRESENT: XTF-128")
    return GONE if before == values else PRESENT


def written(folder: Path, name: str, stored: pa.Table) -> str:
    """The table's metadata.json. `stored` is what its file has."""
    catalog = SqlCatalog(name, uri=f"sqlite:///{folder}/{name}.db", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table(f"n.{name}", ROWS.schema)
    file = folder / f"{name}.parquet"
    pq.write_table(ROWS, file)
    table.add_files([file.as_uri()])
    pq.write_table(stored, file)
    return str(table.metadata_location)


def shown(metadata: str) -> list[tuple[object, ...]]:
    with duckdb.connect(":memory:") as connection:
        for extension in ("avro", "iceberg"):
            package = files(f"duckdb_extension_{extension}")
            place = package / "extensions" / f"v{duckdb.__version__}" / f"{extension}.duckdb_extension"
            connection.load_extension(str(place))
        return connection.execute(f"SELECT * FROM iceberg_scan('{metadata}') ORDER BY ALL").fetchall()


if __name__ == "__main__":
    sys.exit(main())
