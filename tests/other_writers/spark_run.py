"""Has one Spark process write tables, and gives back what it left."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs.launch import output_of
from tests.other_writers.entry import Entry

JOB = "tests.other_writers.spark_job"
SECONDS = 600.0
"""Bounds a hung job; it takes two minutes on a busy machine."""


def write(folder: Path, entries: Sequence[Entry]) -> list[Any]:
    """The accounts of what is written there. Raises Problem where Spark is not available."""
    folder.mkdir()
    picked = folder.with_suffix(".pickle")
    picked.write_bytes(pickle.dumps(entries))
    command = [sys.executable, "-m", JOB, str(folder), "--entries", str(picked)]
    command += ["--jars", ",".join(map(str, resolve_spark_jars(stack()))), "--java-home", str(find_java(stack().java))]
    printed = output_of(command, "Iceberg's own tables", log=folder.with_suffix(".log"), timeout=SECONDS)
    return [json.loads(line) for line in printed.decode().splitlines()]
