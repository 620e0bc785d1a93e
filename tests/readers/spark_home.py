"""What a reader on Spark is started with, found once for all of their tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lab.engines.order import Order
from lab.engines.spark.home import SparkHome
from lab.engines.spark.open import open_engine
from lab.stack.cache import Cache
from lab.store.running import RunningStore
from xtable_audit.readers.subprocess_reader import SubprocessReader


def no_store() -> RunningStore:
    raise AssertionError("Spark needs no store to be found")


@cache
def spark_home() -> SparkHome:
    """Jars and Java, as the engine hands them over."""
    handle = open_engine(Order("auto", no_store, Path(), Cache(), print)).handle
    assert isinstance(handle, SparkHome)
    return handle


def jvm_of(reader: SubprocessReader) -> int:
    """The process of the reader's JVM."""
    children = Path(f"/proc/{reader.pid}/task/{reader.pid}/children").read_text().split()
    (jvm,) = [int(child) for child in children if b"java" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return jvm
