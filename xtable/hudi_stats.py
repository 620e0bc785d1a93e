"""What Hudi itself answers of a table's base files, in the JVM that translates: from where XTable would take it.

That is decided as XTable's HudiFileStatsExtractor does: by the column statistics of the metadata table, where that is
enabled and has them, else by `ParquetUtils`, footer by footer. A column that the index does not hold is read from the
footer, which every release of XTable could do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError

from lab.store.tables import Tables
from xtable.jvm import Jvm
from xtable.settings import hadoop_settings
from xtable_audit.model.malformed import first_line

Answers = dict[str, Any]
"""As `xtable_audit.blame.source_stats` reads it."""


def read(jvm: Jvm, tables: Tables | None, location: str, files: Mapping[str, Sequence[str]]) -> Answers:
    """Of each base file (path below the table) its rows and these columns; the words of what Hudi throws instead.

    Raises Py4JJavaError where it cannot open the table.
    """
    hudi = _Hudi(jvm, tables, location)
    answers: Answers = {"teller": "hudi", "files": {}, "failures": {}}
    indexed = hudi.indexed(files)
    for path, columns in files.items():
        try:
            found = hudi.in_footer(path, columns) | indexed.get(path, {})
            answers["files"][path] = {"rows": hudi.rows(path), "columns": found}
        except Py4JJavaError as error:
            answers["failures"][path] = first_line(RuntimeError(error.java_exception.toString()))
    return answers


class _Hudi:
    def __init__(self, jvm: Jvm, tables: Tables | None, location: str) -> None:
        self._java = jvm.java
        self._hudi = jvm.java.org.apache.hudi
        self._location = location
        self._configuration = jvm.java.org.apache.hadoop.conf.Configuration()
        for setting, value in hadoop_settings(tables).items():
            self._configuration.set(setting, value)
        client = self._hudi.common.table.HoodieTableMetaClient.builder()
        self._table = client.setConf(self._configuration).setBasePath(location).build().getTableConfig()
        self._footers = self._hudi.common.util.ParquetUtils()

    def rows(self, path: str) -> int:
        return int(self._footers.getRowCount(self._configuration, self._path(path)))

    def in_footer(self, path: str, columns: Sequence[str]) -> Answers:
        ranges = self._footers.readRangeFromParquetMetadata(self._configuration, self._path(path), list(columns))
        return {one.getColumnName(): _statistics(one, one.getMinValue(), one.getMaxValue()) for one in ranges}

    def indexed(self, files: Mapping[str, Sequence[str]]) -> dict[str, Answers]:
        """By file and column what the column statistics hold; nothing where XTable would not ask them."""
        statistics = self._hudi.metadata.MetadataPartitionType.COLUMN_STATS
        if not (self._table.isMetadataTableAvailable() and self._table.isMetadataPartitionAvailable(statistics)):
            return {}
        enabled = self._hudi.common.config.HoodieMetadataConfig.newBuilder().enable(True).build()
        context = self._hudi.common.engine.HoodieLocalEngineContext(self._configuration)
        index = self._hudi.metadata.HoodieTableMetadata.create(context, enabled, self._location, True)
        unwrapped = self._hudi.avro.HoodieAvroUtils.unwrapAvroValueWrapper
        pair = self._hudi.common.util.collection.Pair
        pairs = {path: pair.of(path.rpartition("/")[0], path.rpartition("/")[2]) for path in files}
        found: dict[str, Answers] = {path: {} for path in files}
        for column in dict.fromkeys(column for columns in files.values() for column in columns):
            by_file = index.getColumnStats(list(pairs.values()), column)
            for path, key in pairs.items():
                one = by_file.get(key)
                if one is not None:
                    found[path][column] = _statistics(one, unwrapped(one.getMinValue()), unwrapped(one.getMaxValue()))
        return found

    def _path(self, path: str) -> Any:
        return self._java.org.apache.hadoop.fs.Path(f"{self._location}/{path}")


def _statistics(one: Any, low: Any, high: Any) -> Answers:
    return {"min": _text(low), "max": _text(high), "nulls": one.getNullCount(), "values": one.getValueCount()}


def _text(value: Any) -> Any:
    """A value as Java writes it, bytes as hexadecimal digits."""
    match value:
        case None:
            return None
        case bytes() | bytearray():
            return {"bytes": value.hex()}
        case JavaObject() if value.getClass().getName().endswith("ByteBuffer"):
            start = value.arrayOffset() + value.position()
            return _text(bytes(value.array())[start : start + value.remaining()])
        case JavaObject() if "parquet.io.api.Binary" in value.getClass().getName():
            return _text(bytes(value.getBytes()))
        case JavaObject():
            return value.toString()
    return str(value)
