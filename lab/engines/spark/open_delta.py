"""Spark as an engine of Delta tables: Spark's jars with Delta's beside them."""

from __future__ import annotations

from dataclasses import replace

from lab.engines.order import Order, RunningEngine
from lab.engines.spark.open import expected_version, find_spark, so_far
from lab.stack.jars import resolve_jars
from lab.stack.versions import delta

__all__ = ["expected_version", "open_engine"]


def open_engine(order: Order) -> RunningEngine:
    """As `lab.engines.spark.open.open_engine`."""
    home = find_spark(order.cache, order.report)
    jars = resolve_jars(delta().jars, lambda done, total, _: order.report(so_far(done, total)))
    version = expected_version(order.how)
    return RunningEngine(
        handle=replace(home, jars=home.jars + jars),
        detail=f"Spark {version} with {delta().jars[0]}, a JVM a reader",
        version=version,
    )
