"""XTF-043: A fresh JVM cannot sync over a clean or a rollback: Recursive update

A cleaner's work, met by a JVM that has translated nothing before: what it loads first decides.

Writes the table step by step with Spark and has XTable sync it where a step says so. Leaves what Spark itself reads of
the table at the end (source.json), and how each sync went (syncs.json, sync.log).
"""

import json
import os
import shutil
import subprocess
import sys
from functools import reduce
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path("/tmp/xtable-reproduce/history_fresh_jvm")
TABLE = FOLDER.as_uri()
FORMAT, PARTITION_BY, SPEC = "HUDI", ['part'], 'part:VALUE'
PACKAGES = 'org.apache.hudi:hudi-spark3.5-bundle_2.12:0.15.0'
OPTIONS = {
    'hoodie.datasource.write.table.type': 'COPY_ON_WRITE',
    'hoodie.datasource.write.recordkey.field': 'record_key',
    'hoodie.datasource.write.hive_style_partitioning': 'true',
    'hoodie.parquet.outputtimestamptype': 'TIMESTAMP_MICROS',
    'hoodie.parquet.compression.codec': 'uncompressed',
    'hoodie.metadata.enable': 'false',
    'hoodie.bulkinsert.sort.mode': 'NONE',
    'hoodie.parquet.small.file.limit': '0',
    'hoodie.combine.before.upsert': 'false',
    'hoodie.datasource.write.payload.class': 'org.apache.hudi.common.model.OverwriteWithLatestAvroPayload',
    'hoodie.bulkinsert.shuffle.parallelism': '1',
    'hoodie.insert.shuffle.parallelism': '1',
    'hoodie.upsert.shuffle.parallelism': '1',
    'hoodie.delete.shuffle.parallelism': '1',
    'hoodie.simple.index.parallelism': '1',
    'hoodie.index.type': 'SIMPLE',
    'hoodie.file.listing.parallelism': '1',
    'hoodie.finalize.write.parallelism': '1',
    'hoodie.rollback.parallelism': '1',
    'hoodie.markers.delete.parallelism': '1',
    'hoodie.embed.timeline.server': 'false',
    'hoodie.write.markers.type': 'DIRECT',
    'hoodie.clean.automatic': 'false',
    'hoodie.archive.automatic': 'false',
    'hoodie.index.bloom.num_entries': '10',
    'hoodie.index.bloom.fpp': '0.1',
    'hoodie.bloom.index.filter.type': 'SIMPLE',
    'hoodie.table.name': 'history_fresh_jvm',
    'hoodie.datasource.write.partitionpath.field': 'part',
    'hoodie.datasource.write.keygenerator.class': 'org.apache.hudi.keygen.SimpleKeyGenerator',
    'hoodie.cleaner.policy': 'KEEP_LATEST_FILE_VERSIONS',
    'hoodie.cleaner.fileversions.retained': '1',
}
SESSION = {
    'spark.sql.shuffle.partitions': '1',
    'spark.default.parallelism': '1',
    'spark.sql.files.openCostInBytes': '134217728',
    'spark.sql.files.maxPartitionBytes': '134217728',
    'spark.sql.parquet.datetimeRebaseModeInRead': 'CORRECTED',
    'spark.sql.parquet.datetimeRebaseModeInWrite': 'CORRECTED',
    'spark.sql.parquet.int96RebaseModeInRead': 'CORRECTED',
    'spark.sql.parquet.int96RebaseModeInWrite': 'CORRECTED',
    'spark.sql.avro.datetimeRebaseModeInRead': 'CORRECTED',
    'spark.sql.avro.datetimeRebaseModeInWrite': 'CORRECTED',
    'spark.sql.parquet.enableVectorizedReader': 'false',
    'spark.sql.parquet.outputTimestampType': 'TIMESTAMP_MICROS',
    'spark.sql.codegen.wholeStage': 'false',
    'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
}

if jars := os.environ.get("SPARK_JARS"):  # files, separated by colons, in place of downloads
    os.environ["SPARK_DIST_CLASSPATH"] = jars
else:
    SESSION["spark.jars.packages"] = PACKAGES
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

from pyspark.sql import DataFrame, SparkSession  # noqa: E402

builder = SparkSession.builder.master("local[2]").appName("reproduce")
for setting, value in {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.showConsoleProgress": "false",
    # Hudi sizes its maps by a library that starts two more JVMs to look at this one: seconds, for an estimate.
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -Djol.skipHotspotSAAttach=true",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar" if FORMAT == "HUDI" else "",
    **SESSION,
}.items():
    builder = builder.config(setting, value)
instants: list[str] = []
syncs: list[dict[str, object]] = []


def write(operation: str, schema: str, files: list[list[str]], options: dict[str, str]) -> None:
    """One commit: each list of rows is a Spark task, and so a data file."""
    names = ", ".join(f"CAST(col{n} AS {kind}) AS {name}" for n, (name, kind) in enumerate(columns(schema), start=1))
    frames = [spark.sql(f"SELECT {names} FROM VALUES {', '.join(rows)}").coalesce(1) for rows in files]
    frame = reduce(DataFrame.union, frames)
    if FORMAT == "DELTA":
        writer = frame.write.format("delta").options(**OPTIONS, **options).mode(operation)
        (writer.partitionBy(*PARTITION_BY) if PARTITION_BY else writer).save(TABLE)
    else:
        how = OPTIONS | options | {"hoodie.datasource.write.operation": operation}
        frame.write.format("hudi").options(**how).mode("append" if FOLDER.exists() else "overwrite").save(TABLE)


