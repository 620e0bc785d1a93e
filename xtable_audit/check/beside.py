"""The source that lies in a table's own folder, where the user names none and the table has no file.

A translation of no file breaks no claim about files. It is right of an empty source, and wrong of one that has rows.
"""

from __future__ import annotations

from contextlib import suppress

from xtable_audit.check.source import AskedSource, KnownSource, known_source
from xtable_audit.formats.named_source import NamedSource
from xtable_audit.formats.registered import is_source, metadata_folders, target_of
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics


def source_beside(stored: StoredMetrics, objects: Objects) -> KnownSource | None:
    """The source in the folder of a table of no file; None if there is none that is known to hold anything."""
    synced = target_of(stored.metadata_location).check.synced(stored)
    if stored.files.num_rows or synced is None or not is_source(synced.format):
        return None
    asked = AskedSource(NamedSource(synced.format, _root(stored.metadata_location)), unnamed=True)
    with suppress(Problem):  # nothing of that format is there, or it cannot be reached
        known = known_source(asked, stored, objects=objects)
        return known if known.state is not None and (known.state.files or known.state.beside) else None
    return None


def _root(metadata_location: str) -> str:
    folder = metadata_location.rpartition("/")[0]
    for own in metadata_folders():
        folder = folder.removesuffix(f"/{own}").rstrip("/")
    return folder
