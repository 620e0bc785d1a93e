"""The source's own statistics of its files, read after a table's last sync and kept beside its syncs."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from lab.provision.dataset import Dataset
from lab.provision.history import SYNCS
from lab.provision.sources.every_source import FORMATS
from lab.provision.sources.source_format import NewestStage
from lab.store.tables import Tables
from xtable.sync import Translator

STATS = "stats.json"
_HOW = (Path(__file__), *(path for name in sorted(FORMATS) for path in FORMATS[name].statistics_code))
SOURCE_STATS = hashlib.sha256(b"".join(path.read_bytes() for path in _HOW)).hexdigest()
"""Part of a cached translation's key: the code that reads the statistics."""


def beside(syncs: Path) -> Path:
    """The file with a table's source statistics, by the file with its syncs."""
    return syncs.with_name(syncs.name.removesuffix(SYNCS) + STATS)


def keep(path: Path, dataset: Dataset, tables: Tables, translator: Translator) -> None:
    """Writes the statistics of the newest stage to `path`.

    Writes nothing if they cannot be read, or if the source is a recording.
    """
    newest = dataset.stages[-1]
    if newest.tree is None:
        return
    read = FORMATS[dataset.recipe.format].statistics
    stage = NewestStage(newest.tree, newest.base_files, tables, tables.uri(dataset.prefix), translator)
    if read is not None and (statistics := read(stage)) is not None:
        path.write_text(json.dumps(statistics, indent=0, sort_keys=True) + "\n", encoding="utf-8")
