"""Has Iceberg's Java parse metadata.json in one process."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack
from spark_jobs.launch import output_of

JOB = "tests.native.parse_job"
SECONDS = 600.0
"""Bounds a hung job."""


def parse(folder: Path, texts: Sequence[str]) -> list[str | int]:
    """Of each text its error, or the number of the current snapshot. Raises Problem where Spark is not available."""
    folder.mkdir()
    asked = folder / "texts.json"
    asked.write_text(json.dumps(texts), encoding="utf-8")
    command = [sys.executable, "-m", JOB, str(asked)]
    command += ["--jars", ",".join(map(str, resolve_spark_jars(stack()))), "--java-home", str(find_java(stack().java))]
    printed = output_of(command, "what Iceberg's Java parses", log=folder / "log", timeout=SECONDS)
    return list(json.loads(printed))
