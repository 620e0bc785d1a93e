"""Spark's JVM belongs to its reader: they go together."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.engines.readers import open_reader
from lab.engines.spark.reader import SparkReader
from tests.readers.spark_home import jvm_of, spark_home
from tests.waiting import wait_until
from xtable_audit.model.problem import Problem
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def spark(tables: Any, scratch: Path) -> Iterator[SubprocessReader]:
    reader = open_reader("spark", tables.store.guest("reader-spark-process").store, spark_home())
    assert reader.query(tables.native.metadata, None).rows == 200
    yield reader
    reader.close()


def test_after_kill_9_of_the_reader_neither_jvm_nor_scratch_is_left(spark: SubprocessReader, scratch: Path) -> None:
    jvm = jvm_of(spark)
    assert list(scratch.iterdir())
    os.kill(spark.pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{jvm}").exists(), "the JVM is gone")
    assert not list(scratch.iterdir())


def test_a_jvm_that_dies_is_a_problem_and_no_finding_about_the_table(spark: SubprocessReader, tables: Any) -> None:
    os.kill(jvm_of(spark), signal.SIGKILL)
    with pytest.raises(Problem, match=r"Spark's JVM ended \(Killed\)"):
        spark.query(tables.native.metadata, None)


def test_without_the_engines_handle_spark_says_what_it_needs(tables: Any) -> None:
    with pytest.raises(Problem, match="reader spark needs Spark's jars and Java"):
        SparkReader(tables.store.store)
