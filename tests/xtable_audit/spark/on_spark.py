"""`python -m tests.xtable_audit.spark.on_spark MASTER FOLDER [TABLE …]`: Spark measures data files, in two ways.

By Spark's scanner, whose results are compared with this machine's; and by Spark's own SQL, whose metrics are compared
with the judge's. It prints as JSON how they compare, and what is found once a metric of the judge's is spoilt. It is a
process of its own, since one process has one Spark session.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tests.xtable_audit.spark.recorded_tables import Mirror, counted, last_syncs, looked_up, measured, mirrored, table
from tests.xtable_audit.spark.second_opinion import Comparison, Said, Where, spoilt
from xtable_audit.packs import Packing
from xtable_audit.scan import LocalScanner
from xtable_audit.spark.scanner import SparkScanner, session
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import COLUMN
from xtable_audit.values.parquet import FileSchema, Place, locate_all

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession
    from pyspark.sql.types import DataType

SETTINGS = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",  # Hudi's files do not say which calendar is theirs
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.codegen.wholeStage": "false",  # each of many small queries would be compiled
}


@dataclass(frozen=True)
class Files:
    """What the judge measured. Spark reads each file by a link in `folder`: it makes columns of the names of folders,
    and where such a column is in the file too, it takes the name's value.
    """

    folder: Path
    judge: dict[Where, Said] = field(default_factory=dict)
    places: dict[pa.Schema, dict[str, dict[str, Place]]] = field(default_factory=dict)
    """Where each column is in a file, by the file's schema and the name of its link."""

    def add(self, mirror: Mirror, stored: StoredMetrics) -> None:
        """The files of a table that the judge reads, and the columns that they hold."""
        rows = measured(LocalScanner(mirror.objects()), mirror, stored)
        for row in (rows.slice(place, 1) for place in range(rows.num_rows)):
            if row["record_count"][0].as_py() is None:
                continue
            schema = pa.ipc.read_schema(pa.py_buffer(row["schema"][0].as_py()))
            held = locate_all(FileSchema.of(schema, stored.data_files.mapping), [leaf.column for leaf in stored.leaves])
            alike = self.places.setdefault(schema, {})
            link = self.folder / f"{self.number}.parquet"
            link.symlink_to(mirror.folder / mirror.objects().path(row["path"][0].as_py()))
            alike[link.name] = held
            self.judge.update({(link.name, path): _said(row[f"{COLUMN}{path}"][0]) for path in held})

    @property
    def number(self) -> int:
        return sum(map(len, self.places.values()))

    def by_spark(self, spark: SparkSession) -> dict[Where, Said]:
        return {where: said for alike in self.places.values() for where, said in _asked(spark, self.folder, alike)}


def _said(cell: pa.StructScalar) -> Said:
    counts = [cell[name].as_py() for name in ("value_count", "null_count", "nan_count")]
    return Said(_number(cell["min"]), _number(cell["max"]), counts[0], counts[0] - counts[1], counts[2])


def _number(value: pa.Scalar) -> Any:
    """Python has neither every year nor every time zone of these."""
    if pa.types.is_timestamp(value.type):
        value = value.cast(pa.timestamp("us", value.type.tz)).cast(pa.int64())
    elif pa.types.is_date(value.type):
        value = value.cast(pa.int32())
    return value.as_py()


def _asked(spark: SparkSession, folder: Path, alike: Mapping[str, Mapping[str, Place]]) -> Iterator[tuple[Where, Said]]:
    """Of files with one schema."""
    from pyspark.sql import functions as sql
    from pyspark.sql.types import DoubleType, FloatType

    rows = spark.read.parquet(*(str(folder / name) for name in alike))
    every = sorted({place for held in alike.values() for place in held.values()})
    asked = [sql.count("*")]
    for place in every:
        column = rows[".".join(f"`{name.replace('`', '``')}`" for name in place)]
        kind = rows.select(column).schema[0].dataType
        nan = sql.count_if(sql.isnan(column)) if isinstance(kind, DoubleType | FloatType) else sql.lit(0)
        asked += [_in_numbers(sql.min(column), kind), _in_numbers(sql.max(column), kind), sql.count(column), nan]
    named = [one.alias(f"a{number}") for number, one in enumerate(asked)]
    for file, count, *told in rows.groupBy("_metadata.file_path").agg(*named).collect():
        name = file.rpartition("/")[2]
        of = dict(zip(every, zip(*[iter(told)] * 4, strict=True), strict=True))
        for path, place in alike[name].items():
            least, greatest, present, nan_count = of[place]
            yield (name, path), Said(_plain(least), _plain(greatest), count, present, nan_count)


def _in_numbers(column: Column, kind: DataType) -> Column:
    from pyspark.sql import functions as sql
    from pyspark.sql.types import DateType, TimestampNTZType, TimestampType

    if isinstance(kind, TimestampType | TimestampNTZType):
        return sql.unix_micros(column.cast("timestamp"))
    return sql.unix_date(column) if isinstance(kind, DateType) else column


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def by_scanner(spark: SparkSession, mirror: Mirror, names: Iterable[str]) -> dict[str, Any]:
    """How many results of Spark's scanner are as the local ones, and which are not."""
    alike, differing = 0, []
    for name in names:
        stored = table(mirror, name)
        sizes = dict(zip(stored.paths, stored.files["size"].to_pylist(), strict=True))
        small = Packing(files=3)  # so that small tables are of several tasks
        remote, local = SparkScanner(mirror, sizes, spark, small), LocalScanner(mirror.objects())
        for result in (looked_up, measured, counted):
            if result(remote, mirror, stored).equals(result(local, mirror, stored)):
                alike += 1
            else:
                differing.append(f"{name}: {result.__name__}")
    return {"alike": alike, "differing": differing}


def by_sql(spark: SparkSession, files: Files) -> dict[str, Any]:
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    theirs = files.by_spark(spark)
    found = Comparison.of(files.judge, theirs)
    return {
        "files": files.number,
        "columns": len(files.judge),
        "explained": found.explained,
        "otherwise": found.otherwise,
        "found spoilt": [
            metric.name
            for metric in fields(Said)
            for where, judge in [spoilt(files.judge, metric.name)]
            if Comparison.of(judge, theirs).otherwise == [where]
        ],
    }


def main(master: str, folder: str, *names: str) -> None:
    """Compares the named tables, or all."""
    mirror, files = mirrored(Path(folder) / "mirror"), Files(Path(folder) / "links")
    files.folder.mkdir()
    tables = names or tuple(last_syncs())
    for name in tables:
        files.add(mirror, table(mirror, name))
    spark = session(master)
    told = {"scanner": by_scanner(spark, mirror, tables), "sql": by_sql(spark, files)}
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
