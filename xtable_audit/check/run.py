"""Checks one table: metadata first, then the values of as many files as the user wants to read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from shlex import quote
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.check.claims import Checked, by_metadata, can_be_read, claims_named, judge_claims, unread
from xtable_audit.check.cost import ReadCost, estimate
from xtable_audit.check.document import DocumentWriter, Read
from xtable_audit.check.excused import AsConfigured, Ignores
from xtable_audit.check.kept_values import Kept
from xtable_audit.check.metadata_answers import wrong_from_metadata
from xtable_audit.check.options import OVER, Options
from xtable_audit.check.own_predicates import Answered, UserPredicates, exact
from xtable_audit.check.recognise import recognise, with_companions
from xtable_audit.check.roots import with_address, with_roots
from xtable_audit.check.sample import Changed, Sample, changed, draw, of_columns, within
from xtable_audit.check.source import ComparedRows, KnownSource, known_source, source_beside
from xtable_audit.check.values import (
    Measured,
    OpenedFiles,
    Progress,
    ReadingPlan,
    doubted,
    look_up,
    opened,
    read,
    without,
)
from xtable_audit.check.what_to_do import mending, with_example, with_sorting, with_spec, with_stopgaps, without_blocked
from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.needs import OF_ROWS
from xtable_audit.formats.check_support import CheckSupport, FilledRemedy, MetadataWriter
from xtable_audit.locate.locate import Located
from xtable_audit.locate.stores import AT_ONCE
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Finding
from xtable_audit.model.limits import OutOfTime, of_machine
from xtable_audit.model.malformed import Malformed, Unread, first_line
from xtable_audit.model.problem import Problem, Unreachable
from xtable_audit.model.result import ClaimResult
from xtable_audit.packs import sizes_of
from xtable_audit.processes import ProcessScanner, processes_for
from xtable_audit.register.bundled import entries_of
from xtable_audit.report.document import Document
from xtable_audit.scan import LocalScanner, Scanner
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Part
from xtable_audit.table.stored_metrics import StoredMetrics

LARGE, AT_ONCE_OF_LARGE = 16 << 20, 16
"""Bytes of a file from which so many are read at once at most: each takes memory, and its bytes outweigh the wait."""


class Watch(Protocol):
    """Follows the progress of a check."""

    def judged_metadata(self, document: Document) -> None:
        """`document` is of the metadata alone, before data is read."""

    def go_on(self, cost: ReadCost) -> bool:
        """Whether to read that much."""

    def progress(self, cost: ReadCost) -> Progress:
        """What counts the files that are read."""


def check(located: Located, options: Options, watch: Watch) -> Document:
    """The document of the table. Raises Problem for what the user can correct, Unreachable for a store that is not."""
    ignores = Ignores.of(options.ignored, located.name, options.location)
    writing, budget = DocumentWriter(located, options, ignores), options.budget
    with budget.needed("the table's metadata is not read"):
        try:
            stored = _read_metadata(located, options)
        except Malformed as error:
            return writing.document(None, MetadataWriter(), [_broken(error, located, options)])
        where = UserPredicates.parse(options.where, stored)
        known = (
            known_source(options.source, stored)
            if options.source is not None
            else source_beside(stored, located.objects)
        )
        table = _CheckedTable(located, options, stored, located.target.check.writer(stored), ignores, known)
    with budget.needed("the table's metadata is not judged"):
        checked = table.metadata()
    of_metadata = writing.document(
        stored,
        table.writer,
        checked.results,
        notes=(*table.of_source, *_only_metadata(checked)),
        source=known.facts if known else None,
        predicates=where.planned(stored),
    )
    watch.judged_metadata(of_metadata)
    if options.metadata_only or not (checked.waiting or options.where):
        return of_metadata
    reading, cost = table.reading, table.cost
    if cost.files and not watch.go_on(cost):
        return of_metadata
    with budget.needed("no value is read", budget.for_values(cost.seconds)):
        measured = read(table.scanner, reading, watch.progress(cost))
    found = opened(located.name, table.part, measured)
    rows, asked = table.unread, None
    try:
        with budget.within(budget.for_values(cost.seconds)):
            rows = table.rows(checked, found, measured)
            if options.where and not (measured.cut_short or measured.late):
                asked = table.answers(where, found)
    except KeyboardInterrupt:
        measured = replace(measured, cut_short=True)
    except (OutOfTime, MemoryError):
        measured = replace(measured, late=True)
    with budget.needed("values are not judged"):
        values, accused = table.values(checked, found, rows)
    with budget.needed("what is wrong is not read again", budget.for_values(cost.seconds)):
        doubts = table.doubts(measured, found, accused)
    if doubts:
        measured = without(measured, doubts)
        found = opened(located.name, table.part, measured)
        with budget.needed("values are not judged"):
            values, _ = table.values(checked, found, rows)
    if measured.late:
        left = table.part.files.num_rows - found.case.stored.files.num_rows
        values = (*values, unread(located.name, [f"{many(left, 'file')}: {OVER}"]))
    answers = [asked.result(table.writer.ruling, table.finished)] if asked is not None else []
    known_causes = with_companions((*checked.results, *values, *answers), entries_of(located.target.name))
    judged = replace(found.case, source=rows.source, rows=rows.ours)
    rooted = known_causes
    with suppress(OutOfTime, MemoryError), budget.within():
        rooted = with_roots(known_causes, judged, table.configured, asked)
    advice = located.target.check.advice
    results = with_stopgaps(advice.stopgaps, without_blocked(advice, advice.finish(rooted, table.ways), judged.stored))
    how = _how_much(found, table.sample, cut_short=measured.cut_short)
    return writing.document(
        stored,
        table.writer,
        results,
        how,
        (*table.of_source, *rows.notes, *table.notes(how), *_of_metadata_alone(found.case, how)),
        tuple(table.configured.aside),
        replace(known.facts, rows=rows.compared) if known else None,
        asked.asked if asked is not None else where.planned(stored),
    )


@dataclass(frozen=True)
class _CheckedTable:
    """One table whose metadata is read, and what of it is judged."""

    located: Located
    options: Options
    stored: StoredMetrics
    writer: MetadataWriter
    ignores: Ignores
    known: KnownSource | None = None
    """The source, if the user names it."""
    ways: dict[str, Sequence[FilledRemedy]] = field(default_factory=dict)
    """By claim, what mends the findings so far."""

    def metadata(self) -> Checked:
        """The claims about metadata."""
        claims = claims_named(self.options.claims, self.located.target)
        name, known = self.located.name, self.known
        source = UNKNOWN_SOURCE if known is None else known.source
        only, later = self.options.metadata_only, known is not None and not self._why_no_rows
        judged_by = (self.configured, self.ignores, self.finished)
        return by_metadata(name, self.stored, claims, *judged_by, source, metadata_only=only, rows_later=later)

    @property
    def of_source(self) -> Sequence[str]:
        """What a reader must know of the source, a sentence each."""
        return self.known.notes if self.known is not None else ()

    @cached_property
    def _why_no_rows(self) -> str:
        if self.options.metadata_only:
            return "no data file is read"
        partly = bool(self.options.columns) or self.some is not None
        return self.known.why_no_rows(partly=partly) if self.known is not None else "no source is named"

    @property
    def unread(self) -> ComparedRows:
        """The source without its rows."""
        return ComparedRows(self.known.source if self.known is not None else UNKNOWN_SOURCE)

    def rows(self, checked: Checked, found: OpenedFiles, measured: Measured) -> ComparedRows:
        """The rows of the table and of its source."""
        if self.known is None:
            return self.unread
        asked = any(need in OF_ROWS for claim in checked.waiting for need in claim.needs)
        why = self._why_no_rows
        if not why and (measured.cut_short or found.malformed or found.unread):
            why = self.known.why_no_rows(partly=True)
        if not asked and not why:
            return self.unread
        return self.known.rows(self.located.objects, self.stored, self.options.seed, why)

    @cached_property
    def configured(self) -> AsConfigured:
        return AsConfigured(self.stored, self.writer)

    def values(
        self, checked: Checked, found: OpenedFiles, rows: ComparedRows
    ) -> tuple[Sequence[ClaimResult], Collection[str]]:
        """The claims that waited for values, whether the files could be opened, and the files that findings name."""
        accused: set[str] = set()

        def finish(finding: Finding, deviations: Sequence[Deviation]) -> Finding:
            accused.update(found.case.stored.paths[place] for one in deviations for place in one.places)
            completed = with_example(self.completed(finding), found.case)
            return self.advised(with_address(completed, deviations, case), case.stored, deviations)

        name, ruling = self.located.name, self.writer.ruling
        beside, broken = self._beside()
        case = replace(found.case, beside=beside, source=rows.source, rows=rows.ours)
        if broken:
            case = replace(case, unread=frozenset({Part.BESIDE}))
        ways = [unread(name, list(found.unread.values()))] if found.unread else []
        ways += broken
        if found.malformed or not ways:
            ways = [can_be_read(self.located, [*found.malformed.values()], ruling, finish, found.impact), *ways]
        of_values = judge_claims(case, checked.waiting, self.configured, self.ignores, finish)
        return (*ways, *of_values.results), accused

    def doubts(self, measured: Measured, found: OpenedFiles, accused: Collection[str]) -> Mapping[str, str]:
        """Why files that findings name say nothing of the table, by path."""
        state = self.stored.native.state
        return doubted(self.located, state, self.scanner, self.reading, measured, found, accused)

    @cached_property
    def scanner(self) -> Scanner:
        """Of a cluster, or of this machine."""
        if self.options.cluster is not None and self.located.reach is not None:
            return self.options.cluster(self.located.reach, self.stored)
        here = LocalScanner(self.located.objects, self.threads)
        processes = processes_for(self.part.files.num_rows, here.power.files)
        if self.located.reach is None or processes == 1:
            return here
        return ProcessScanner(self.located.reach, sizes_of(self.part), here, processes)

    def answers(self, where: UserPredicates, found: OpenedFiles) -> Answered:
        """The user's predicates, by the values of the files that were read."""
        answered = where.answered(self.located.objects, self.stored, found.case, self.scanner)
        by_values = exact(answered.case)
        rows = tuple(
            with_sorting(self.support.advice, row, predicate, by_values, self.writer, self._names)
            for row, predicate in zip(answered.asked, where.predicates, strict=True)
        )
        return replace(answered, asked=rows)

    def _beside(self) -> tuple[object, list[ClaimResult]]:
        """What is beside the data files; or why it cannot be read."""
        try:
            return self.located.target.read_beside(self.located.objects, self.stored), []
        except (Unread, Unreachable) as error:
            return None, [unread(self.located.name, [str(error)])]
        except Malformed as error:
            if (lacking := of_machine(error)) is not None:
                why = f"{error.location} is not read: this machine lacks what it takes: {first_line(lacking)}"
                return None, [unread(self.located.name, [why])]
            found = can_be_read(self.located, [str(error)], self.writer.ruling, self.finished)
            return None, [found]

    def finished(self, finding: Finding, deviations: Sequence[Deviation]) -> Finding:
        found = self.advised(self.completed(finding), self.stored, deviations)
        configured = self.known.configured if self.known is not None else ()
        return with_spec(self.located.target, found, configured, self.stored.leaves)

    def advised(self, finding: Finding, stored: StoredMetrics, deviations: Sequence[Deviation]) -> Finding:
        ways = self.ways[finding.claim] = mending(self.support.advice, finding, stored, deviations, self._names)
        return replace(finding, advice=tuple(map(str, ways)))

    @property
    def support(self) -> CheckSupport:
        return self.located.target.check

    @property
    def _names(self) -> Mapping[str, str]:
        return self.support.advice.names(self.options.location.strip(), self.located.name)

    def completed(self, finding: Finding) -> Finding:
        again = f"xtable-audit check {quote(self.options.location)} --claim {finding.claim}"
        known = recognise(finding, self.writer, entries_of(self.located.target.name))
        return replace(known, again=again, versions=self.writer.versions)

    @cached_property
    def sample(self) -> Sample | None:
        """The files to be read; None for all."""
        options = self.options
        drawn = draw(self.stored, options.sample, options.seed) if options.sample is not None else None
        size = self._bytes(drawn)
        if options.max_bytes is None or size <= options.max_bytes:
            return drawn if drawn is not None and len(drawn.places) < drawn.files else None
        most = len(drawn.drawn) if drawn else self.stored.files.num_rows
        return within(self.stored, options.max_bytes, options.seed, most)

    def _bytes(self, sample: Sample | None) -> int:
        sizes = np.asarray(self.stored.files["size"].fill_null(0))
        return int((sizes if sample is None else sizes[list(sample.places)]).sum())

    @cached_property
    def some(self) -> Sample | Changed | None:
        """The files to be read, if not all."""
        since = self.options.since
        return self.sample if since is None else changed(self.located.target, self.located.objects, self.stored, since)

    @cached_property
    def part(self) -> StoredMetrics:
        """The metadata of the files and columns whose values are compared."""
        some = of_columns(self.stored, self.options.columns) if self.options.columns else self.stored
        if self.some is None:
            return some
        return some.only(np.isin(np.arange(some.files.num_rows), self.some.places))

    @cached_property
    def reading(self) -> ReadingPlan:
        columns, located = self.part.native.wanted(self.part), self.located
        if self.options.columns:
            roots = {leaf.path.partition(".")[0] for leaf in self.part.leaves}
            columns = replace(columns, demanding=tuple(one for one in columns.demanding if one.name in roots))
        kept = self.options.kept and Kept.of(self.options.kept, located.metadata_location.rpartition("/")[0], columns)
        return look_up(self.scanner, self.part.data_files, columns, kept or None)

    @property
    def threads(self) -> int | None:
        """Files that this machine reads at once; None for one for each core."""
        if self.options.threads is not None or not self.located.is_remote:
            return self.options.threads
        largest = pc.max(self.part.files["size"]).as_py() or 0
        return AT_ONCE if largest < LARGE else AT_ONCE_OF_LARGE

    @cached_property
    def cost(self) -> ReadCost:
        """At most: of the files that no earlier run has read, and of what is read besides."""
        known = set(self.reading.known)
        fresh = self.part.only(np.array([path not in known for path in self.part.paths], dtype=bool))
        of = partial(estimate, whole=self.stored, remote=self.located.is_remote, on_aws=self.located.is_aws)
        power = self.scanner.power
        cost = of(fresh, power=power)
        if self.options.where:  # files are read again where a row may match
            cost += of(self.part, power=power)
        if not self._why_no_rows:  # the table's rows, and the source's, on this machine
            again = of(self._with_rows, power=LocalScanner(self.located.objects, AT_ONCE_OF_LARGE).power)
            cost = cost + again + again
        return cost

    @property
    def _with_rows(self) -> StoredMetrics:
        """The files whose rows are compared with the source's."""
        try:
            part = self.known.part(self.stored, self.options.seed) if self.known is not None else None
        except Problem:
            return self.stored.only(np.zeros(self.stored.files.num_rows, dtype=bool))
        return self.stored if part is None else part[0]

    def notes(self, read: Read) -> Sequence[str]:
        notes = [str(self.some)] if self.some is not None else []
        if self.options.columns:
            notes.append(f"Values of these columns alone are compared: {', '.join(self.options.columns)}.")
        if read.cut_short:
            notes.append(f"Interrupted: the values of {many(read.files, 'file')} are compared; run it again to go on.")
        return notes


