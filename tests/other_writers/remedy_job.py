"""`python -m tests.other_writers.remedy_job FOLDER --statements FILE`: Spark runs statements on tables that are there.

FOLDER is a mirror of the bucket that `spark_job` wrote. Prints one line of JSON a table: its name, and its
metadata.json afterwards or why a statement failed. `mended` has a process do so on a copy.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.mount import Mount
from lab.stack.versions import stack
from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import session
from spark_jobs.job import only_ours
from spark_jobs.launch import output_of
from tests.other_writers.spark_job import CATALOG, loaded, settings
from tests.tables.mirror import Mirror

JOB = "tests.other_writers.remedy_job"
SECONDS = 600.0


@dataclass(frozen=True)
class Lake:
    """Tables as they are now, for `tests.kept`: one with the same files is the same, wherever it is."""

    root: Path = field(repr=False)
    digest: str

    @classmethod
    def at(cls, root: Path) -> Lake:
        found = hashlib.sha256()
        for file in sorted(path for path in root.rglob("*") if path.is_file()):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            found.update(f"{file.relative_to(root).as_posix()} {content}\n".encode())
        return cls(root, found.hexdigest())


def mended(folder: Path, lake: Lake, statements: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """Runs the statements on a copy of the lake in the new folder. By table, what is printed of it."""
    shutil.copytree(lake.root, folder)
    given = folder.with_suffix(".json")
    given.write_text(json.dumps(statements), encoding="utf-8")
    command = [sys.executable, "-m", JOB, str(folder), "--statements", str(given)]
    command += ["--jars", ",".join(map(str, resolve_spark_jars(stack()))), "--java-home", str(find_java(stack().java))]
    printed = output_of(command, "Iceberg's procedures", log=folder.with_suffix(".log"), timeout=SECONDS)
    told: list[dict[str, Any]] = [*map(json.loads, printed.decode().splitlines())]
    return {one["name"]: one for one in told}


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
