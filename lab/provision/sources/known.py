"""The formats of source tables that the suite writes, by the name that their entries give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lab.provision.sources.delta import DELTA
from lab.provision.sources.hudi import HUDI
from lab.provision.sources.iceberg import ICEBERG
from lab.provision.sources.paimon import PAIMON
from lab.provision.sources.parquet import PARQUET
from lab.provision.sources.source_format import SourceFormat

FORMATS: Mapping[str, SourceFormat] = MappingProxyType(
    {"HUDI": HUDI, "DELTA": DELTA, "ICEBERG": ICEBERG, "PARQUET": PARQUET, "PAIMON": PAIMON}
)


def with_own_jars(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the formats that XTable reads by jars that its users add."""
    return tuple(sorted({name for name in names if FORMATS[name].has_own_jars}))
