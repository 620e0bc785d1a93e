"""The control translators of a run: what they write over a dataset's files, kept in the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

from lab.provision.dataset import Dataset
from lab.provision.newest_metadata import newest_delta, show_again
from lab.provision.progress import Progress
from lab.provision.translator_output import Translated
from lab.stack.cache import Cache, key_of
from lab.store.disk import Disk
from xtable import control, delta_control
from xtable_audit.model.delta_version import LOG
from xtable_audit.model.malformed import first_line

CONTROL = hashlib.sha256(Path(control.__file__).read_bytes()).hexdigest()
"""Part of the key of what is kept: the code of the control of Iceberg."""
CONTROL_OF_DELTA = hashlib.sha256(Path(delta_control.__file__).read_bytes()).hexdigest()
"""The same for that of Delta."""
TREE, NEWEST = "tree", "newest"
"""In the cached folder of a control: what it wrote, and the file that names its metadata.json."""


class ControlRefused(Exception):
    """PyIceberg's message about a source that it cannot take."""


class Controls:
    def __init__(self, disk: Disk, cache: Cache, progress: Progress) -> None:
        self._disk = disk
        self._cache = cache
        self._progress = progress

    def to_iceberg(self, dataset: Dataset, files: Sequence[str]) -> Translated:
        """The metadata that PyIceberg's `add_files` writes: once for a table at an address, then from the cache."""
        recipe = dataset.recipe
        prefix = f"control/{recipe.name}-{dataset.key}-{dataset.mode}"
        versions = {"pyiceberg": version("pyiceberg")}

        def write(folder: Path) -> None:
            (folder / TREE).mkdir()
            self._disk.show_whole(prefix, folder / TREE)
            try:
                location = control.translate(self._disk, recipe.name, files, recipe.partition_by, prefix)
            except Exception as error:  # any exception means that it cannot take the source
                raise ControlRefused(first_line(error)) from error
            (folder / NEWEST).write_text(location, encoding="utf-8")

        key = key_of(
            files=sorted(files),
            partition_by=recipe.partition_by,
            address=self._disk.uri(prefix),
            versions=versions | {"pyarrow": version("pyarrow")},
            control=CONTROL,
        )
        with self._progress.step("control", f"{recipe.name}: PyIceberg add_files") as step:
            try:
                kept = self._cache.publish("control", key, write)
            except ControlRefused as refused:
                step.detail = f"{recipe.name}: PyIceberg add_files refuses it"
                return Translated(dataset, "", versions, failure=f"add_files refuses it: {refused}")
            self._disk.show_whole(prefix, kept / TREE)
        return Translated(dataset, (kept / NEWEST).read_text(encoding="utf-8"), versions)

    def to_delta(self, dataset: Dataset, id: str) -> Translated:
        """The log that delta-rs commits over the newest base files: once, then from the cache."""
        recipe, tree, files = dataset.recipe, dataset.tree, dataset.stages[-1].base_files
        assert tree is not None
        versions = {"deltalake": version("deltalake")}
        key = key_of(
            dataset=dataset.key,
            files=sorted(files.items()),
            partition_by=recipe.partition_by,
            versions=versions | {"pyarrow": version("pyarrow")},
            control=CONTROL_OF_DELTA,
        )
        with self._progress.step("control", f"{recipe.name}: delta-rs"):
            kept = self._cache.publish("control", key, partial(delta_control.commit, tree, files, recipe.partition_by))
        shown = show_again(self._disk, dataset, id, kept / LOG)
        return Translated(shown, newest_delta(self._disk, shown.prefix), versions)
