"""Whether the table can be read at all, and whether a catalog registers it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.malformed import ColumnMisfit
from xtable_audit.model.subject_id import ICEBERG

RIGHT = "a file that is what the metadata says it is"


@dataclass(frozen=True)
class Opened:
    """The result of reading a table's metadata and the footers of its data files."""

    metadata_location: str
    """Empty if no sync leaves metadata."""
    unreadable: str | None
    """Why it cannot be judged, in one sentence; None if it can."""
    silent: bool
    """Whether the sync that leaves no metadata does not report a failure."""
    effect: str = ""
    """What a reader of the metadata loses, in one sentence."""
    misleads: bool = False
    """Whether some reader returns wrong rows and no error."""
    synced: bool = True
    """Whether a sync that reports success left it, which then fails silently."""
    expected: str = RIGHT
    """What is read instead of what cannot be."""
    misfit: ColumnMisfit | None = None
    """The column because of which a data file cannot be read, if it is one's."""


@dataclass(frozen=True)
class Unreadable:
    saw: str
    expected: str
    verdict: Verdict | None = None
    misfit: ColumnMisfit | None = None


@dataclass(frozen=True)
class Registration:
    """The registration of a table in a catalog."""

    files: int
    refusal: str | None


@claim(
    "metadata and data files can be read",
    needs=Need[Opened]("a table", lambda opened: 1),
    spec="Iceberg spec, Table Metadata: a table is what its metadata file, manifests and data files say",
    breaks=Verdict.FAILED_SILENTLY,
)
def metadata_and_data_files_can_be_read(opened: Opened) -> Iterator[Unreadable]:
    """UNREADABLE if the translator itself reports that it made no table, or if nobody knows of a sync; UNSOUND if a
    reader returns wrong rows.
    """
    if opened.unreadable is not None:
        failed = not opened.metadata_location
        expected = "a sync that comes through" if failed else opened.expected
        verdict = Verdict.UNREADABLE if (failed and not opened.silent) or not opened.synced else None
        saw = f"{opened.unreadable}: {opened.effect}" if opened.effect else opened.unreadable
        yield Unreadable(saw, expected, Verdict.UNSOUND if opened.misleads else verdict, opened.misfit)


@claim(
    "Trino registers the table in a Nessie catalog",
    needs=Need[Registration]("a live data file", lambda registration: registration.files),
    spec="Iceberg spec, Table Metadata: a table is what its metadata file says, in any catalog",
    breaks=Verdict.UNREADABLE,
    of=ICEBERG,
)
def table_can_be_registered_in_nessie(registration: Registration) -> Iterator[Unreadable]:
    if registration.refusal is not None:
        yield Unreadable(registration.refusal, "a table that can be read through the catalog")
