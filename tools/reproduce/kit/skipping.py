"""What Hudi's own indexes store of a table, its actual values beside them, and its own reader's answers.

Leaves a folder for each event of the table's history, stages/1, stages/2, …, and answers.json.
"""

import json
import re
import shutil
from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from history import Table  # type: ignore[import-not-found]
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DecimalType
from synced import HERE  # type: ignore[import-not-found]

STAGES = HERE / "stages"
KINDS = {3: "column_stats", 6: "partition_stats"}
"""Hudi's numbers of the partitions of its metadata table (MetadataPartitionType) that hold bounds."""
BOUND = re.compile(r'\{"member\d+":\{"\w+":(.*)\}\}', re.DOTALL)
OFF = {"hoodie.enable.data.skipping": "false", "hoodie.metadata.enable": "true"}
ON = {"hoodie.enable.data.skipping": "true", "hoodie.metadata.enable": "true"}
PLAIN = {"hoodie.enable.data.skipping": "false", "hoodie.metadata.enable": "false"}


class Index:
    """The indexes of one table, over its history."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept = 0
        shutil.rmtree(STAGES, ignore_errors=True)

    def keep(self, words: str) -> None:
        """Keeps the rows, the live base files and the records of the indexes as they are after this event."""
        self._kept += 1
        table, stage = self._table, STAGES / str(self._kept)
        rows = shown(table)
        rows.coalesce(1).write.option("compression", "none").parquet((stage / "rows").as_uri())
        facts = {
            "words": words,
            "hudi": version(table),
            "live": sorted(path.partition(f"{table.folder}/")[2] for path in rows.inputFiles()),
            "logs": any(".log." in path.name for path in table.folder.rglob("*") if ".hoodie" not in path.parts),
            "indexes": indexes(table.folder),
            "records": records(table),
        }
        (stage / "index.json").write_text(json.dumps(facts, indent=1))

    def ask(self, *predicates: str) -> None:
        """The rows that Hudi's own reader finds, with data skipping off and on, or the words of its refusal.

        `on` runs in failure mode strict: an index that fails must not look like one that skips nothing. After a refusal
        `tolerant` has the answer in the default mode.
        """
        answers: list[dict[str, int | str]] = []
        for predicate in predicates:
            failure_mode(self._table, "strict")
            off, on = counted(self._table, OFF, predicate), counted(self._table, ON, predicate)
            answers.append({"predicate": predicate, "off": off, "on": on})
            if isinstance(on, str):
                failure_mode(self._table, "fallback")
                answers[-1]["tolerant"] = counted(self._table, ON, predicate)
        (HERE / "answers.json").write_text(json.dumps(answers, indent=1))


def shown(table: Table) -> DataFrame:
    """The rows as Hudi reads them without any index."""
    spark: SparkSession = table.spark
    return spark.read.format("hudi").options(**PLAIN).load(table.address)


def failure_mode(table: Table, mode: str) -> None:
    table.spark.conf.set("hoodie.fileIndex.dataSkippingFailureMode", mode)


def version(table: Table) -> str:
    thread = table.spark.sparkContext._jvm.Thread.currentThread()  # its loader knows what Spark downloaded
    found = thread.getContextClassLoader().loadClass("org.apache.hudi.DefaultSource")
    return str(found.getPackage().getImplementationVersion())


def indexes(folder: Path) -> list[str]:
    """The indexes that the table says it has."""
    lines = (folder / ".hoodie" / "hoodie.properties").read_text().splitlines()
    properties = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return sorted(filter(None, properties.get("hoodie.table.metadata.partitions", "").split(",")))


def records(table: Table) -> list[dict[str, Any]]:
    """The live records of both indexes, read from the metadata table through Hudi itself."""
    if not set(indexes(table.folder)) & set(KINDS.values()):
        return []
    metadata = table.spark.read.format("hudi").load(f"{table.address}/.hoodie/metadata")
    stored = "ColumnStatsMetadata"
    deleted = F.coalesce(F.col(f"{stored}.isDeleted"), F.lit(False))
    selected = metadata.where(F.col("type").isin(*KINDS) & ~deleted).select(
        "type",
        f"{stored}.fileName",
        f"{stored}.columnName",
        F.to_json(f"{stored}.minValue").alias("lower"),
        F.to_json(f"{stored}.maxValue").alias("upper"),
        f"{stored}.nullCount",
        f"{stored}.valueCount",
        f"{stored}.isTightBound",
    )
    scales = decimal_scales(table)
    return [
        {
            "kind": KINDS[row["type"]],
            "of": row["fileName"],
            "column": row["columnName"],
            "lower": bound(row["lower"], scales.get(row["columnName"])),
            "upper": bound(row["upper"], scales.get(row["columnName"])),
            "nulls": row["nullCount"],
            "values": row["valueCount"],
            "tight": row["isTightBound"],
        }
        for row in selected.collect()
    ]


def decimal_scales(table: Table) -> dict[str, int]:
    fields = [(field.name, field.dataType) for field in shown(table).schema.fields]
    return {name: kind.scale for name, kind in fields if isinstance(kind, DecimalType)}


def bound(union: str | None, scale: int | None) -> str | None:
    """The JSON of the one member of Hudi's union that is set, None where none is; decimals as numbers."""
    found = BOUND.fullmatch(union or "")
    if not found:
        return None
    value = found[1]
    if scale is None or not value.startswith('"'):
        return value
    return str(Decimal(int.from_bytes(b64decode(json.loads(value)), signed=True)).scaleb(-scale))


def counted(table: Table, options: Mapping[str, str], predicate: str) -> int | str:
    try:
        found = table.spark.read.format("hudi").options(**options).load(table.address).where(predicate)
        return len(found.select("_hoodie_record_key").collect())
    except Exception as error:  # noqa: BLE001 - its words are the answer
        return innermost(error)


def innermost(error: Exception) -> str:
    """The innermost cause of a Java exception, else the exception's own first line."""
    thrown = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if thrown is None:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    while thrown.getCause() is not None:
        thrown = thrown.getCause()
    return str(thrown.toString()).splitlines()[0]
