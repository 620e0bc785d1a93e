"""Other readers of a table's metadata, and other decoders of a manifest.

Each reader takes the address of a metadata.json and returns what is timed.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.benchmarks.synthetic_metadata import A_MANIFEST, listed
from xtable_audit.formats.iceberg.avro import InflatedPart, decoded, inflated_parts, long
from xtable_audit.model.limits import LIMITS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lab.engines.trino.client import Client
    from lab.engines.trino.reader import TrinoTables

HEAP = "6g"
"""Of Spark's JVM, in which Iceberg's own Java planner runs, too."""
CORES = 2
NO_FILE = "id = -1"
"""A predicate that the bounds of every file exclude."""
MAPS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")


def datafusion(location: str) -> Callable[[], object]:
    """Manifests as they are, neither checked nor typed nor by column."""
    from datafusion import SessionContext

    paths = sorted(str(path) for path in _folder(location).glob("metadata/*-m0.avro"))
    return lambda: [list(SessionContext().read_avro(path).execute_stream()) for path in paths]


def duckdb_scan(location: str) -> Callable[[], object]:
    return _duckdb(f"select * from iceberg_scan('{location}') where {NO_FILE}")


def duckdb_statistics(location: str) -> Callable[[], object]:
    return _duckdb(f"select * from iceberg_column_stats('{location}')")


def _duckdb(query: str) -> Callable[[], object]:
    import duckdb

    from xtable_audit.readers.duckdb_reader import EXTENSIONS, extension_file

    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for extension in EXTENSIONS:
        connection.load_extension(str(extension_file(extension)))
    return lambda: connection.execute(query).fetch_arrow_table()


def clickhouse_scan(location: str) -> Callable[[], object]:
    import chdb

    from xtable_audit.readers.clickhouse_reader import SETTINGS

    os.chdir("/")  # it reads files below the working directory alone
    connection = chdb.connect(":memory:")  # type: ignore[no-untyped-call]
    file = f"SETTINGS iceberg_metadata_file_path = 'metadata/{location.rpartition('/')[2]}'"
    query = f"SELECT count(), sum(customer) FROM icebergLocal('{_folder(location)}/', {file}) WHERE {NO_FILE}"
    return lambda: connection.query(f"{query} SETTINGS {SETTINGS}", "JSONCompact")


def pyiceberg_plan(location: str) -> Callable[[], object]:
    from pyiceberg.manifest import clear_manifest_cache
    from pyiceberg.table import StaticTable

    def plan() -> object:
        clear_manifest_cache()
        return list(StaticTable.from_metadata(location).scan().plan_files())

    return plan


def pyiceberg_files(location: str) -> Callable[[], object]:
    from pyiceberg.table import StaticTable

    return lambda: StaticTable.from_metadata(location).inspect.files()


def iceberg_java_plan(location: str) -> Callable[[], object]:
    """Iceberg's own planner with the metrics of every column."""
    jvm: Any = _spark().sparkContext._jvm
    hadoop = _spark().sparkContext._jsc.hadoopConfiguration()

    def plan() -> object:
        table = jvm.org.apache.iceberg.hadoop.HadoopTables(hadoop).load(location)
        tasks = table.newScan().includeColumnStats().planFiles()
        try:
            return jvm.org.apache.iceberg.relocated.com.google.common.collect.Iterables.size(tasks)
        finally:
            tasks.close()

    return plan


def spark_files(location: str) -> Callable[[], object]:
    """Every column of the metadata table, into a sink that keeps nothing."""
    reader = _spark().read.format("iceberg")
    return lambda: reader.load(f"{location}#files").write.format("noop").mode("overwrite").save()


def trino_files(location: str) -> Callable[[], object]:
    """Every metric of `$files`, into one row."""
    client, tables = _trino()
    name = tables.at(location).name
    catalog, schema, table = name.split(".")
    sums = ", ".join(f"checksum({column})" for column in ("file_path", "record_count", *MAPS))
    return lambda: client.run(f'SELECT {sums} FROM {catalog}.{schema}."{table}$files"')


@cache
def _spark() -> SparkSession:
    from lab.engines.spark.reader import SETTINGS
    from lab.stack import spark
    from lab.stack.jars import resolve_spark_jars
    from lab.stack.java import find_java
    from lab.stack.versions import stack

    settings = spark.settings(HEAP, tempfile.mkdtemp()) | SETTINGS
    return spark.start("metadata", resolve_spark_jars(stack()), find_java(stack().java), CORES, settings)


