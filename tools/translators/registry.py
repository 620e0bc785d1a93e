"""The translators that run here, in the order of the page. A new one is a module beside this one and its line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from tools.translators.by_delta_lake import DELTA_LAKE
from tools.translators.by_paimon import PAIMON
from tools.translators.by_pyiceberg import PYICEBERG
from tools.translators.by_spark import BY_SPARK
from tools.translators.by_xtable import XTABLE
from tools.translators.sources import LEFT_OUT
from tools.translators.translator import MetadataTranslator

_IN_ORDER = (XTABLE, PYICEBERG, *BY_SPARK, DELTA_LAKE, PAIMON)
TRANSLATORS: Mapping[str, MetadataTranslator] = MappingProxyType({one.id: one for one in _IN_ORDER})


def tables_of(translator: MetadataTranslator) -> tuple[BatteryTable, ...]:
    """All small tables of the formats that it takes, but for those of LEFT_OUT."""
    every = (*FOLDERS.values(), *BATTERY.values(), *PAIMON_TABLES.values())
    return tuple(one for one in every if one.format in translator.takes and one.name not in LEFT_OUT)
