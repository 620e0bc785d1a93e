"""Spark as an engine: no server. This finds or downloads its jars and Java once; each reader starts its own JVM."""

from __future__ import annotations

from importlib.util import find_spec

from engines.order import Order, RunningEngine
from engines.spark.home import SparkHome
from stack.jars import resolve_spark_jars
from stack.java import find_java
from stack.versions import stack
from xtable_audit.model.problem import Problem

MEGABYTE = 1_000_000


def open_engine(order: Order) -> RunningEngine:
    """Where Spark's jars and Java are. Raises Problem if one is not on this machine and cannot be downloaded.

    `how` is ignored: there is one way to run Spark.
    """
    if find_spec("pyspark") is None:
        raise Problem(f"Spark is not installed: pip install pyspark=={stack().spark}")
    jars = resolve_spark_jars(stack(), lambda done, total, _: order.report(_so_far(done, total)))
    java_home = find_java(stack().java, order.cache)
    version = expected_version(order.how)
    return RunningEngine(
        handle=SparkHome(java_home, jars),
        detail=f"Spark {version} with Iceberg {stack().iceberg}, a JVM a reader",
        version=version,
    )


def expected_version(how: str) -> str:
    """Spark's version in versions.toml, whatever `how` is."""
    return stack().spark


def _so_far(done: int, total: int) -> str:
    return (
        f"downloading Spark's jars, {done // MEGABYTE} of {total // MEGABYTE} MB" if total else "resolving Spark's jars"
    )
