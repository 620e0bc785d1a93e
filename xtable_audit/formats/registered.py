"""The table formats that are installed: the judge's own, and those that other packages register.

A package registers a format as an entry point of the group `xtable_audit.formats`, as SQLAlchemy's dialects are
registered: its name is the format's, its object a `TableFormat`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules

from xtable_audit import formats
from xtable_audit.formats.source import SourceFormat
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG

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
