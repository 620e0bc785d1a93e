"""The readers of a gate that names none: those that come by pip, and Spark where it can start.

Some faults show on the JVM alone: with wrong split offsets Spark returns no row where all others return every one.
Spark is asked on the tables that have it as a reader, 120 claims in two minutes a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.engines.readers import ADAPTERS, embedded, readers_of
from lab.engines.spark.open import find_spark
from lab.stack.cache import Cache
from xtable_audit.formats.registered import DEFAULT
from xtable_audit.model.problem import Problem

OPTION = "--readers"
SPARK = "pyspark"
"""The distribution of the readers that run in Spark."""


@dataclass(frozen=True)
class Readers:
    arguments: tuple[str, ...]
    """Pytest's option; empty if the user gave one."""
    not_asked: tuple[str, ...] = ()
    """Why one that a gate asks by itself cannot start, a sentence each."""


def choose_readers(arguments: Sequence[str], target: str = DEFAULT) -> Readers:
    """Whether Spark can start is asked once, before anything is run. May download its jars."""
    if any(argument.partition("=")[0] == OPTION for argument in arguments):
        return Readers(())
    try:
        find_spark(Cache())
    except Problem as problem:
        return Readers(_option(embedded(target)), (f"Spark is not asked: {str(problem).rstrip('.')}.",))
    return Readers(_option((*embedded(target), *_in_spark(target))))


def _in_spark(target: str) -> list[str]:
    return [name for name in readers_of(target) if ADAPTERS[name].distribution == SPARK]


def _option(names: Sequence[str]) -> tuple[str, ...]:
    return (f"{OPTION}={','.join(names)}",)
