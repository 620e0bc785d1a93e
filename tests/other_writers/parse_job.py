"""`python -m tests.other_writers.parse_job TEXTS`: what Iceberg's Java makes of metadata.json, of a JSON list of texts.

Prints a JSON list: its error, or the number of the current snapshot if it reads the text. `parse` has a process do so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import session
from spark_jobs.job import only_ours
from spark_jobs.launch import output_of

JOB = "tests.other_writers.parse_job"
SECONDS = 600.0
"""Bounds a hung job."""
LOCATION = "s3://bucket/table/metadata/v2.metadata.json"


def parse(folder: Path, texts: Sequence[str]) -> list[str | int]:
    """Of each text its error, or the number of the current snapshot. Raises Problem where Spark is not available."""
    folder.mkdir()
    asked = folder / "texts.json"
    asked.write_text(json.dumps(texts), encoding="utf-8")
    command = [sys.executable, "-m", JOB, str(asked)]
    command += ["--jars", ",".join(map(str, resolve_spark_jars(stack()))), "--java-home", str(find_java(stack().java))]
    printed = output_of(command, "what Iceberg's Java parses", log=folder / "log", timeout=SECONDS)
    return list(json.loads(printed))


def main() -> None:
    child.die_with_parent()
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", type=Path)
    parser.add_argument("--jars", type=paths)
    parser.add_argument("--java-home", type=Path)
    wanted = parser.parse_args()
    stdout = only_ours()
    with session.opened(wanted.jars, wanted.java_home, "1g", {}) as spark:
        said = [parsed(spark.sparkContext._jvm, text) for text in json.loads(wanted.texts.read_text(encoding="utf-8"))]
    stdout.write(json.dumps(said))


def parsed(jvm: Any, text: str) -> str | int:
    try:
        metadata = jvm.org.apache.iceberg.TableMetadataParser.fromJson(LOCATION, text)
        return int(metadata.currentSnapshot().snapshotId())
    except CapturedException as error:
        return str(error.desc)
    except Py4JJavaError as error:
        return str(error.java_exception.toString())


if __name__ == "__main__":
    main()
