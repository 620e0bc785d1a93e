"""A recorded table's way over Iceberg to Delta, by XTable, live: both syncs after each stage of its first source."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.dataset import Dataset, Stage, base_files_in
from lab.provision.history import put_in_place
from lab.provision.plan import Plan
from lab.provision.progress import Progress
from lab.provision.recorded_sources import TREE, RecordedRecipe
from lab.provision.source_tables import stages_of
from lab.provision.translator_output import Translated
from lab.provision.translator_pool import Translators
from lab.stack.cache import Cache
from lab.store.address import BUCKET, prefix_of
from lab.store.disk import Disk
from lab.store.tables import Mounted
from lab.subjects.table import Offer, Table
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from xtable.replay import BATTERY_RECORDINGS
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable.target import read_target
from xtable.writer import ICEBERG, KERNEL, Writer
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.model.sync import Kind, Sync

# The recorded tables that go round: their first sources, at every stage, as Spark wrote them.

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


# A table's way from its first source over Iceberg to Delta, by XTable, live: both syncs after each of its stages.

ICEBERG_AS_SOURCE = "ICEBERG_SOURCE"
"""The name among XTable's sources of an Iceberg table."""
OWN_FOLDERS = {"HUDI": ".hoodie", "DELTA": "_delta_log"}
"""By the format of the first source: where its own metadata is."""


@dataclass(frozen=True)
class Legs:
    """What the two syncs left after the last stage. The source of both is the first one, by its files and rows."""

    first: Table
    """The Iceberg table."""
    second: Table
    """The Delta table."""


class RoundTrips:
    """The first leg and the second have a place and a JVM each, since Delta has `_delta_log` in both."""

    def __init__(self, places: tuple[Disk, Disk], translators: tuple[Translator, Translator]) -> None:
        self._places = places
        self._translators = translators

    @contextmanager
    def of(self, dataset: Dataset, scratch: Path) -> Iterator[Legs]:
        """The tables are there within the context. `scratch` is a folder that need not exist."""
        prefix, name, recipe = dataset.prefix, dataset.recipe.name, dataset.recipe
        to_iceberg, to_delta = self._translators
        first: list[Sync] = []
        second: list[Sync] = []
        with self._places[0].in_translation(prefix) as here, self._places[1].in_translation(prefix) as there:
            for number, stage in enumerate(dataset.stages):
                assert stage.tree is not None, f"{name} is recorded without its files"
                kind: Kind = "incremental" if number else "first"
                put_in_place(here, prefix, stage.tree, dataset.seconds(number + 1))
                first.append(_sync(to_iceberg, here, dataset, recipe.format, recipe.partition_spec, kind, ICEBERG))
                iceberg_alone(here, dataset, scratch / str(number))
                there.restore(prefix, scratch / str(number), spare=KERNEL.folder)
                second.append(_sync(to_delta, there, dataset, ICEBERG_AS_SOURCE, "", kind, KERNEL))
                first[-1], second[-1] = (replace(one[-1], stage=number) for one in (first, second))
            yield Legs(_table(dataset, here, first, ICEBERG), _table(dataset, there, second, KERNEL))


@contextmanager
def opened(release: str, folder: Path) -> Iterator[RoundTrips]:
    """Raises Problem if the release does not resolve."""
    places = Disk(folder / "first", BUCKET), Disk(folder / "second", BUCKET)
    with ExitStack() as running:
        started = []
        for place in places:
            translators = Translators(None, place.mounted(), folder / "logs" / place.folder.name)
            running.callback(translators.stop)
            started.append(translators.named(release))
        yield RoundTrips(places, (started[0], started[1]))


def iceberg_alone(tables: Mounted, dataset: Dataset, to: Path) -> None:
    """Copies the table without the metadata of its own format, as it is for somebody who has the Iceberg table."""
    tables.download(dataset.prefix, to)
    shutil.rmtree(to / OWN_FOLDERS[dataset.recipe.format])


def _sync(
    translator: Translator, tables: Mounted, dataset: Dataset, format: str, spec: str, kind: Kind, writer: Writer
) -> Sync:
    location = tables.uri(dataset.prefix)
    try:
        return replace(translator.sync(format, location, dataset.recipe.name, spec, writer=writer), kind=kind)
    except SyncFailed as failed:
        target = read_target(location, tables, writer)
        left = target.metadata_location if target and target.snapshot is not None else ""
        return Sync(kind, failed.release, left, failed.words, failed.log, result=failed.result, silent=failed.silent)


def _table(dataset: Dataset, tables: Mounted, syncs: list[Sync], writer: Writer) -> Table:
    """After the last sync, or what the one before left if it failed."""
    offer = Offer(SubjectId.parse(f"{dataset.recipe.name}-{writer.id}"), "round trips", dataset.recipe, writer.target)
    return Translated.after(dataset, syncs, {}).judged(offer, Objects(tables.filesystem), tables)