def _how_much(found: OpenedFiles, sample: Sample | None, *, cut_short: bool) -> Read:
    """How much was read, with rows as they were counted. A file that is listed twice counts once, and one that is
    missing has no values.
    """
    stored, actual = found.case.stored.files, found.case.actual.files
    once = {path: place for place, path in enumerate(found.case.stored.paths)}
    missing = found.case.without_object
    places = pa.array([place for path, place in once.items() if path not in missing], pa.int64())
    counted = pc.coalesce(actual["record_count"], stored["record_count"])
    rows, size = (pc.sum(each.take(places)).as_py() or 0 for each in (counted, stored["size"]))
    return Read(len(places), rows, size, sample, cut_short, len(once) - len(places))


def _of_metadata_alone(case: Case, read: Read) -> Sequence[str]:
    """Of a table whose every file was read."""
    whole = case.stored.is_whole and not (read.cut_short or read.missing)
    return [words] if whole and (words := wrong_from_metadata(case)) else []


def _only_metadata(checked: Checked) -> Sequence[str]:
    waiting = len(checked.waiting)
    return [f"No data file is read: {many(waiting, 'claim')} about values not checked."] if waiting else []


def _read_metadata(located: Located, options: Options) -> StoredMetrics:
    """Raises Malformed for a file that is broken when it is read again, too."""
    with suppress(Malformed):
        return located.target.read_chosen(located.objects, located.metadata_location, options.chosen)
    return located.target.read_chosen(located.objects, located.metadata_location, options.chosen)


def _broken(error: Malformed, located: Located, options: Options) -> ClaimResult:
    """The finding that the table's metadata cannot be read. Raises Problem if no table is named, or Unreachable."""
    if isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, FileNotFoundError):
        raise Unreachable(str(error)) from error
    if (lacking := of_machine(error)) is not None:
        raise Unreachable(f"{error.location} is not read: this machine lacks what it takes: {first_line(lacking)}")
    support = located.target.check
    if _is_gone(error, located) and (why := support.moved_on(located.objects, located.metadata_location, None)):
        raise Unreachable(f"{error.location} {why}")
    if error.location == located.metadata_location or isinstance(error, Unread):
        raise Problem(str(error)) from error  # of a legal table, perhaps: the user decides what may be read

    def finish(finding: Finding, _: object) -> Finding:
        ways = tuple(support.advice.unreadable(error, options.location))
        return replace(finding, again=f"xtable-audit check {quote(options.location)}", advice=ways)

    return can_be_read(located, [str(error)], support.unknown.ruling, finish, expected=support.expected)


def _is_gone(error: Malformed, located: Located) -> bool:
    with suppress(Malformed, Problem):
        return located.objects.size(error.location) is None
    return False
