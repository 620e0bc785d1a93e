"""The source that the user names, for the claims that need it, or that lies in the table's own folder."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from xtable_audit.check.sample import Sample, within
from xtable_audit.formats.configuration import Configuration, read_configuration
from xtable_audit.formats.folder import TableFolder, place_of
from xtable_audit.formats.installed import is_source, metadata_folders, source_format, source_formats, target_of
from xtable_audit.formats.named_source import MOST, NamedSource, read_rows, read_state
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined, malformed_is_a_problem
from xtable_audit.locate.stores import LOCAL, Stores, scheme_of
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.objects import Objects
from xtable_audit.model.own_table import SourceFacts
from xtable_audit.model.problem import Problem
from xtable_audit.scan import live_files
from xtable_audit.subject.case import UNKNOWN_SOURCE, Source
from xtable_audit.subject.table_rows import Rows
from xtable_audit.subject.table_rows import read_rows as read_table_rows
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import Synced

ALONE = 4 * MOST
"""Bytes of a data file whose rows are compared by itself."""
OF_FILES = "A row that is in two files is not seen, nor one that should be in another."
TOO_LARGE = f"Rows are not compared with the source's: each data file has more than {ALONE // 10**6} MB."
FOUND = "The table has no file, so it is compared with the {source} table in its folder, from which XTable made it."
UNTOLD = (
    "the table has no file and does not say which {commit} of the {source} table in its folder it has, which has rows"
)


@dataclass(frozen=True)
class AskedSource:
    """What the user says of the source."""

    named: NamedSource
    config: Path | None = None
    """XTable's own configuration, which has the partition spec of a Hudi table."""
    unnamed: bool = False
    """Whether the user does not name it, and it was found in the table's own folder."""
    synced: Synced | None = None
    """What was translated, where the caller knows it: a table that another than XTable wrote does not say."""


@dataclass(frozen=True)
class ComparedRows:
    """The source with its rows, and those of the table; without, if they are not compared."""

    source: Source
    ours: Rows | None = None
    notes: tuple[str, ...] = ()

    @property
    def compared(self) -> int | None:
        return self.ours.values.num_rows if self.ours is not None else None


@dataclass(frozen=True)
class KnownSource:
    """`source` is what claims compare with, all of it but the rows. `state` is None if it is undetermined."""

    asked: AskedSource
    folder: TableFolder
    source: Source
    state: SourceState | None

    @property
    def notes(self) -> list[str]:
        state, named = self.state, self.asked.named
        found = [FOUND.format(source=named.format.capitalize())] if self.asked.unnamed else []
        if state is None or not state.later:
            return found
        word = source_format(state.format).commit
        behind = f"The table lags behind its source by {many(state.later, 'commit')}"
        return [*found, f"{behind}: it has {word} {state.at}, and is compared with that; the newest is {state.newest}."]

    @property
    def facts(self) -> SourceFacts:
        state, named = self.state, self.asked.named
        if state is None:
            return SourceFacts(named.format, named.location, self.source.untold)
        return SourceFacts(named.format, named.location, "", state.at, state.newest, state.later, len(state.files))

    @property
    def configured(self) -> tuple[str, ...]:
        """The partition columns that XTable's configuration must name: those of a Hudi table."""
        return self.state.partition_by if self.state is not None and self.state.spec_is_configured else ()

    @cached_property
    def size(self) -> int:
        """Bytes of its live files."""
        return sum(size or 0 for size in self.state.files.values()) if self.state is not None else 0

    def part(self, stored: StoredMetrics, seed: int) -> tuple[StoredMetrics, Sample] | None:
        """Files of the table that the source has too, drawn at random, so that their rows fit in memory; None for all.

        Raises Problem if each is too large.
        """
        if self.size <= MOST:
            return None
        both = stored.only(np.array([path in (self.source.base_files or {}) for path in stored.paths], dtype=bool))
        try:
            sample = within(both, MOST, seed, both.files.num_rows)
        except Problem:
            sample = within(both, ALONE, seed, 1)
        return both.only(np.isin(np.arange(both.files.num_rows), sample.places)), sample

    def rows(self, objects: Objects, stored: StoredMetrics, seed: int, why_not: str) -> ComparedRows:
        """The rows of the table at `stored` and of its source, unless there is a reason `why_not`, a sentence."""
        if self.state is None or why_not:
            return ComparedRows(self.source, notes=(why_not,) if why_not else ())
        try:
            part = self.part(stored, seed)
        except Problem:
            return ComparedRows(self.source, notes=(TOO_LARGE,))
        some, sample = part if part is not None else (stored, None)
        try:
            places = {place_of(path) for path in some.paths}
            only = [uri for uri in self.state.files if place_of(uri) in places]
            shown = read_rows(self.folder, self.state, only=only if sample is not None else None)
            ours = read_table_rows(objects, stored, live_files(objects, stored).only(some.paths))
            notes = (f"Rows of {sample.read} {sample.shows} {OF_FILES}",) if sample is not None else ()
        except NotCompared as error:
            return ComparedRows(self.source, notes=(f"Rows are not compared: {error}.",))
        except (Undetermined, Malformed) as error:
            return ComparedRows(replace(self.source, untold_rows=str(error)))
        return ComparedRows(replace(self.source, shown=shown, untold_rows=""), ours, notes)

    def why_no_rows(self, *, partly: bool) -> str:
        """Why its rows are not read, in a sentence; "" if they are. `partly` if not all of the table is read."""
        if self.state is None:
            return ""
        return "Rows are not compared with the source's: not all of the table is read." if partly else ""


