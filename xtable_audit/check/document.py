"""The document of one check: what was judged, by what, with which results, and what no claim compared."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version

import pyarrow.compute as pc

from xtable_audit import __version__
from xtable_audit.check.excused import Ignores
from xtable_audit.check.options import Options
from xtable_audit.check.recognise import candidates
from xtable_audit.check.sample import Sample
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.locate.locate import Located
from xtable_audit.locate.stores import scheme_of
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.own_table import OwnTable, PredicateRow, SourceFacts
from xtable_audit.model.result import ClaimResult, SetAside
from xtable_audit.model.source_fact import FORMATS
from xtable_audit.register.bundled import bundled_register, path_of_register
from xtable_audit.register.register import covers
from xtable_audit.report.document import Document, RunFacts, SetAsideRow, Translation
from xtable_audit.report.release_states import known_releases, main_branch, registered
from xtable_audit.table.stored_metrics import StoredMetrics

OF_SOURCE = ("rows", "columns", "history", "states")
"""Families that need the table's source."""


def left_out(
    results: Iterable[ClaimResult], claims: Mapping[str, TableClaim], families: Mapping[str, str], *, lacks_source: bool
) -> Iterator[str]:
    """A clause for each reason. `families`: what each is about that a healthy table may have nothing for.

    `lacks_source`: the table has a source, or may have one, and none is named.
    """
    by_family: dict[str, set[Outcome]] = {}
    for result in results:
        if result.claim in claims:
            by_family.setdefault(claims[result.claim].family, set()).add(result.outcome)
    none = {family for family, outcomes in by_family.items() if outcomes == {Outcome.NOT_APPLICABLE}}
    if absent := [words for family, words in families.items() if family in none]:
        yield f"{', '.join(absent)}: the table has none to compare"
    if lacks_source and none & {*OF_SOURCE}:
        yield "rows and commits of a source: none is named (--source)"


@dataclass(frozen=True)
class Read:
    """How much of the table was read for the claims about values."""

    files: int
    rows: int
    bytes: int
    sample: Sample | None = None
    cut_short: bool = False
    missing: int = 0
    """Files besides that are not there."""


@dataclass(frozen=True)
class DocumentWriter:
    """Writes documents of one run, which began at `started`."""

    located: Located
    options: Options
    ignores: Ignores = field(default_factory=Ignores)
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=time.monotonic)

    def document(
        self,
        stored: StoredMetrics | None,
        writer: MetadataWriter,
        results: Sequence[ClaimResult],
        read: Read | None = None,
        notes: Sequence[str] = (),
        aside: Sequence[SetAside] = (),
        source: SourceFacts | None = None,
        predicates: Sequence[PredicateRow] = (),
    ) -> Document:
        """`stored` is None for a table whose metadata cannot be read. `aside` is what is set aside besides."""
        aside = (*stored.set_aside, *aside) if stored is not None else aside
        covered, support = covers(path_of_register()), self.located.target.check
        return Document(
            run=self._run(),
            versions={"suite": __version__} | writer.versions | {name: version(name) for name in support.libraries},
            translation=Translation("given", writer.words or "unknown"),
            steps=(),
            claims=tuple(results),
            set_aside=tuple(SetAsideRow(self.located.name, one.column, one.path, one.reason) for one in aside),
            register=registered(bundled_register(), covered),
            releases=known_releases(covered),
            main=main_branch(bundled_register()),
            hudi_main=main_branch(bundled_register(), "hudi"),
            own_table=replace(
                self._table(stored, writer, read, results, source), source=source, predicates=tuple(predicates)
            ),
            notes=(*self.located.notes, *self._of_no_state(stored), *(() if source else _of_source(writer)), *notes),
            complete=read is None or not read.cut_short,
        )

    def _of_no_state(self, stored: StoredMetrics | None) -> tuple[str, ...]:
        """What holds of a table without a state is nearly nothing, and no finding says so."""
        if stored is None or stored.native.state is not None:
            return ()
        commit = self.located.target.commit
        return (f"The table has no {commit}: readers show no rows, as after a first sync or write that failed.",)

    def _run(self) -> RunFacts:
        return RunFacts(
            id=self.started.strftime("%Y%m%d-%H%M%S"),
            command=self.options.command,
            started=self.started.replace(microsecond=0),
            finished=datetime.now(UTC).replace(microsecond=0),
            seconds=round(time.monotonic() - self.clock, 1),
            python=platform.python_version(),
            system=platform.platform(),
            store=scheme_of(self.located.metadata_location) or "file",
            scale=1.0,
            seed=self.options.seed,
            recorded=False,
            fail_on=self.options.fail_on,
        )

    def _table(
        self,
        stored: StoredMetrics | None,
        writer: MetadataWriter,
        read: Read | None,
        results: Sequence[ClaimResult],
        source: SourceFacts | None,
    ) -> OwnTable:
        options, located = self.options, self.located
        if stored is None:
            nothing = (None, 0, writer.words, 0, 0, 0, None)
            own = OwnTable(located.name, options.location, located.metadata_location, *nothing)
            return replace(own, format=located.target.name, commit=located.target.commit)
        return OwnTable(
            name=located.name,
            format=located.target.name,
            commit=located.target.commit,
            location=options.location,
            metadata_location=stored.metadata_location,
            snapshot=stored.native.state,
            format_version=located.target.check.format_version(stored),
            writer=writer.words,
            files=stored.files.num_rows,
            bytes=pc.sum(stored.files["size"]).as_py() or 0,
            columns=len(stored.leaves),
            read=read.files if read else None,
            drawn=len(read.sample.drawn) if read and read.sample else None,
            rows=pc.sum(stored.files["record_count"]).as_py() or 0,
            rows_read=read.rows if read else None,
            bytes_read=read.bytes if read else None,
            left_out=tuple(self._left_out(results, writer, source)) if read else (),
            only_columns=options.columns,
            accepted=options.accepted,
            ignored=self.ignores.rows(results, partly=self._partly(stored, read)),
            candidates={
                result.claim: ids
                for result in results
                if result.finding
                and (ids := candidates(located.target, result.finding, stored, writer, bundled_register()))
            },
        )

    def _left_out(
        self, results: Sequence[ClaimResult], writer: MetadataWriter, source: SourceFacts | None
    ) -> Iterable[str]:
        support = self.located.target.check
        lacks_source = source is None and (writer.is_xtable or not support.tells_translator)
        return left_out(results, support.claims, support.families, lacks_source=lacks_source)

    def _partly(self, stored: StoredMetrics, read: Read | None) -> bool:
        """Whether part of the table, or of its claims, was judged."""
        options = self.options
        some = read is not None and (read.cut_short or read.files + read.missing < stored.files.num_rows)
        return some or bool(options.claims or options.columns) or (read is None and options.metadata_only)


def _of_source(writer: MetadataWriter) -> Sequence[str]:
    """What the table alone cannot show of a translation."""
    if not writer.is_xtable:
        return ()
    of = f" {writer.source.capitalize()}" if writer.source else ""
    unread = f"The{of} source is not read: whether all of its rows are here, and none that it deleted, is not checked."
    known = writer.source in ("", *FORMATS)
    more = ", and `xtable-audit affected` names what may be wrong" if known else ""
    return (f"{unread} `--source` checks it{more}.",)
