"""The table formats that the suite has XTable read, as XTable's configuration names them. A new one is a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class XTableSource:
    """A source format of XTable."""

    name: str
    """As `sourceFormat` in XTable's configuration."""
    provider: Callable[[Any], Any]
    """Makes its `ConversionSourceProvider`, of the Java package `org.apache.xtable`."""
    partitions: str = ""
    """The property of a `SourceTable` that names the partition columns; "" where tables name their own."""
    starts_spark: bool = False
    """Whether XTable starts a Spark to read a table."""
    by_kernel: XTableSource | None = None
    """XTable's other reader of the format, by Delta Kernel. Its Spark runtime takes it on Spark 3.5 and newer; RunSync
    only where its option `convertersConfig` names the class.
    """


_HUDI = XTableSource(
    "HUDI",
    lambda xtable: xtable.hudi.HudiConversionSourceProvider(),
    partitions="xtable.hudi.source.partition_field_spec_config",
)
_DELTA = XTableSource(
    "DELTA",
    lambda xtable: xtable.delta.DeltaConversionSourceProvider(),
    starts_spark=True,
    by_kernel=XTableSource("DELTA", lambda xtable: xtable.kernel.DeltaKernelConversionSourceProvider()),
)
_PARQUET = XTableSource(
    "PARQUET",
    lambda xtable: xtable.parquet.ParquetConversionSourceProvider(),
    partitions="xtable.parquet.source.partition_field_spec_config",
)
_PAIMON = XTableSource("PAIMON", lambda xtable: xtable.paimon.PaimonConversionSourceProvider())
_ICEBERG = XTableSource("ICEBERG", lambda xtable: xtable.iceberg.IcebergConversionSourceProvider())
XTABLE_SOURCES: Mapping[str, XTableSource] = MappingProxyType(
    {one.name: one for one in (_HUDI, _DELTA, _PARQUET, _PAIMON)} | {"ICEBERG_SOURCE": _ICEBERG}
)
"""By the format that the suite's entries give: `ICEBERG` is that of a table that XTable does not read."""
