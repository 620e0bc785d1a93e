"""XTF-001: Daft refuses Iceberg tables over Parquet files without field ids.

Needs `pip install daft==0.7.26 "pyiceberg[pyarrow,sql-sqlite]"`, and neither Java nor XTable. PyArrow writes a Parquet
file without field ids, PyIceberg's `add_files` registers it and sets the table property `schema.name-mapping.default`,
and two readers count its rows: PyIceberg, which applies that mapping, and Daft.

Ends with 10 if Daft refuses the table for its field ids or finds other rows, 0 if it finds those that PyIceberg finds,
6 if PyIceberg does not find them, or Daft refuses for another reason. With FIELD_IDS=1 PyIceberg writes the file, with
field ids: a table that Daft reads.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ["DAFT_ANALYTICS_ENABLED"] = "0"

import daft
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

ROWS = pa.table({"zip_code": ["10001", "10002", "90001"], "floor": [1, 2, None]})
ZIP = "10001"
NAME_MAPPING = "schema.name-mapping.default"
PRESENT, GONE, NOT_TRIED = 10, 0, 6
WITH_IDS = os.environ.get("FIELD_IDS") == "1"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        table = registered(Path(folder))
        print(f"daft {daft.__version__}; field ids in the file: {ids_of(table)}")
        print(f"{NAME_MAPPING} = {table.properties.get(NAME_MAPPING)}\n")
        wanted = table.scan(row_filter=f"zip_code = '{ZIP}'").to_arrow().num_rows
        if wanted != 1:
            print(f"COULD NOT RUN: PyIceberg finds {wanted} rows instead of 1")
            return NOT_TRIED
        answer = by_daft(table)
        print(f"zip_code = '{ZIP}': PyIceberg finds {wanted}, Daft {answer}\n")
        if isinstance(answer, str) and "field ID" not in answer:
            print("COULD NOT RUN: Daft's refusal is not about field ids")
            return NOT_TRIED
        print("FAULT GONE: XTF-001" if answer == wanted else "FAULT PRESENT: XTF-001")
        return GONE if answer == wanted else PRESENT


def registered(folder: Path) -> Table:
    """An Iceberg table over a file that PyArrow wrote."""
    catalog = SqlCatalog("here", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", ROWS.schema)
    if WITH_IDS:
        table.append(ROWS)
    else:
        pq.write_table(ROWS, folder / "data.parquet")
        table.add_files([(folder / "data.parquet").as_uri()])
    return catalog.load_table("n.t")


def ids_of(table: Table) -> list[int]:
    [task] = table.scan().plan_files()
    schema = pq.read_schema(task.file.file_path.removeprefix("file://"))
    return [int(field.metadata[b"PARQUET:field_id"]) for field in schema if field.metadata]


def by_daft(table: Table) -> int | str:
    try:
        return len(daft.read_iceberg(table).where(f"zip_code = '{ZIP}'").to_arrow())
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return f"refuses ({type(error).__name__}: {error})"


if __name__ == "__main__":
    sys.exit(main())
