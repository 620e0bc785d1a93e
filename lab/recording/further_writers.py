"""Records what XTable's writers but the first make of the recorded sources, by each release: an archive each.

The published tables are recorded with the battery's: of these, too, every sync of the history is kept.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from lab.provision.battery_sources import Battery
from lab.provision.dataset import Stage, base_files_in
from lab.provision.live_or_recorded import archives_of
from lab.provision.progress import Progress
from lab.provision.targets import BY_STANDALONE
from lab.provision.translator_registry import TRANSLATORS
from lab.recording.battery import Histories, histories_of, translate, unpack_kept
from lab.stack.cache import Cache
from lab.stack.versions import Release
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES, Recipe
from xtable.replay import BATTERY_RECORDINGS, RECORDINGS, SOURCES, SUFFIX, Recording, pack
from xtable.writer import DELTA, HUDI, ICEBERG_BY_KERNEL, STANDALONE, Way, Writer

FURTHER = (ICEBERG_BY_KERNEL, *DELTA, HUDI)
"""All but the writer of Iceberg by the readers of XTable's configuration, whose translations are the battery's own."""


def record_further(
    requested: Sequence[Release],
    logs: Path,
    root: Path = BATTERY_RECORDINGS,
    only: Sequence[BatteryTable] = (),
    writers: Sequence[Writer] = FURTHER,
    through: str = "mount",
) -> None:
    """Writes an archive per release and writer below `root`. With `only`, the other recorded tables are kept.

    The sources must be recorded. `through` is how XTable reaches the tables: `store` or `mount`.
    """
    histories = _histories(logs, root, only, writers)
    for writer in writers:
        having = [one for one in requested if writer.is_of(one)]
        chosen = {name: stages for name, stages in histories.items() if _is_recorded(_entry(name), writer)}
        if having and chosen:
            _record(having, writer, chosen, logs, archives_of(writer, root), keep=bool(only), through=through)


def _is_taken(source: Recipe | BatteryTable, writers: Sequence[Writer]) -> bool:
    return any(_is_recorded(source, one) for one in writers)


def _entry(name: str) -> Recipe | BatteryTable:
    return BATTERY.get(name) or RECIPES[name]


def _is_recorded(source: Recipe | BatteryTable, writer: Writer) -> bool:
    return TRANSLATORS[writer.id].takes(source) and (writer is not STANDALONE or source.name in BY_STANDALONE)


def _histories(logs: Path, root: Path, only: Sequence[BatteryTable], writers: Sequence[Writer]) -> Histories:
    """The stages of the tables to record: of these, or of the whole battery and the published tables."""
    tables = [table for table in only or BATTERY.values() if _is_taken(table, writers)]
    battery = Battery(Progress(Console(highlight=False)), logs, Cache(), archives=root)
    battery.announce(table.name for table in tables)
    return ({} if only else dict(_published(writers))) | histories_of(battery, tables)


def _published(writers: Sequence[Writer]) -> Iterator[tuple[str, tuple[Stage, ...]]]:
    recording = Recording.open(None, RECORDINGS)
    for name, recipe in RECIPES.items():
        if _is_taken(recipe, writers):
            tree = recording.root / SOURCES / name
            yield name, (Stage("written", base_files_in(tree, recipe.format), tree=tree),)


def _record(
    releases: Sequence[Release],
    writer: Writer,
    histories: Histories,
    logs: Path,
    root: Path,
    *,
    keep: bool,
    through: str,
) -> None:
    with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder:
        for one in releases:
            made = Path(folder) / one.version
            made.mkdir()
            archive = root / f"{one.version}{SUFFIX}"
            if keep and archive.is_file():
                unpack_kept(archive, made, {*BATTERY, *RECIPES} - histories.keys())
            translate(Way(one), histories, made, logs / f"{one.version}-{writer.id}", through, writer)
        for one in releases:
            pack(Path(folder) / one.version, root / f"{one.version}{SUFFIX}")
