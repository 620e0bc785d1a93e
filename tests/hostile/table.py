"""A small table on this disk whose metadata a stranger may write, file by file."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.audit.draft import Record, current_snapshot, read_records, write_records
from xtable_audit.locate.locate import locate
from xtable_audit.model.limits import LIMITS, Limits
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case
from xtable_audit.subject.read_case import read_case


@dataclass(frozen=True)
class Hostile:
    """One data file, in one manifest."""

    metadata: Path
    data: Path

    @property
    def root(self) -> Path:
        return self.metadata.parent.parent

    @property
    def manifest_list(self) -> Path:
        return _local(current_snapshot(json.loads(self.metadata.read_text()))["manifest-list"])

    @property
    def manifest(self) -> Path:
        return _local(read_records(self.manifest_list)[0]["manifest_path"])

    def change_metadata(self, change: Callable[[Record], object]) -> None:
        content = json.loads(self.metadata.read_text())
        change(content)
        self.metadata.write_text(json.dumps(content))

    def change_manifests(self, change: Callable[[list[Record]], object]) -> None:
        records = read_records(self.manifest_list)
        change(records)
        write_records(self.manifest_list, records)

    def change_entries(self, change: Callable[[list[Record]], object]) -> None:
        records = read_records(self.manifest)
        change(records)
        write_records(self.manifest, records)

    def names_file(self, address: str) -> Path:
        """Its one data file is at this address. Returns the file that says so."""
        manifest = self.manifest
        self.change_entries(lambda entries: entries[0]["data_file"].update(file_path=address))
        return manifest

    def names_manifest(self, address: str) -> Path:
        listing = self.manifest_list
        self.change_manifests(lambda manifests: manifests[0].update(manifest_path=address))
        return listing

    def names_list(self, address: str) -> Path:
        self.change_metadata(lambda content: current_snapshot(content).update({"manifest-list": address}))
        return self.metadata

    def case(self, allow: Sequence[str] = (), limits: Limits = LIMITS) -> Case:
        location = str(self.metadata)
        objects = locate(location, allow=allow, limits=limits).objects
        return read_case(objects, "orders-unknown", location, UNKNOWN_SOURCE)


def _local(address: str) -> Path:
    return Path(address.removeprefix("file://"))
