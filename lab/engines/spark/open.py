"""Spark as an engine: no server. This finds or downloads its jars and Java once; each reader starts its own JVM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from lab.engines.registry import Order, RunningEngine
from lab.stack.cache import Cache
from lab.stack.jars import resolve_jars, resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.mount import Mount
from lab.stack.versions import delta, stack
from xtable_audit.model.problem import Problem


@dataclass(frozen=True)
class SparkHome:
    """Spark itself is the Python package; these are its jars, its Java and its mounts."""

    java_home: Path
    jars: tuple[Path, ...]
    """The jars of Iceberg, Hudi and S3A, with their dependencies."""
    mount: Mount | None = None
    """A folder of this disk under its own addresses, beside the store's."""


MEGABYTE = 1_000_000


def open_engine(order: Order) -> RunningEngine:
    """Where Spark's jars and Java are. Raises Problem if one is not on this machine and cannot be downloaded.

    `how` is ignored: there is one way to run Spark.
    """
    version = expected_version(order.how)
    return RunningEngine(
        handle=find_spark(order.cache, order.report),
        detail=f"Spark {version} with Iceberg {stack().iceberg}, a JVM a reader",
        version=version,
    )


def open_with_delta(order: Order) -> RunningEngine:
    """The same for Delta tables: Spark's jars with Delta's beside them."""
    home = find_spark(order.cache, order.report)
    jars = resolve_jars(delta().jars, lambda done, _: order.report(so_far(done)))
    version = expected_version(order.how)
    return RunningEngine(
        handle=replace(home, jars=home.jars + jars),
        detail=f"Spark {version} with {delta().jars[0]}, a JVM a reader",
        version=version,
    )


def find_spark(cache: Cache, report: Callable[[str], None] = lambda detail: None) -> SparkHome:
    """Spark's jars and its Java. Raises Problem if one is not on this machine and cannot be downloaded."""
    if find_spec("pyspark") is None:
        raise Problem(f"Spark is not installed: pip install pyspark=={stack().spark}")
    jars = resolve_spark_jars(stack(), lambda done, _: report(so_far(done)))
    return SparkHome(find_java(stack().java, cache), jars)


def expected_version(how: str) -> str:
    """Spark's version in versions.toml, whatever `how` is."""
    return stack().spark


def so_far(done: int) -> str:
    """The progress of a download, in words."""
    return f"downloading Spark's jars, {done // MEGABYTE} MB so far"
