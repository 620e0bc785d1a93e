"""A table's way from its first source over Iceberg to Delta, by XTable, live: both syncs after each of its stages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lab.provision.dataset import Dataset
from lab.provision.history import put_in_place
from lab.provision.translated import Translated
from lab.provision.translators import Translators
from lab.store.address import BUCKET
from lab.store.disk import Disk
from lab.store.tables import Mounted
from lab.subjects.table import Offer, Table
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable.target import read_target
from xtable.writer import ICEBERG, KERNEL, Writer
from xtable_audit.model.objects import Objects
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.model.sync import Kind, Sync

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