def columns(schema: str) -> list[tuple[str, str]]:
    """Name and type of each column of a schema in SQL."""
    fields = spark.createDataFrame([], schema).schema.fields
    return [("`" + field.name.replace("`", "``") + "`", field.dataType.simpleString()) for field in fields]


def statement(sql: str) -> None:
    spark.sql(sql.format(table=f"delta.`{TABLE}`")).collect()


def service(task: str, of: int, options: dict[str, str]) -> None:
    """A table service by Hudi's own write client, as its command line runs it. `of`: the step that it is about."""
    jvm = spark.sparkContext._jvm
    hudi, nothing = jvm.org.apache.hudi, jvm.org.apache.hudi.common.util.Option.empty()
    properties = jvm.java.util.Properties()
    for name, value in (OPTIONS | options).items():
        properties.setProperty(name, value)
    storage = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(spark.sparkContext._jsc.hadoopConfiguration())
    meta = hudi.common.table.HoodieTableMetaClient.builder().setConf(storage).setBasePath(TABLE).build()
    resolver = hudi.common.table.TableSchemaResolver(meta)
    schema = getattr(resolver, "getTableSchema" if "getTableSchema" in dir(resolver) else "getTableAvroSchema")(False)
    config = hudi.config.HoodieWriteConfig.newBuilder().withPath(TABLE).withProperties(properties)
    config = config.withSchema(schema.toString()).build()
    context = hudi.client.common.HoodieSparkEngineContext(spark.sparkContext._jsc)
    client = hudi.client.SparkRDDWriteClient(context, config)
    match task:
        case "rollback":
            client.rollback(instants[of - 1])
        case "savepoint":
            client.savepoint(instants[of - 1], "reproduce", "a point to go back to")
        case "restore":
            client.restoreToSavepoint(instants[of - 1])
        case "clean":
            client.clean()
        case "compact":
            client.compact(client.scheduleCompaction(nothing).get())
        case "cluster":
            client.cluster(client.scheduleClustering(nothing).get())
        case _:
            raise ValueError(f"no service {task}")
    client.close()


def source_rows() -> int | None:
    """The rows that Spark reads of the source; None if it cannot read it."""
    try:
        return spark.read.format(FORMAT.lower()).load(TABLE).count()
    except Exception:  # noqa: BLE001 - some tables are not readable by their own engine: nothing to compare then
        return None


def completed() -> set[str]:
    """The times of the instants on the table's timeline that have completed."""
    return {
        path.name.partition(".")[0]
        for path in (FOLDER / ".hoodie").glob("*.*")
        if path.suffix in (".commit", ".deltacommit", ".replacecommit", ".clean", ".rollback", ".restore", ".savepoint")
    }


def sync(in_flight: tuple[int, ...] = ()) -> None:
    """XTable syncs the table, in a JVM of its own. Steps in flight have not completed yet when it does."""
    hidden = [path for n in in_flight for path in (FOLDER / ".hoodie").glob(f"{instants[n - 1]}.*commit")]
    for path in hidden:
        path.rename(HERE / path.name)
    with (HERE / "sync.log").open("a") as log:
        command = [HERE.parent / "sync.sh", FORMAT, TABLE, "history_fresh_jvm", SPEC]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=HERE, check=False)
    rows = source_rows()
    for path in hidden:
        (HERE / path.name).rename(path)
    metadata = sorted((FOLDER / "metadata").glob("*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
    syncs.append({"exit": done.returncode, "metadata": str(metadata[-1]) if metadata else None, "rows": rows})
    (HERE / "syncs.json").write_text(json.dumps(syncs, indent=1))


def step_1() -> None:
    """three rows in a, two in b"""
    write(
        'bulk_insert',
        '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
        [
            # a data file
            [
                "('a1', 'a', 10, 's010')",
                "('a2', 'a', 11, 's011')",
                "('a3', 'a', 12, 's012')",
            ],
            # a data file
            [
                "('b1', 'b', 20, 's020')",
                "('b2', 'b', 21, 's021')",
            ],
        ],
        {},
    )
    sync()


def step_2() -> None:
    """upsert a3 in a"""
    write(
        'upsert',
        '`record_key` STRING, `part` STRING, `i` INT, `s` STRING',
        [
            # a data file
            [
                "('a3', 'a', 50, 's050')",
            ],
        ],
        {},
    )
    sync()


def step_3() -> None:
    """clean"""
    service('clean', 0, {})
    sync()


shutil.rmtree(FOLDER, ignore_errors=True)
for left in ("sync.log", "syncs.json", "source.json"):
    (HERE / left).unlink(missing_ok=True)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
for number in range(1, 3 + 1):
    before = completed()
    globals()[f"step_{number}"]()
    instants.append(max(completed() - before, default=""))
if len(syncs) == 1 and os.environ.get("XTABLE_FROM_CLASSPATH"):
    sync()  # the first one was by the release before
try:
    source = spark.read.format(FORMAT.lower()).load(TABLE)
    facts = {"rows": source.count(), "files": sorted({path.rpartition("/")[2] for path in source.inputFiles()})}
except Exception as error:  # noqa: BLE001 - some tables are not readable by their own engine: said, and not compared
    facts = {"rows": None, "files": None, "unreadable": str(error).splitlines()[0]}
(HERE / "source.json").write_text(json.dumps(facts, indent=1))
spark.stop()
sys.exit(0)
