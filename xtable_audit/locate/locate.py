"""From what a user names to a table: a metadata.json, a table's root, or `catalog.namespace.table`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote

from xtable_audit.access.confined import AllowedFolder, Confined, root_of
from xtable_audit.formats.iceberg.table_json import IN_CATALOG
from xtable_audit.formats.installed import DEFAULT, metadata_folders, other_formats, target_formats, target_of
from xtable_audit.formats.target import TargetFormat
from xtable_audit.locate.catalog import metadata_in_catalog
from xtable_audit.locate.stores import LOCAL, Stores, scheme_of
from xtable_audit.model.limits import LIMITS, Limits
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.time_limits import Patience, run


@dataclass(frozen=True)
class Reach:
    """Plain values, which can cross to another process; a credential that is not among them is that process's own."""

    metadata_location: str
    stores: Stores = field(default_factory=Stores, repr=False)
    allow: tuple[str, ...] = ()
    """Folders of files beside the table's own."""
    limits: Limits = LIMITS
    own: tuple[str, ...] = ()
    """Names of folders around which a table's own is, if they hold its metadata."""

    def objects(self) -> Confined:
        """Read-only access to the files below the table's folder and below those of `allow`. Raises Problem."""
        folders = tuple(
            AllowedFolder(address, replace(self.stores.objects(address), limits=self.limits))
            for address in (root_of(self.metadata_location, self.own), *self.allow)
        )
        patience = Patience.of_disk() if scheme_of(self.metadata_location) in LOCAL else Patience()
        own = folders[0].objects
        return Confined(own.filesystem, self.limits, own.at_once, folders, patience)


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
        folder = folder.partition(f"/{own}/")[0].removesuffix(f"/{own}").rstrip("/")
    return folder.rpartition("/")[2] or address


FILES = (".json", ".json.gz")
SECONDS = 120.0
"""For a catalog and a store to tell where the table's metadata.json is."""


def locate(location: str, stores: Stores | None = None, allow: Sequence[str] = (), limits: Limits = LIMITS) -> Located:
    """The table at `location`, with access to the files below its folder and below the folders of `allow` alone.

    Raises Problem for what is no table, Unreachable for a store that does not answer.
    """
    try:
        found, stores = run(lambda: _found(location, stores or Stores()), SECONDS)
    except TimeoutError as error:
        raise Unreachable(f"{location} is not found: {error}") from error
    reach = Reach(found.metadata_location, stores, tuple(allow), limits, metadata_folders())
    return replace(found, objects=reach.objects(), reach=reach)


def _found(location: str, stores: Stores) -> tuple[Located, Stores]:
    """The table, and the stores that its files are read from."""
    location = location.strip()
    if not location:
        raise Problem("name a table: its metadata.json, its folder, or catalog.namespace.table")
    target, location = _format_named(location)
    if IN_CATALOG.match(location) and not location.endswith(FILES) and not Path(location).exists():
        if target is not None and target.name != DEFAULT:
            raise Problem(f"{location} is a name in a catalog: name a {target.title} table by its folder")
        found, properties, notes = metadata_in_catalog(location)
        stores = replace(stores, properties=properties)
        return _located(found, stores, notes, name=location.partition(".")[2]), stores
    address = location if scheme_of(location) else str(Path(location).expanduser().absolute())
    objects = stores.objects(address)
    if not address.endswith(FILES):
        found, notes = _in_folder(target, objects, address)
        return _located(found, stores, notes), stores
    if _size(objects, address) is None:
        raise Problem(f"there is no file {location}; name a table's metadata.json, its folder or its catalog")
    return _located(address, stores), stores


def _format_named(location: str) -> tuple[TargetFormat | None, str]:
    """The format of `delta:LOCATION`, and the location; no format for one without such a beginning."""
    name, colon, rest = location.partition(":")
    if not colon or name not in target_formats():
        return None, location
    if not rest.strip("/"):
        raise Problem(f"{location!r} names no table; write {name}:LOCATION, the table's folder")
    return target_formats()[name], rest


def _in_folder(target: TargetFormat | None, objects: Objects, root: str) -> tuple[str, tuple[str, ...]]:
    """The metadata location of the table in that folder, and notes. Without a format named, Iceberg goes first."""
    if target is not None:
        return target.find(objects, root)
    others = [one for one in other_formats() if not one.only_if_named]
    try:
        found, notes = target_formats()[DEFAULT].find(objects, root)
    except Unreachable:
        raise
    except Problem:
        for other in others:
            if other.is_at(objects, root):
                place, notes = other.find(objects, root)
                return place, (f"The folder holds no Iceberg metadata: it is checked as a {other.title} table.", *notes)
            if other.is_begun(objects, root):
                other.find(objects, root)  # says what it lacks
        raise
    for other in others:
        with suppress(Unreachable):  # what is allowed to read a table is perhaps not allowed to list the rest
            if other.is_at(objects, root):
                again = f"xtable-audit check {quote(f'{other.name}:{root}')}"
                also = f"The folder holds a {other.title} table too, which is not checked: {again}"
                notes = (*notes, also)
    return found, notes


def _located(address: str, stores: Stores, notes: tuple[str, ...] = (), name: str = "") -> Located:
    remote = scheme_of(address) not in LOCAL
    return Located(name or name_of(address), address, stores.objects(address), notes, remote, stores.is_aws(address))


def _size(objects: Objects, address: str) -> int | None:
    try:
        return objects.size(address)
    except Malformed as error:
        raise Unreachable(str(error)) from error
