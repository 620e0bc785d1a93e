"""XTF-126: Daft counts the rows of the whole table for those of one partition.

Needs `pip install daft==0.7.26 "pyiceberg[pyarrow,sql-sqlite]"`, and neither Java nor XTable. PyIceberg writes a table
with an identity partition: two rows in one partition and one in another. Daft is asked for the rows of the first one:
to count them, and to show them.

Ends with 10 if it counts other rows than it shows, 0 if it counts as many, 6 if it does not show those of the
partition.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ["DAFT_ANALYTICS_ENABLED"] = "0"

import daft
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

ROWS = pa.table({"part": ["a", "a", "b"], "floor": [1, 2, 3]})
OF_A = 2
PRESENT, GONE, NOT_TRIED = 10, 0, 6


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        of_part = daft.read_iceberg(written(Path(folder))).where("part = 'a'")
        shown, counted = len(of_part.to_arrow()), of_part.count_rows()
        print(f"daft {daft.__version__}; part = 'a': {shown} rows shown, {counted} counted by count_rows()\n")
        if shown != OF_A:
            print(f"COULD NOT RUN: Daft shows {shown} rows instead of {OF_A}")
            return NOT_TRIED
        print("FAULT GONE: XTF-126" if counted == shown else "FAULT PRESENT: XTF-126")
        return GONE if counted == shown else PRESENT


def written(folder: Path) -> Table:
    catalog = SqlCatalog("here", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", ROWS.schema)
    with table.update_spec() as spec:
        spec.add_field("part", IdentityTransform(), "part")
    table.append(ROWS)
    return catalog.load_table("n.t")


if __name__ == "__main__":
    sys.exit(main())
