"""What Iceberg itself does to a table, in a session of Spark: statements, deletes by value, and what it shows.

PyIceberg writes no delete files, and Spark's SQL none by value, as Flink does: a writer of Iceberg's library is called.
PyIceberg 0.12 refuses to read deletes by value, so Spark shows a table that has some.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from lab.stack.mount import Mount
from spark_jobs.battery.table import Called, Statement

CATALOG = "lake"
DELETE_BY_VALUE = "delete_by_value"
"""A method of no library: a commit of one equality delete file, with one row for each value of a column."""


class Iceberg(Protocol):
    """A table is in a folder, and has the address by which its metadata names files."""

    def run(self, folder: Path, address: str, action: Statement | Called) -> None: ...

    def rows(self, folder: Path, address: str) -> list[dict[str, Any]]:
        """All rows that it shows."""

    def files(self, folder: Path, address: str) -> list[str]:
        """The addresses of the data files that it plans."""


def is_icebergs(action: object) -> bool:
    """Whether PyIceberg does not do it."""
    return isinstance(action, Statement) or (isinstance(action, Called) and action.method == DELETE_BY_VALUE)


class InSpark:
    """All in one session, which the first of them opens. Its catalog finds tables as Hadoop's."""

    def __init__(self, java_home: Path, jars: Sequence[Path], left: ExitStack) -> None:
        self._java_home = java_home
        self._jars = jars
        self._left = left
        self._opened: Any = None

    def run(self, folder: Path, address: str, action: Statement | Called) -> None:
        spark, name = self._session(folder, address), _name(address)
        if isinstance(action, Statement):
            spark.sql(action.sql.format(table=name))
        else:
            _delete_by_value(spark, name, action.arguments)

    def rows(self, folder: Path, address: str) -> list[dict[str, Any]]:
        return [row.asDict() for row in self._session(folder, address).table(_name(address)).collect()]

    def files(self, folder: Path, address: str) -> list[str]:
        listed = self._session(folder, address).table(f"{_name(address)}.data_files").select("file_path")
        return [str(row[0]) for row in listed.collect()]

    def _session(self, folder: Path, address: str) -> Any:
        from spark_jobs.battery import session  # late: it brings PySpark, which few tables need

        if self._opened is None:
            root = address.rpartition("/")[0]
            settings = {
                "spark.kryo.registrator": "",  # it is Hudi's
                "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
                f"spark.sql.catalog.{CATALOG}": "org.apache.iceberg.spark.SparkCatalog",
                f"spark.sql.catalog.{CATALOG}.type": "hadoop",
                f"spark.sql.catalog.{CATALOG}.warehouse": root,
            }
            opened = session.opened(self._jars, self._java_home, "1g", settings, Mount(root, folder.parent))
            self._opened = self._left.enter_context(opened)
        return self._opened


@contextmanager
def in_spark(java_home: Path, jars: Sequence[Path]) -> Iterator[InSpark]:
    with ExitStack() as left:
        yield InSpark(java_home, jars, left)


def _name(address: str) -> str:
    return f"{CATALOG}.{address.rpartition('/')[2]}"


def _delete_by_value(spark: Any, name: str, values: Mapping[str, Sequence[Any]]) -> None:
    """Rows with one of these values of the column, in files of earlier commits."""
    [(column, several)] = values.items()
    jvm = spark._jvm
    iceberg = jvm.org.apache.iceberg
    table = iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, name)
    only = table.schema().select([column])
    ids = spark.sparkContext._gateway.new_array(jvm.int, 1)
    ids[0] = table.schema().findField(column).fieldId()
    place = table.io().newOutputFile(table.locationProvider().newDataLocation(f"00000-{column}-deletes.parquet"))
    writer = iceberg.data.GenericAppenderFactory(table.schema(), table.spec(), ids, only, None).newEqDeleteWriter(
        iceberg.encryption.EncryptedFiles.plainAsEncryptedOutput(place), iceberg.FileFormat.PARQUET, None
    )
    for value in several:
        record = iceberg.data.GenericRecord.create(only)
        record.setField(column, value)
        writer.write(record)
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
