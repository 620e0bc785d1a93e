"""The installed table formats, as sources and as targets, and the one way from a location to stored metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules

from xtable_audit import formats
from xtable_audit.formats.source import SourceFormat
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.objects import Objects
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.table.stored_metrics import StoredMetrics

GROUP = "xtable_audit.formats"
DEFAULT = ICEBERG
"""The format of a table that is named without one, and of any metadata location that is no other format's."""
OURS = {
    name: f"{formats.__name__}.{name}.format:{name.upper()}"
    for name in sorted(
        (one.name for one in iter_modules(formats.__path__) if one.ispkg), key=lambda name: name != DEFAULT
    )
}
"""The judge's own formats, each a folder here: name -> module and object. Each is imported when it is first asked
for."""


@dataclass(frozen=True)
class TableFormat:
    """A table format: what reads its metadata as a translator's target, and what reads it as a source."""

    target: TargetFormat | None = None
    source: SourceFormat | None = None


class Installed(Mapping[str, TableFormat]):
    """The installed formats by name. Raises Problem for one that cannot be loaded or whose name is taken."""

    def __init__(self, ours: Mapping[str, str]) -> None:
        self._ours = ours
        self._loaded: dict[str, TableFormat] = {}

    def __getitem__(self, name: str) -> TableFormat:
        if name not in self._loaded:
            self._loaded[name] = _load(self._entries[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def _entries(self) -> Mapping[str, EntryPoint]:
        found = {name: EntryPoint(name, value, GROUP) for name, value in self._ours.items()}
        for entry in entry_points(group=GROUP):
            if entry.name in found:
                raise Problem(
                    f"two packages register the table format {entry.name}: {found[entry.name].value}, and "
                    f"{entry.value}. Uninstall one of them."
                )
            found[entry.name] = entry
        return found


def _load(entry: EntryPoint) -> TableFormat:
    try:
        loaded = entry.load()
    except (ImportError, AttributeError) as error:
        raise Problem(f"the table format {entry.name} cannot be loaded from {entry.value}: {error}") from error
    if not isinstance(loaded, TableFormat):
        kind = type(loaded).__name__
        raise Problem(f"the table format {entry.name} is no TableFormat: {entry.value} is of type {kind}")
    return loaded


INSTALLED = Installed(OURS)


def source_formats() -> dict[str, SourceFormat]:
    """The formats that a source may have, by name."""
    return {name: one.source for name, one in INSTALLED.items() if one.source is not None}


def is_source(name: str) -> bool:
    """Whether a source may have a format of that name. Imports no other format."""
    return name in INSTALLED and INSTALLED[name].source is not None


def source_format(name: str) -> SourceFormat:
    """The format of that name. Raises Problem if no source has one."""
    source = INSTALLED[name].source if name in INSTALLED else None
    if source is None:
        raise Problem(f"no source has the format {name}; there are {', '.join(source_formats())}")
    return source


def target_formats() -> dict[str, TargetFormat]:
    """The formats that a translator may write, by name, `DEFAULT` first."""
    return {name: one.target for name, one in INSTALLED.items() if one.target is not None}


def other_formats() -> list[TargetFormat]:
    """Those that a table's folder or address tells by itself."""
    return [one for name, one in target_formats().items() if name != DEFAULT]


def known_claims() -> tuple[str, ...]:
    """The ids of the claims about tables of any format."""
    return tuple(dict.fromkeys(id for target in target_formats().values() for id in target.check.claims))


def metadata_folders() -> tuple[str, ...]:
    """The names of folders that hold a table's metadata, in any format."""
    return tuple(one.folder for one in target_formats().values() if one.folder)


def target_of(metadata_location: str) -> TargetFormat:
    """The format of the table whose metadata is there, by the address."""
    here = (one for one in other_formats() if one.reads(metadata_location))
    return next(here, target_formats()[DEFAULT])


def read_stored(objects: Objects, metadata_location: str) -> StoredMetrics:
    """The stored metrics of the table whose metadata is at `metadata_location`, in whichever format. Raises Malformed.

    It is the address of a metadata.json of Iceberg, or of a commit in Delta's log, which names the version also where
    that file was cleaned up.
    """
    return target_of(metadata_location).read(objects, metadata_location)
