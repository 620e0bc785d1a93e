"""PyIceberg's `add_files`, over folders of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import pyarrow.parquet as pq

from spark_jobs.battery.folder import live
from tools.translators.sources import OwnCopy
from tools.translators.translator import MetadataTranslator, NotTranslated, Translate
from xtable_audit.model.malformed import first_line


@contextmanager
def opened(work: Path) -> Iterator[Translate]:
    from pyiceberg.catalog.sql import SqlCatalog  # late: it brings SQLAlchemy

    with closing(SqlCatalog("add_files", uri="sqlite:///:memory:", warehouse=work.as_uri())) as catalog:
        catalog.create_namespace("tables")

        def translate(source: OwnCopy) -> str:
            files = [source.folder / path for path in live(source.folder)]
            try:
                table = catalog.create_table(f"tables.{source.name}", schema=pq.read_schema(files[0]))
                with redirect_stdout(StringIO()):  # it prints a table of the fields that do not match
                    table.add_files([f"file://{file}" for file in files])  # as_uri would encode
            except Exception as error:  # any exception means that it cannot take the source
                raise NotTranslated(f"{type(error).__name__}: {first_line(error)}") from error
            return str(table.metadata_location)

        yield translate


PYICEBERG = MetadataTranslator(
    id="pyiceberg_add_files",
    words="`add_files` of PyIceberg",
    version=f"PyIceberg {version('pyiceberg')}, pyarrow {version('pyarrow')}",
    takes=("PARQUET",),
    needs=("pyiceberg",),
    asked="A table with the schema of the first file, without partitions; then one call for all files.",
    opened=opened,
)