@cache
def _trino() -> tuple[Client, TrinoTables]:
    """It ends with this process."""
    from lab.engines.trino.client import Client, FileCatalogs, TrinoHandle
    from lab.engines.trino.reader import TrinoTables
    from lab.engines.trino.started import start_process
    from lab.stack.cache import Cache
    from lab.stack.versions import trino
    from lab.store.address import Workspace

    folder = Path(tempfile.mkdtemp())
    running = start_process(trino(), folder, Cache(), lambda _: None)
    catalogs = FileCatalogs(f"local://{folder}/metastore", "/")
    client = Client(running.server)
    nowhere = Workspace(None, "none", "none")
    return client, TrinoTables(client, TrinoHandle(running.server, running.version, catalogs, "bench_"), nowhere)


def _folder(location: str) -> Path:
    return Path(location.removeprefix("file://")).parent.parent


# Other decoders of a manifest.

TIMES = 3
"""Runs of each, of which the fastest counts."""


def decoders(scale: float) -> Iterator[str]:
    """What decodes the Avro of a manifest, beside DataFusion. Libraries that are not installed are left out.

    One manifest of Iceberg's default size, whatever the scale.
    """
    with tempfile.TemporaryDirectory() as folder:
        listed(Path(folder), A_MANIFEST)
        [manifest] = Path(folder).glob("metadata/*-m0.avro")
        parts = list(inflated_parts(manifest.read_bytes(), LIMITS))
        plain = Path(folder) / "plain.avro"
        plain.write_bytes(_file(parts))
        of_each = {"datafusion": lambda: [decoded(part) for part in parts], **_others(plain, manifest)}
        seconds = {name: _least(decode) for name, decode in of_each.items() if find_spec(name)}
    yield f"{sum(part.records for part in parts):,} entries, {len(parts)} parts"
    for name, taken in seconds.items():
        yield f"{name:<16} {taken:6.2f} s   {taken / seconds['datafusion']:5.1f} times"


def _others(plain: Path, manifest: Path) -> Mapping[str, Callable[[], object]]:
    """Each by the name of its module. `pyiceberg` and `pyiceberg_core` inflate the manifest themselves."""
    content, raw = plain.read_bytes(), manifest.read_bytes()
    return {
        "polars": lambda: import_module("polars").read_avro(BytesIO(content)).to_arrow(),
        "polars_avro": lambda: import_module("polars_avro").read_avro(str(plain)).to_arrow(),
        "rugo": lambda: list(import_module("rugo.avro").read_avro(content, max_threads=1).__enter__()),
        "duckdb": lambda: _avro_by_duckdb(plain),
        "pyiceberg": lambda: _avro_by_pyiceberg(manifest),
        "fastavro": lambda: list(import_module("fastavro").reader(BytesIO(content))),
        "pyiceberg_core": lambda: list(import_module("pyiceberg_core.manifest").read_manifest_entries(raw).entries()),
        "cavro": lambda: list(import_module("cavro").ContainerReader(BytesIO(content))),
    }


def _avro_by_duckdb(plain: Path) -> object:
    from xtable_audit.readers.duckdb_reader import extension_file

    connection = import_module("duckdb").connect(config={"threads": 1})
    connection.load_extension(str(extension_file("avro")))
    return connection.execute(f"SELECT * FROM read_avro('{plain}')").to_arrow_table()


def _avro_by_pyiceberg(manifest: Path) -> object:
    from pyiceberg.avro.file import AvroFile
    from pyiceberg.io.pyarrow import PyArrowFileIO
    from pyiceberg.typedef import Record

    with AvroFile[Record](PyArrowFileIO().new_input(f"file://{manifest}")) as entries:
        return list(entries)


def _file(parts: list[InflatedPart]) -> bytes:
    """The file that DataFusion gets in parts, without a codec, as one."""
    written = [parts[0].header]
    for part in parts:
        content = b"".join(part.blocks)
        written += [long(part.records), long(len(content)), content, part.sync]
    return b"".join(written)


def _least(decode: Callable[[], object]) -> float:
    def once() -> float:
        started = time.process_time()
        decode()
        return time.process_time() - started

    return min(once() for _ in range(TIMES))
