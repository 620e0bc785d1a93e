"""Checks the place where a table will be written, before the work begins."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from xtable_audit.model.problem import Problem

# The store's own message, inside those of the SDK and Hadoop.
STORE_MESSAGE = re.compile(
    r"(?:AmazonS3Exception: (.+?)\.? \(Service: |SdkClientException: (.+?)(?:: Unable to execute|$))"
)


def demand_empty_folder(target: str) -> None:
    """Makes the folder of a `file://` target. Raises Problem if that fails or the folder is not empty."""
    parts = urlsplit(target)
    if parts.scheme != "file":
        return
    folder = Path(unquote(parts.path))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise Problem(f"{target} cannot be used: {error.strerror}.") from error
    demand_empty(target, taken)


def demand_empty_prefix(spark: SparkSession, target: str) -> None:
    """Raises Problem unless the store answers and holds nothing at an `s3://` target."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(target)
    try:
        files = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        taken = files.exists(path) and len(files.listStatus(path)) > 0
    except Py4JJavaError as error:
        raise Problem(f"{target} cannot be used: {store_message(str(error.java_exception.getMessage()))}.") from error
    demand_empty(target, taken)


def demand_empty(target: str, taken: bool) -> None:
    """Raises Problem for a place that is not empty: no table is overwritten."""
    if taken:
        raise Problem(f"{target} is not empty: name an empty place, or delete what is there.")


def store_message(message: str) -> str:
    """The store's own sentence, without request numbers and repetitions."""
    found = STORE_MESSAGE.search(message)
    sentence = next(filter(None, found.groups())) if found else message.splitlines()[0]
    return sentence.rstrip(".")
