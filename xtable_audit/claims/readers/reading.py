"""Rows that a reader returns and files that it plans and reads, against actual values and the judge's plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from xtable_audit.claims.needs import EVERY_FILE_READ, NO_DELETES
from xtable_audit.model import rules
from xtable_audit.model.claim import Claim, Need, claim
from xtable_audit.model.deviation_kind import DeviationKind
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Predicate
from xtable_audit.planning.selection import Selection, bounds_in_words
from xtable_audit.table.stored_metrics import StoredMetrics

SCAN = rules.SCAN
REQUESTS = "the store's own request log"
PLAN = "the reader's own account of its plan"


@dataclass(frozen=True)
class Asked:
    """One predicate on one reader, next to the judge's selection. Files are full URIs as in the metadata.

    A field is None if the reader or the store's log does not report it.
    """

    predicate: Predicate
    actual: Selection
    version: str
    """Version of the reader."""
    rows: int | None
    error: str | None
    read: frozenset[str] | None
    """Data files that it requests bytes of."""
    live: int | None
    planned: frozenset[str] | None
    planned_count: int | None
    unknown_plan: str | None = None
    """Why the reader's plan could not be read."""


@dataclass(frozen=True)
class Reread:
    """The result of reading the newest metadata after the previous one."""

    before: str
    """Location of the previous metadata."""
    rows: int | None
    error: str | None


@dataclass(frozen=True)
class TableReading:
    """One reader's answers to one question on one table."""

    reader: str
    stored: StoredMetrics
    asked: tuple[Asked, ...]
    of_native: Callable[[], Sequence[Asked]]
    """The same question on native Iceberg over the same rows."""
    reread: Callable[[], Reread]
    """For a table that has metadata before its newest."""
    earlier: tuple[str, ...] = ()
    """Locations of the metadata before the newest, oldest first."""

    def why(self, files: frozenset[str], one: Asked) -> str:
        """The first of these files by name, with the bounds that decide on it."""
        return bounds_in_words(self.stored, min(files), one.predicate)


@dataclass(frozen=True)
class Misread:
    """One predicate under which a claim about a reader does not hold."""

    asked: Asked
    saw: str
    expected: str
    files: frozenset[str]
    kind: str = ""
    """How it is wrong, if the register tells it by that: a DeviationKind."""
    columns: frozenset[str] = frozenset()
    """The columns of the predicate, where the claim is about columns."""
    wrong: int = 0
    """Rows that are missing, or too many, by the source."""
    verdict: Verdict | None = None
    """If it is not the claim's."""


ReaderClaim = Claim[TableReading, Misread]


def _all(met: Iterable[bool]) -> int:
    """The number of answers if all meet the condition, else 0: one missing report leaves the claim open."""
    each = list(met)
    return len(each) if all(each) else 0


ANSWERS = Need[TableReading]("an answer", lambda reading: len(reading.asked))
REQUEST_LOG = Need[TableReading](
    "a request log that says which files the reader reads (see --s3 and --trino)",
    lambda reading: _all(one.read is not None for one in reading.asked),
    of_run=True,
)
PLAN_COUNTED = Need[TableReading](
    "the reader's own account of how many files it plans",
    lambda reading: _all(one.planned_count is not None for one in reading.asked),
    of_run=True,
    why=lambda reading: next((one.unknown_plan for one in reading.asked if one.unknown_plan), ""),
)
LIVE_COUNTED = Need[TableReading](
    "the reader's own account of how many files are live",
    lambda reading: _all(one.live is not None for one in reading.asked),
    of_run=True,
)
READ_OF_NATIVE = Need[TableReading](
    "the files that the reader reads of native Iceberg",
    lambda reading: _all(one.read is not None and one.error is None for one in reading.of_native()),
    of_run=True,
)
METADATA_BEFORE = Need[TableReading]("metadata before the newest", lambda reading: len(reading.earlier), of_run=True)


@claim("the reader can read the table", needs=ANSWERS, spec=SCAN, breaks=Verdict.UNREADABLE)
def reader_can_read_the_table(reading: TableReading) -> Iterator[Misread]:
    """Checked before every other claim about a reader."""
    for one in reading.asked:
        if one.error is not None:
            yield Misread(one, one.error, many(one.actual.rows_returned, "row"), one.actual.live)


@claim(
    "the reader counts the rows that match by their values",
    needs=(ANSWERS, EVERY_FILE_READ),
    spec=SCAN,
    breaks=Verdict.UNSOUND,
)
def rows_are_those_of_the_files(reading: TableReading) -> Iterator[Misread]:
    for one in reading.asked:
        if one.rows is None:
            raise AssertionError("the reader refuses, although the claim needs its answers")
        if one.rows != one.actual.rows_returned:
            yield Misread(one, many(one.rows, "row"), many(one.actual.rows_returned, "row"), one.actual.matching)


@claim(
    "the reader reads every file that holds a matching row",
    needs=(ANSWERS, REQUEST_LOG),
    spec=f"{SCAN}; by {REQUESTS}",
    breaks=Verdict.UNSOUND,
)
def every_matching_file_is_read(reading: TableReading) -> Iterator[Misread]:
    for one in _watched(reading):
        if lost := one.actual.matching - one.files:
            of_all = f"{len(lost)} of {len(one.actual.matching)} matching files never asked for"
            yield Misread(one.asked, f"{of_all}: {reading.why(lost, one.asked)}", "each of them read", lost)


