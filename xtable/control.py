"""The control translator: PyIceberg's `add_files` over the same base files.

The same files through a second translator separate XTable's faults from the source's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from io import StringIO

import pyarrow.parquet as pq
from pyiceberg.transforms import IdentityTransform

from lab.store.disk import CONTROL, Disk
from xtable_audit.model.objects import Objects


def translate(disk: Disk, name: str, base_files: Sequence[str], partition_by: Sequence[str], prefix: str) -> str:
    """Write Iceberg metadata for `base_files` under `prefix`; returns the location of its metadata.json.

    The schema is the files' own, and PyIceberg takes partition tuples from the files.
    """
    from pyiceberg.catalog.sql import SqlCatalog  # late: it brings SQLAlchemy, and a collection translates nothing

    with closing(
        SqlCatalog(CONTROL, uri="sqlite:///:memory:", warehouse=disk.uri(CONTROL), **disk.pyiceberg())
    ) as catalog:
        catalog.create_namespace(CONTROL)
        with Objects(disk.filesystem).open(base_files[0]) as source:
            schema = pq.read_schema(source)
        table = catalog.create_table(f"{CONTROL}.{name}", schema=schema, location=disk.uri(prefix))
        with table.update_spec() as spec:
            for column in partition_by:
                spec.add_field(column, IdentityTransform(), column)
        with redirect_stdout(StringIO()):  # it prints a table of the fields that do not match, which its error has too
            table.add_files(list(base_files))
        return str(table.metadata_location)
