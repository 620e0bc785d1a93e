"""Delta Kernel's own class writes bounds of timestamps before 1970 (XTF-072): no code of XTable's has a part in it."""

from __future__ import annotations

import json

import pytest

from lab.stack.versions import releases
from xtable.sync import Translator

BEFORE_1970 = {
    "a microsecond": (-1, "1970-01-01T00:00:00.999Z"),
    "a second and a microsecond": (-1_000_001, "1969-12-31T23:59:59.999Z"),
    "a second": (-1_000_000, "1969-12-31T23:59:59.000Z"),
    "seventy years": (-2_208_988_800_000_000, "1900-01-01T00:00:00.000Z"),
}
"""Microseconds from the epoch, and what is written: a second late, but for whole seconds, which are the remedy."""


@pytest.mark.jvm
@pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
@pytest.mark.parametrize(("micros", "written"), BEFORE_1970.values(), ids=BEFORE_1970.keys())
def test_only_whole_seconds_are_right(translator: Translator, micros: int, written: str) -> None:
    java = translator.jvm.java
    kernel = java.io.delta.kernel
    kind = kernel.types.TimestampType.TIMESTAMP
    literal = kernel.expressions.Literal.ofTimestamp(java.java.lang.Long(micros))
    bounds = java.java.util.Map.of(kernel.expressions.Column("at"), literal)
    statistics = kernel.statistics.DataFileStatistics(1, bounds, bounds, java.java.util.Map.of())
    stored = json.loads(statistics.serializeAsJson(kernel.types.StructType().add("at", kind)))
    assert (stored["minValues"]["at"], stored["maxValues"]["at"]) == (written, written)
