"""Source tables in Hudi's format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError

from lab.provision.sources.source_format import NewestStage, SourceSetup
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable import hudi_stats

KINDS = {"MERGE_ON_READ": "Hudi, MERGE_ON_READ", "COPY_ON_WRITE": "Hudi, COPY_ON_WRITE"}
REFUSED = "Hudi, a table version above 6"


def _live_files(tree: Path) -> list[str]:
    from hudi import HudiTableBuilder  # imported late: collection opens no table

    table = HudiTableBuilder.from_base_uri(tree.as_uri()).build()
    return [str(file_slice.base_file_relative_path()) for file_slice in table.get_file_slices()]


def _kind(table: Recipe | BatteryTable) -> str:
    if not isinstance(table, BatteryTable):
        return KINDS["COPY_ON_WRITE"]
    if table.refused is not None:
        return REFUSED
    return KINDS[table.options.get("hoodie.datasource.write.table.type", "COPY_ON_WRITE")]


def _statistics(stage: NewestStage) -> Mapping[str, Any] | None:
    """None if Hudi cannot open the table, or if the JVM lacks classes of Hudi's own package, which some jars move."""
    files = {name: _columns(pq.read_schema(stage.tree / name)) for name in stage.base_files}
    try:
        return hudi_stats.read(stage.translator.jvm, stage.tables, stage.location, files)
    except (Py4JError, TypeError):  # TypeError: Py4J takes the name of a missing class for a package
        return None


def _columns(fields: pa.Schema | pa.StructType, prefix: str = "") -> list[str]:
    """The leaves outside lists and maps, as in `xtable_audit.model.columns`."""
    leaves = []
    for field in fields:
        if pa.types.is_struct(field.type):
            leaves += _columns(field.type, f"{prefix}{field.name}.")
        elif not pa.types.is_nested(field.type):
            leaves.append(f"{prefix}{field.name}")
    return leaves


HUDI = SourceSetup(
    "Hudi",
    _live_files,
    _kind,
    _statistics,
    statistics_code=(Path(__file__), Path(hudi_stats.__file__)),
    whose_statistics="Hudi's",
    written_with="COPY_ON_WRITE, record key `record_key`, hive-style partition paths, no metadata table, a data file "
    "for each below",
)
