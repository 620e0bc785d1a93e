"""Five faults at once in one recorded table, none of which changes its rows: `-p tests.whole_runs.five_faults`."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partialmethod
from typing import Any

from lab.provision.translator_output import Translated
from lab.store.disk import Disk
from lab.subjects.table import Offer
from tests.tables.draft import Record, read_records, write_records
from tests.whole_runs.own_metadata import own_metadata
from xtable_audit.model.objects import Objects
from xtable_audit.table.synced import PROPERTY

TABLE = "history_widen_int"
of_a_table = Translated.judged


def judged(translated: Translated, offer: Offer, objects: Objects, disk: Disk) -> Any:
    location = translated.metadata_location
    if str(offer.id) == f"{TABLE}-xtable":
        folder = own_metadata(disk, translated.dataset.prefix)
        newest = folder / location.rpartition("/")[2]
        metadata = json.loads(newest.read_text(encoding="utf-8"))
        _spoil_manifests(disk, _current(metadata)["manifest-list"])
        _spoil(metadata)
        newest.write_text(json.dumps(metadata), encoding="utf-8")
    return of_a_table(translated, offer, objects, disk)


def _spoil(metadata: Record) -> None:
    """An older schema, no parent, the name of another operation, and the commit before the one that was synced."""
    snapshot, first = _current(metadata), metadata["snapshots"][0]
    assert snapshot["schema-id"] != first["schema-id"]
    snapshot["schema-id"] = first["schema-id"]
    del snapshot["parent-snapshot-id"]
    assert snapshot["summary"]["operation"] == "append"
    snapshot["summary"]["operation"] = "delete"
    snapshot["summary"][PROPERTY] = first["summary"][PROPERTY]


def _spoil_manifests(disk: Disk, uri: str) -> None:
    """Each file is to be read from its middle on. The manifest list follows."""

    def from_the_middle(entries: list[Record]) -> None:
        for entry in entries:
            entry["data_file"]["split_offsets"] = [entry["data_file"]["file_size_in_bytes"] // 2]

    def with_lengths(manifests: list[Record]) -> None:
        for listed in manifests:
            listed["manifest_length"] = _change(disk, listed["manifest_path"], from_the_middle)

    _change(disk, uri, with_lengths)


def _change(disk: Disk, uri: str, change: Callable[[list[Record]], None]) -> int:
    """Changes the records of an Avro file. Returns its length in bytes."""
    file = disk.path(disk.key(uri))
    records = read_records(file)
    change(records)
    write_records(file, records)
    return file.stat().st_size


def _current(metadata: Record) -> Record:
    id = metadata["current-snapshot-id"]
    found: Record = next(one for one in metadata["snapshots"] if one["snapshot-id"] == id)
    return found


setattr(Translated, "judged", partialmethod(judged))  # noqa: B010
