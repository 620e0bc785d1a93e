"""The table formats that the suite has XTable read, as XTable's configuration names them. A new one is a line here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class XTableSource:
    """A source format of XTable."""

    name: str
    """As `sourceFormat` in XTable's configuration."""
    provider: str
    """Its `ConversionSourceProvider`, a Java class below `org.apache.xtable`."""
    partitions: str = ""
    """The property of a `SourceTable` that names the partition columns; "" where tables name their own."""
    starts_spark: bool = False
    """Whether XTable starts a Spark to read a table."""
    by_default: bool = True
    """Whether XTable's command line, RunSync, takes this class without its option `convertersConfig`."""
    by_kernel: XTableSource | None = None
    """XTable's other reader of the format, by Delta Kernel. Its Spark runtime takes it on Spark 3.5 and newer."""

    @property
    def partitioned_by_command_line(self) -> bool:
        """Whether RunSync passes on the partition columns of a table: it does as Hudi's property alone. Of a format
        whose tables name their own, nothing is passed on.
        """
        return not self.partitions or self.partitions == _HUDI.partitions

    def make_provider(self, xtable: Any) -> Any:
        """Its provider, not initialised. `xtable` is the Java package `org.apache.xtable`."""
        return reduce(getattr, self.provider.split("."), xtable)()


_HUDI = XTableSource(
    "HUDI",
    "hudi.HudiConversionSourceProvider",
    partitions="xtable.hudi.source.partition_field_spec_config",
)
_DELTA = XTableSource(
    "DELTA",
    "delta.DeltaConversionSourceProvider",
    starts_spark=True,
    by_kernel=XTableSource("DELTA", "kernel.DeltaKernelConversionSourceProvider", by_default=False),
)
_PARQUET = XTableSource(
    "PARQUET",
    "parquet.ParquetConversionSourceProvider",
    partitions="xtable.parquet.source.partition_field_spec_config",
    by_default=False,
)
_PAIMON = XTableSource("PAIMON", "paimon.PaimonConversionSourceProvider")
_ICEBERG = XTableSource("ICEBERG", "iceberg.IcebergConversionSourceProvider")
XTABLE_SOURCES: Mapping[str, XTableSource] = MappingProxyType(
    {one.name: one for one in (_HUDI, _DELTA, _PARQUET, _PAIMON)} | {"ICEBERG_SOURCE": _ICEBERG}
)
"""By the format that the suite's entries give: `ICEBERG` is that of a table that XTable does not read."""


def reader_of(source_format: str, *, by_kernel: bool) -> XTableSource:
    """What of XTable reads tables of a format of XTABLE_SOURCES. Only Delta's are read by Kernel."""
    source = XTABLE_SOURCES[source_format]
    if not by_kernel:
        return source
    assert source.by_kernel is not None, f"XTable has one reader of {source.name}"
    return source.by_kernel
