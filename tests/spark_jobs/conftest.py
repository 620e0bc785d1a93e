"""Where the real TLC months are, and monthly files made up for one fault each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.project import ROOT
from lab.stack.versions import stack
from spark_jobs import session
from spark_jobs.columns import YELLOW, Colour

ARROW = {"bigint": pa.int64(), "double": pa.float64(), "string": pa.string(), "timestamp": pa.timestamp("us")}
SAMPLE = {"bigint": 1, "double": 2.5, "string": "1", "timestamp": datetime(2023, 1, 31, 23, 59, 59)}

MonthFile = Callable[..., Path]


@pytest.fixture(scope="session")
def tlc_months() -> Path:
    """The real green months; tests that need them are skipped by name where they are not there."""
    folder = Path(os.environ.get("XTABLE_AUDIT_TLC") or ROOT.parent / "shared" / "data" / "tlc")
    if not list(folder.glob("green_tripdata_2023-*.parquet")):
        pytest.skip("the TLC's green months of 2023 are not here: set XTABLE_AUDIT_TLC to their folder")
    return folder


@pytest.fixture
def month_file(tmp_path: Path) -> MonthFile:
    """Writes a monthly file of three equal trips: `month_file(name, colour, renamed, types, without)`."""

    def write(
        name: str = "2023-01.parquet",
        colour: Colour = YELLOW,
        renamed: dict[str, str] | None = None,
        types: dict[str, pa.DataType] | None = None,
        without: str | None = None,
    ) -> Path:
        columns = {}
        for column, type_ in colour.columns.items():
            wanted = (types or {}).get(column, ARROW[type_])
            values = [None if pa.types.is_null(wanted) else SAMPLE[type_]] * 3
            if column != without:
                columns[(renamed or {}).get(column, column)] = pa.array(values).cast(wanted, safe=False)
        path = tmp_path / name
        pq.write_table(pa.table(columns), path)
        return path

    return write


@pytest.fixture(scope="session")
def jars() -> tuple[Path, ...]:
    """The default stack's jars."""
    return resolve_spark_jars(stack())


@pytest.fixture(scope="session")
def java_home() -> Path:
    return find_java(stack().java)


@pytest.fixture(scope="module")  # gone before other tests open one: PySpark has one session a process
def spark(jars: tuple[Path, ...], java_home: Path) -> Iterator[SparkSession]:
    """One session as the jobs have it, in this process."""
    with session.opened("tests", jars, java_home, None, cores=2, memory="1g") as spark:
        yield spark
