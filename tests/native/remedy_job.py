"""`python -m tests.native.remedy_job FOLDER --statements FILE`: Spark runs statements on tables that are there.

FOLDER is a mirror of the bucket that `spark_job` wrote. Prints one line of JSON a table: its name, and its
metadata.json afterwards or why a statement failed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lab.stack.mount import Mount
from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import session
from spark_jobs.job import only_ours
from tests.audit.mirror import Mirror
from tests.native.spark_job import CATALOG, loaded, settings


def main() -> None:
    child.die_with_parent()
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--statements", type=Path)
    parser.add_argument("--jars", type=paths)
    parser.add_argument("--java-home", type=Path)
    wanted = parser.parse_args()
    statements: dict[str, list[str]] = json.loads(wanted.statements.read_text(encoding="utf-8"))
    stdout = only_ours()
    mirror = Mirror(wanted.folder.absolute())
    mount = Mount(mirror.uri(CATALOG), mirror.file(mirror.uri(CATALOG)))
    with session.opened(wanted.jars, wanted.java_home, "1g", settings(mount.root), mount) as spark:
        for name, those in statements.items():
            stdout.write(json.dumps({"name": name, **_ran(spark, name, those)}) + "\n")
            stdout.flush()


def _ran(spark: SparkSession, name: str, statements: list[str]) -> dict[str, str]:
    try:
        for statement in statements:
            spark.sql(statement).collect()
        table = loaded(spark, f"{CATALOG}.tables.{name}")
        return {"location": str(table.operations().current().metadataFileLocation())}
    except (Py4JJavaError, PySparkException) as error:
        print(error, file=sys.stderr)
        return {"failed": str(error).splitlines()[0][:300]}


if __name__ == "__main__":
    main()
