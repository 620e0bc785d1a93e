"""`python -m tests.native.parse_job TEXTS`: what Iceberg's Java makes of each metadata.json in a JSON list of texts.

Prints a JSON list: its error, or the number of the current snapshot if it reads the text.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

from spark_jobs import child
from spark_jobs.arguments import paths
from spark_jobs.battery import session
from spark_jobs.job import only_ours

LOCATION = "s3://bucket/table/metadata/v2.metadata.json"


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
