"""The formats of source tables that the suite writes, by the name that their entries give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lab.provision.sources.delta import DELTA
from lab.provision.sources.hudi import HUDI
from lab.provision.sources.iceberg import ICEBERG, ICEBERG_SOURCE
from lab.provision.sources.paimon import PAIMON
from lab.provision.sources.parquet import PARQUET
from lab.provision.sources.source_format import SourceSetup
from lab.store.address import BUCKET, root_of
from spark_jobs.battery import delta_rs_table
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe

Written = Callable[[BatteryTable, Path], dict[str, Any]]
FORMATS: Mapping[str, SourceSetup] = MappingProxyType(
    {
        "HUDI": HUDI,
        "DELTA": DELTA,
        "ICEBERG": ICEBERG,
        "PARQUET": PARQUET,
        "PAIMON": PAIMON,
        "ICEBERG_SOURCE": ICEBERG_SOURCE,
    }
)


def writer_here(table: Recipe | BatteryTable, bucket: str = BUCKET) -> Written | None:
    """What writes the table into a folder without Spark, and returns its facts; None if Spark writes it.

    `bucket` is that of its address, where its metadata has it.
    """
    if isinstance(table, BatteryTable) and table.by_delta_rs:
        return delta_rs_table.write
    write_at = FORMATS[table.format].write_at
    if write_at is not None:
        return lambda table, folder: write_at(table, folder, f"{root_of(bucket)}/{table.name}")
    return FORMATS[table.format].write


def with_own_jars(names: Iterable[str]) -> tuple[str, ...]:
    """Those of the formats that XTable reads by jars that its users add."""
    return tuple(sorted({name for name in names if FORMATS[name].has_own_jars}))