@claim(
    "the reader reads the files that the metadata plans, and no other",
    needs=(ANSWERS, REQUEST_LOG),
    spec=f"{SCAN}; by {REQUESTS}",
    breaks=Verdict.LOOSE,
)
def only_planned_files_are_read(reading: TableReading) -> Iterator[Misread]:
    for one in _watched(reading):
        if extra := one.files - one.actual.planned:
            saw = f"{many(len(one.files), 'file')} read, among them {reading.why(extra, one.asked)}"
            yield Misread(one.asked, saw, f"{len(one.actual.planned)} that the metadata plans", extra)


@claim(
    "the reader reads as many files of a translated table as of native Iceberg over the same rows",
    needs=(ANSWERS, REQUEST_LOG, READ_OF_NATIVE),
    spec=f"{SCAN}; by {REQUESTS}",
    breaks=Verdict.LOOSE,
)
def as_many_files_are_read_as_of_native(reading: TableReading) -> Iterator[Misread]:
    for one, native in zip(reading.asked, reading.of_native(), strict=True):
        if one.read is not None and native.read is not None and len(one.read) != len(native.read):
            yield Misread(one, f"{many(len(one.read), 'file')} read", f"{len(native.read)}", one.read)


@claim("the reader knows of each live data file", needs=(ANSWERS, LIVE_COUNTED), spec=PLAN, breaks=Verdict.UNSOUND)
def every_live_file_is_listed(reading: TableReading) -> Iterator[Misread]:
    for one in reading.asked:
        if one.live is not None and one.live != len(one.actual.live):
            yield Misread(one, f"{many(one.live, 'file')} live", f"{len(one.actual.live)}", one.actual.live)


@claim(
    "the reader plans the files that the metadata plans",
    needs=(ANSWERS, PLAN_COUNTED),
    spec=f"{SCAN}; by {PLAN}",
    breaks=Verdict.LOOSE,
)
def planned_files_are_the_judges(reading: TableReading) -> Iterator[Misread]:
    """Compares files by name if the reader names them, else their number."""
    for one in reading.asked:
        if one.planned_count is None:
            continue
        planned = one.actual.planned
        same = one.planned_count == len(planned) if one.planned is None else one.planned == planned
        if not same:
            yield Misread(
                one, f"{many(one.planned_count, 'file')} planned", f"{len(planned)} that the metadata plans", planned
            )


@claim(
    "the reader reads as many files as it says it planned",
    needs=(ANSWERS, PLAN_COUNTED, REQUEST_LOG),
    spec=f"{PLAN}, against {REQUESTS}",
    breaks=Verdict.LOOSE,
)
def planned_files_are_read(reading: TableReading) -> Iterator[Misread]:
    for one in _watched(reading):
        planned = one.asked.planned_count
        if planned is not None and planned != len(one.files):
            yield Misread(one.asked, f"{len(one.files)} read", f"{planned} planned", one.files)


@claim(
    "asked for the newest metadata, the reader reads it",
    needs=(ANSWERS, METADATA_BEFORE, EVERY_FILE_READ, NO_DELETES),
    spec="Iceberg spec, Table Metadata: a table is what its metadata file says",
    breaks=Verdict.STALE,
)
def newest_metadata_is_read(reading: TableReading) -> Iterator[Misread]:
    """The reader must not cache the previous metadata."""
    again, one = reading.reread(), reading.asked[0]
    rows = one.actual.rows_total
    if again.rows != rows:
        what = again.error if again.rows is None else many(again.rows, "row")
        kind = DeviationKind.NO_ROWS if again.rows == 0 else ""
        yield Misread(one, f"{what} in all, after {again.before}", many(rows, "row"), one.actual.live, kind)


class SourceReading(TableReading):
    """The answers of Hudi's own reader on the source of a translated table: the baseline."""


OF_SOURCE: Need[SourceReading] = ANSWERS
LOG_OF_SOURCE: Need[SourceReading] = REQUEST_LOG


@claim(
    "Hudi's own reader counts the rows that match by their values",
    needs=(OF_SOURCE, EVERY_FILE_READ),
    spec="the base line of the readers",
    breaks=Verdict.UNSOUND,
)
def source_rows_are_those_of_the_files(reading: SourceReading) -> Iterator[Misread]:
    yield from rows_are_those_of_the_files.check(reading)


@claim(
    "Hudi's own reader reads every file that holds a matching row",
    needs=(OF_SOURCE, LOG_OF_SOURCE),
    spec=f"the base line of the readers, by {REQUESTS}",
    breaks=Verdict.UNSOUND,
)
def every_matching_file_of_the_source_is_read(reading: SourceReading) -> Iterator[Misread]:
    yield from every_matching_file_is_read.check(reading)


@claim(
    "the translated metadata plans no more files than Hudi reads of its own table",
    needs=(OF_SOURCE, LOG_OF_SOURCE),
    spec=f"{SCAN}; against {REQUESTS}",
    breaks=Verdict.LOOSE,
)
def translation_prunes_as_well_as_the_source(reading: SourceReading) -> Iterator[Misread]:
    for one in _watched(reading):
        if len(one.actual.planned) > len(one.files):
            saw = f"{len(one.actual.planned)} planned"
            yield Misread(one.asked, saw, f"{len(one.files)} at most", one.actual.planned)


@dataclass(frozen=True)
class _Watched:
    """An answer with a request log."""

    asked: Asked
    files: frozenset[str]
    """Files that the reader reads."""

    @property
    def actual(self) -> Selection:
        return self.asked.actual


def _watched(reading: TableReading) -> Iterator[_Watched]:
    return (_Watched(one, one.read) for one in reading.asked if one.read is not None)
