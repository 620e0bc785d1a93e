"""The recorded tables that go round: their first sources, at every stage, as Spark wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.dataset import Dataset
from lab.provision.datasets import stages_of
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.recorded_sources import TREE, RecordedRecipe
from lab.provision.stages import Stage, base_files_in
from lab.stack.cache import Cache
from lab.store.address import BUCKET, prefix_of
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.replay import BATTERY_RECORDINGS
from xtable_audit.model.problem import Problem

TABLES = (
    *("good_layout", "plain_types", "types_times_plain", "types_millis_plain", "types_nan_plain", "types_nested_plain"),
    *("types_long_strings_plain", "types_decimal_bytes_plain", "types_dates_plain", "index_none"),
    *("partition_int", "partition_null", "partition_special", "partition_by_day"),
    *("history_upsert", "history_delete", "history_overwrite_partition", "history_add_column", "history_widen_int"),
    *("edge_dropped_then_added", "mor_deleted"),
    *(
        "delta_plain",
        "delta_micros",
        "delta_long_texts",
        "delta_nan",
        "delta_decimals",
        "delta_nested",
        "delta_by_date",
    ),
    *("delta_paths", "delta_changed", "delta_mapped", "delta_vectors", "edge_delta_dropped_and_added"),
)
"""By their names: each is here for one kind of column, partition, change or delete."""
OTHERWISE = "{name} is not recorded as Spark would write it today"


def named(names: str) -> tuple[str, ...]:
    """The tables of a list with commas. Raises Problem for one that does not go round."""
    asked = tuple(names.split(","))
    for name in asked:
        if name not in RECIPES and name not in BATTERY:
            raise Problem(f"there is no table {name} to go round; there are {', '.join(TABLES)}")
    return asked


def datasets_of(names: Sequence[str], logs: Path) -> Iterator[Dataset]:
    """Raises Problem for a table that is not recorded as Spark would write it today."""
    nothing = Progress(Console(quiet=True), quiet=True)
    battery = Battery(nothing, logs, Cache(), archives=BATTERY_RECORDINGS)
    for name in names:
        yield _published(name) if name in RECIPES else _of_battery(battery, BATTERY[name])


def _published(name: str) -> Dataset:
    recorded = RecordedRecipe.find(RECIPES[name], Plan(), BUCKET)
    if recorded is None:
        raise Problem(OTHERWISE.format(name=name))
    tree = recorded.restored(Cache()) / TREE
    stage = Stage("written", base_files_in(tree, recorded.recipe.format), tree=tree)
    return Dataset(recorded.recipe, prefix_of(name), (stage,))


def _of_battery(battery: Battery, table: BatteryTable) -> Dataset:
    if battery.recorded_on(table) is None:
        raise Problem(OTHERWISE.format(name=table.name))
    return Dataset(table, prefix_of(table.name), stages_of(table, *battery.kept(table)))
