"""A table that was found: the address of its metadata and read-only access to its files."""

from __future__ import annotations

from dataclasses import dataclass, field

from xtable_audit.formats.target import TargetFormat
from xtable_audit.formats.targets import metadata_folders, target_of
from xtable_audit.locate.reach import Reach
from xtable_audit.model.objects import Objects


@dataclass(frozen=True)
class Located:
    """`name` is what people call the table. `notes` are sentences about how it was found."""

    name: str
    metadata_location: str
    objects: Objects = field(repr=False)
    notes: tuple[str, ...] = ()
    is_remote: bool = False
    is_aws: bool = False
    """In AWS's own S3, which charges for requests."""
    reach: Reach | None = field(default=None, repr=False)
    """How another process opens the same files."""

    @property
    def target(self) -> TargetFormat:
        """The table's format."""
        return target_of(self.metadata_location)


def name_of(address: str) -> str:
    """The name of a table's folder, by its own address or that of a file of metadata in it."""
    folder = address.rstrip("/")
    if folder.endswith((".json", ".json.gz")):
        folder = folder.rpartition("/")[0]
    for own in metadata_folders():
        folder = folder.removesuffix(f"/{own}").rstrip("/")
    return folder.rpartition("/")[2] or address
