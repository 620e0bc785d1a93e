"""Has one Spark process write tables, and gives back what it left."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow.parquet as pq

from spark_jobs.launch import output_of
from stack.jars import resolve_spark_jars
from stack.java import find_java
from stack.versions import stack
from tests.native.entry import Entry, Stage, Written

SECONDS = 600.0
"""Bounds a hung job; it takes two minutes on a busy machine."""


def written_by_spark(entries: Sequence[Entry], folder: Path) -> dict[str, Written]:
    """By name, in this folder. Raises Problem where it cannot be had."""
    picked = folder / "entries.pickle"
    picked.write_bytes(pickle.dumps(tuple(entries)))
    command = [sys.executable, "-m", "tests.native.spark_job", str(folder), "--entries", str(picked)]
    command += ["--jars", ",".join(map(str, resolve_spark_jars(stack()))), "--java-home", str(find_java(stack().java))]
    said = output_of(command, "Iceberg's own tables", log=folder / "spark.log", timeout=SECONDS)
    return {one.name: one for one in _read(said.decode().splitlines(), folder)}


def _read(lines: Iterable[str], folder: Path) -> Iterable[Written]:
    for told in map(json.loads, lines):
        stages = (Stage(**(stage | {"files": tuple(stage["files"])})) for stage in told["stages"])
        shown = pq.read_table(folder / f"{told['name']}.parquet", coerce_int96_timestamp_unit="us")
        yield Written(told["name"], tuple(stages), shown)
