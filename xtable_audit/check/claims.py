"""Checks claims on one table: those about metadata before a byte of data is read, then those about values."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from xtable_audit.blame.ruling import Ruling
from xtable_audit.check.excused import AsConfigured, Ignores
from xtable_audit.check.options import FULL, OVER
from xtable_audit.check.recognise import ruling
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.readable import RIGHT, Opened, metadata_and_data_files_can_be_read
from xtable_audit.formats.installed import target_of
from xtable_audit.formats.target import TargetFormat
from xtable_audit.judge import NOTHING, Finish, Judgement, judge_opened, judge_table
from xtable_audit.locate.locate import Located
from xtable_audit.model.claim import Claim
from xtable_audit.model.finding import Impact
from xtable_audit.model.limits import OutOfTime
from xtable_audit.model.outcome import Cause
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import NOT_COMPARED, ClaimResult
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Part, Source
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import GROUPS, ActualMetrics


@dataclass(frozen=True)
class Checked:
    """The results so far, and the claims that wait for what is not read."""

    results: tuple[ClaimResult, ...]
    waiting: tuple[TableClaim, ...] = ()


def by_metadata(
    id: str,
    stored: StoredMetrics,
    claims: Iterable[TableClaim],
    configured: AsConfigured,
    ignores: Ignores,
    finish: Finish[Deviation],
    source: Source = UNKNOWN_SOURCE,
    *,
    metadata_only: bool = False,
    rows_later: bool = False,
) -> Checked:
    """Judges the claims that look at nothing but metadata. `metadata_only`: no data file is looked at afterwards.
    `rows_later`: the rows of the table and of its source are read afterwards.
    """
    has_more = target_of(stored.metadata_location).check.has_more(stored)
    later = {Part.VALUES: True, Part.BESIDE: has_more, Part.ROWS: rows_later}
    unread = frozenset(part for part, is_later in later.items() if is_later)
    case = Case(id, stored, _nothing(stored), source, metadata_only=metadata_only, unread=unread)
    return judge_claims(case, claims, configured, ignores, finish)


def judge_claims(
    case: Case, claims: Iterable[TableClaim], configured: AsConfigured, ignores: Ignores, finish: Finish[Deviation]
) -> Checked:
    """The claims that look at what is not read wait. Past the check's time, those that are left are inconclusive; so
    is one that takes too much memory.
    """
    results: list[ClaimResult] = []
    waiting: list[TableClaim] = []
    every = tuple(claims)
    try:
        for claim in every:
            begun = time.monotonic()
            try:
                judgement = _judgement(claim, case, configured, ignores, finish)
            except MemoryError:
                judgement = Judgement.inconclusive(f"not judged: {FULL}")
            if judgement.waits:
                waiting.append(claim)
            else:
                results.append(result_of(claim.under(case.rules), case.id, judgement, begun))
    except OutOfTime:
        done = {one.claim for one in results} | {one.id for one in waiting}
        late = Judgement.inconclusive(f"not judged: {OVER}")
        results += [result_of(claim.under(case.rules), case.id, late) for claim in every if claim.id not in done]
    return Checked(tuple(results), tuple(waiting))


def _judgement(
    claim: TableClaim, case: Case, configured: AsConfigured, ignores: Ignores, finish: Finish[Deviation]
) -> Judgement:
    return judge_table(
        claim,
        case,
        partial(ruling, configured.writer, case.stored),
        left=lambda found: ignores.left(claim, configured.left(claim, found)),
        finish=finish,
    )


def result_of(claim: Claim[Any, Any], table: str, judgement: Judgement, begun: float | None = None) -> ClaimResult:
    """The result of a claim whose judging began at `begun`, by the monotonic clock."""
    unknown = judgement.cause is Cause.NOT_COMPARED
    reason = f"{NOT_COMPARED}: {judgement.why}" if unknown else judgement.reason
    seconds = 0.0 if begun is None else round(time.monotonic() - begun, 3)
    return ClaimResult(
        test=claim.id,
        claim=claim.id,
        sentence=claim.statement,
        table=table,
        reader=None,
        outcome=judgement.outcome,
        seconds=seconds,
        finding=judgement.finding,
        reason=reason or None,
        cause=judgement.cause,
    )


def can_be_read(
    located: Located,
    why: Sequence[str],
    whose: Ruling,
    finish: Finish[Deviation],
    impact: Impact = NOTHING,
    expected: str = RIGHT,
) -> ClaimResult:
    """Whether the table can be read; `why` has a sentence for each of its files that cannot."""
    more = f" ({len(why):,} files cannot be read)" if len(why) > 1 else ""
    unreadable = f"{why[0]}{more}" if why else None
    opened = Opened(located.metadata_location, unreadable, silent=False, synced=False, expected=expected)
    judgement = judge_opened(located.name, opened, whose, impact=impact, finish=lambda found, _: finish(found, ()))
    return result_of(metadata_and_data_files_can_be_read, located.name, judgement)


def unread(table: str, saw: Sequence[str]) -> ClaimResult:
    """Inconclusive: the store does not give some of the files, or a limit keeps them; `saw` has a sentence for each."""
    more = f", and {len(saw) - 1} more" if len(saw) > 1 else ""
    judgement = Judgement.inconclusive(f"not read: {saw[0]}{more}")
    return result_of(metadata_and_data_files_can_be_read, table, judgement)


def claims_named(ids: Iterable[str], target: TargetFormat) -> tuple[TableClaim, ...]:
    """The claims with these ids; every claim about one table of the format for none. Raises Problem."""
    every = target.check.claims
    for id in (named := tuple(ids)):
        if id not in every:
            raise Problem(f"--claim {id}: it is no claim about {target.title} tables")
    return tuple(every[id] for id in named) if named else tuple(every.values())


def _nothing(stored: StoredMetrics) -> ActualMetrics:
    """Metrics of files that are not read, with the stored number of rows, which an impact counts."""
    rows = stored.files.num_rows
    files = {
        "path": stored.files["path"],
        "exists": pa.nulls(rows, pa.bool_()),
        "size": pa.nulls(rows, pa.int64()),
        "format": pa.nulls(rows, pa.string()),
        "record_count": stored.files["record_count"],
        "counted": pa.nulls(rows, pa.int64()),
        "unordered": pa.nulls(rows, pa.int64()),
        "groups": pa.nulls(rows, GROUPS),
    }
    uncounted = pa.nulls(rows, pa.int64())
    columns = {
        name: pa.table(
            dict.fromkeys(("min", "max"), pa.nulls(rows, column["lower"].type))
            | dict.fromkeys(("value_count", "null_count", "nan_count"), uncounted)
        )
        for name, column in stored.columns.items()
    }
    return ActualMetrics(pa.table(files), columns)