def known_source(
    asked: AskedSource, stored: StoredMetrics, stores: Stores | None = None, *, objects: Objects | None = None
) -> KnownSource:
    """The source, which `objects` reach, or the stores of its address.

    Raises Problem for a source that is none or not the table's, Unreachable for a store that does not answer."""
    support = target_of(stored.metadata_location).check
    synced = asked.synced or support.synced(stored)
    if synced is None:
        raise Problem(f"{support.says_no_sync}; --source is for tables that XTable wrote")
    named = asked.named
    configuration = read_configuration(asked.config, named.location) if asked.config is not None else None
    named.demand_format(configuration)
    if synced.format not in ("", named.format):
        raise Problem(f"XTable made the table from {synced.format.capitalize()}, and the source is named {named}")
    folder = _folder(named, stores or Stores()) if objects is None else TableFolder(named.location, objects)
    below = _below(folder, stored)
    try:
        state = read_state(named.format, folder, synced, below)
    except Undetermined as error:
        return KnownSource(asked, folder, replace(UNKNOWN_SOURCE, untold=str(error)), None)
    return KnownSource(asked, folder, _source(configuration, state, stored), state)


def _folder(named: NamedSource, stores: Stores) -> TableFolder:
    location = named.location.rstrip("/")
    if scheme_of(location) in LOCAL and not location.startswith("file:"):
        location = str(Path(location).expanduser().absolute())
    return TableFolder(location, stores.objects(location))


def _below(folder: TableFolder, stored: StoredMetrics) -> list[str]:
    """Paths of the table's data files below the source's folder. Raises Problem if none is there."""
    root = f"{place_of(folder.root)}/"
    places = [place_of(path) for path in stored.paths]
    below = [place.removeprefix(root) for place in places if place.startswith(root)]
    if places and not below:
        raise Problem(
            f"no data file of the table is below {folder.root}, such as {stored.paths[0]} is not: name the folder that "
            "XTable read, by the address that the metadata has"
        )
    return below


def _source(config: Configuration | None, state: SourceState, stored: StoredMetrics) -> Source:
    spelled = {place_of(path): path for path in stored.paths}

    def as_stored(uri: str) -> str:
        return spelled.get(place_of(uri), uri)

    beside = {as_stored(uri): one for uri, one in state.beside.items()}
    left = {path: one for path, one in beside.items() if path not in stored.deletions.applied}
    unsure = [str(one) for one in left.values() if not one.wins]
    return Source(
        partition_by=state.partition_by,
        separates=(),
        base_files={as_stored(uri): size or 0 for uri, size in state.files.items()},
        spec=_spec(config, state, stored),
        columns=state.columns,
        beside={path: str(one) for path, one in left.items() if one.wins},
        laid_out=False,
        untold_rows=f"the source has {unsure[0]}, which may take effect or not" if unsure else "",
    )


def _spec(config: Configuration | None, state: SourceState, stored: StoredMetrics) -> str | None:
    """As XTable is configured; where the source decides it, as its log has it.

    Without the configuration, partition columns are wanted in some way: "" where the spec has no field.
    """
    if not state.spec_is_configured:
        return state.spec
    if config is None:
        return "" if state.partition_by and not stored.partitioning.spec else None
    fields = (f"{one.name}:{one.transform}" + (f":{one.format}" if one.format else "") for one in config.spec)
    return ",".join(fields)


# The source that lies in a table's own folder, where the user names none and the table has no file.
#
# A translation of no file breaks no claim about files. It is right of an empty source, and wrong of one that has rows.


def source_beside(stored: StoredMetrics, objects: Objects) -> KnownSource | None:
    """The source in the folder of a table of no file; None if there is none that is known to hold anything."""
    if stored.files.num_rows:
        return None
    synced = target_of(stored.metadata_location).check.synced(stored)
    if synced is None:
        folder = TableFolder(_root(stored.metadata_location), objects)
        return next(filter(None, (_exported(name, folder) for name in source_formats())), None)
    if not is_source(synced.format):
        return None
    asked = AskedSource(NamedSource(synced.format, _root(stored.metadata_location)), unnamed=True)
    with suppress(Problem):  # nothing of that format is there, or it cannot be reached
        known = known_source(asked, stored, objects=objects)
        return known if known.state is not None and (known.state.files or known.state.beside) else None
    return None


def _exported(format: str, folder: TableFolder) -> KnownSource | None:
    """A source whose own exporter may have written the table, which says no commit; None if it holds nothing."""
    newest = source_format(format).newest
    if newest is None:
        return None
    with suppress(Problem, Undetermined):  # as above
        with malformed_is_a_problem():
            synced = newest(folder)
        state = read_state(format, folder, synced, ())
        if state.files or state.beside:
            untold = UNTOLD.format(commit=source_format(format).commit, source=format.capitalize())
            asked = AskedSource(NamedSource(format, folder.root))
            return KnownSource(asked, folder, replace(UNKNOWN_SOURCE, untold=untold), None)
    return None


def _root(metadata_location: str) -> str:
    folder = metadata_location.rpartition("/")[0]
    for own in metadata_folders():
        folder = folder.removesuffix(f"/{own}").rstrip("/")
    return folder
