"""Checks claims on one table: those about metadata before a byte of data is read, then those about values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NoReturn, cast

import pyarrow as pa

from xtable_audit.blame.findings import build_finding
from xtable_audit.check.as_configured import AsConfigured
from xtable_audit.check.budget import FULL, OVER
from xtable_audit.check.ignore import Ignores
from xtable_audit.check.ruling import ruling
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import Deviation, TableClaim
from xtable_audit.claims.iceberg.readable import metadata_and_data_files_can_be_read
from xtable_audit.claims.needs import OF_SOURCE
from xtable_audit.metadata.stored_metrics import StoredMetrics
from xtable_audit.model.cause import Cause
from xtable_audit.model.finding import Blame, Finding, Impact, Verdict
from xtable_audit.model.interruption import OutOfTime
from xtable_audit.report.document import NOT_COMPARED, ClaimResult, Outcome
from xtable_audit.subject.beside import NOTHING_BESIDE, Beside, other_references
from xtable_audit.subject.case import UNKNOWN_SOURCE, Case, Source
from xtable_audit.subject.table_rows import Rows
from xtable_audit.values.actual_metrics import ActualMetrics
from xtable_audit.values.measured_rows import GROUPS

Ruling = tuple[Blame, str]
Finish = Callable[[Finding, Sequence[Deviation]], Finding]
"""Completes a finding: recognises its cause, and says how to see it again and what mends it."""


class ValuesAreNeeded(Exception):
    """A claim asks for values that are not read yet."""


class _NotRead:
    """Actual metrics of files that are not read, or what is beside them."""

    def __getattr__(self, name: str) -> NoReturn:
        raise ValuesAreNeeded(name)


NOT_READ = _NotRead()


@dataclass(frozen=True)
class Checked:
    """The results so far, and the claims that wait for values."""

    results: tuple[ClaimResult, ...]
    waiting: tuple[TableClaim, ...] = ()


def by_metadata(
    id: str,
    stored: StoredMetrics,
    claims: Iterable[TableClaim],
    configured: AsConfigured,
    ignores: Ignores,
    finish: Finish,
    source: Source = UNKNOWN_SOURCE,
    *,
    metadata_only: bool = False,
) -> Checked:
    """Checks the claims that compare nothing with values. `metadata_only`: no data file is looked at afterwards."""
    has_more = stored.deletions.files or stored.statistics or stored.partition_statistics or other_references(stored)
    beside = cast(Beside, NOT_READ) if has_more else NOTHING_BESIDE
    bare = Case(id, stored, cast(ActualMetrics, NOT_READ), source, beside=beside, metadata_only=metadata_only)
    if source.shown is NOT_READ:
        bare = replace(bare, rows=cast(Rows, NOT_READ))
    told = cache(lambda: replace(bare, actual=_nothing(stored)))
    results, waiting = _each(claims, id, lambda claim: _check(claim, bare, told, configured, ignores, finish))
    return Checked(results, waiting)


def by_values(
    case: Case, claims: Iterable[TableClaim], configured: AsConfigured, ignores: Ignores, finish: Finish
) -> tuple[ClaimResult, ...]:
    """Leaves out claims that compare something that could not be read."""
    results, _ = _each(claims, case.id, lambda claim: _check(claim, case, lambda: case, configured, ignores, finish))
    return results


def _each(
    claims: Iterable[TableClaim], table: str, check: Callable[[TableClaim], ClaimResult]
) -> tuple[tuple[ClaimResult, ...], tuple[TableClaim, ...]]:
    """The results, and the claims that need values. Past the check's time, those that are left are inconclusive; so
    is one that takes too much memory.
    """
    results: list[ClaimResult] = []
    waiting: list[TableClaim] = []
    every = tuple(claims)
    try:
        for claim in every:
            try:
                results.append(check(claim))
            except ValuesAreNeeded:
                waiting.append(claim)
            except MemoryError:
                results.append(_not_judged(claim, table, FULL))
    except OutOfTime:
        done = {one.claim for one in results} | {one.id for one in waiting}
        results += [_not_judged(claim, table, OVER) for claim in every if claim.id not in done]
    return tuple(results), tuple(waiting)


def _not_judged(claim: TableClaim, table: str, why: str) -> ClaimResult:
    return _result(claim, table, Outcome.INCONCLUSIVE, time.monotonic(), reason=f"not judged: {why}")


def _check(
    claim: TableClaim,
    case: Case,
    told: Callable[[], Case],
    configured: AsConfigured,
    ignores: Ignores,
    finish: Finish,
) -> ClaimResult:
    """`told` gives the case by which a finding is described."""
    begun = time.monotonic()
    if (lacking := claim.lacks(case)) is not None:
        why = lacking.why(case)
        reason = f"the claim needs {lacking.words}" + (f": {why}" if why else "")
        if why and lacking in OF_SOURCE:  # the user names a source, and the claim cannot be judged by it
            reason = f"{NOT_COMPARED}: {why}"
            return _result(claim, case.id, Outcome.INCONCLUSIVE, begun, reason=reason, cause=Cause.NOT_COMPARED)
        return _result(claim, case.id, Outcome.NOT_APPLICABLE, begun, reason=reason)
    deviations = ignores.left(claim, configured.left(claim, claim.deviations(case)))
    if not deviations:
        return _result(claim, case.id, Outcome.HELD, begun)
    found = build_finding(claim, told(), deviations, *ruling(configured.writer, case.stored, deviations))
    finding = finish(found, deviations)
    return _result(claim, case.id, Outcome.KNOWN if finding.registered else Outcome.FINDING, begun, finding=finding)


def _result(claim: Any, table: str, outcome: Outcome, begun: float, **more: Any) -> ClaimResult:
    seconds = round(time.monotonic() - begun, 3)
    return ClaimResult(claim.id, claim.id, _sentence(claim), table, None, outcome, seconds, **more)


def result_of(claim: Any, table: str, finding: Finding | None) -> ClaimResult:
    """Of a claim that was checked; it holds without a finding."""
    outcome = Outcome.HELD if finding is None else Outcome.KNOWN if finding.registered else Outcome.FINDING
    return _result(claim, table, outcome, time.monotonic(), finding=finding)


def _sentence(claim: Any) -> str:
    return f"{claim.sentence[0].upper()}{claim.sentence[1:]}."


def unreadable(table: str, saw: list[str], impact: Impact, whose: Ruling, finish: Finish) -> ClaimResult:
    """The finding that some of the table's files cannot be read; `saw` has a sentence for each."""
    claim = metadata_and_data_files_can_be_read
    more = f" ({len(saw):,} files cannot be read)" if len(saw) > 1 else ""
    finding = Finding(
        claim=claim.id,
        sentence=claim.sentence,
        verdict=Verdict.UNREADABLE,
        table=table,
        saw=saw[0] + more,
        expected="a file that is what the metadata says it is",
        impact=impact,
        blame=whose[0],
        because=whose[1],
    )
    return _result(claim, table, Outcome.FINDING, time.monotonic(), finding=finish(finding, ()))


def unread(table: str, saw: list[str]) -> ClaimResult:
    """Inconclusive: the store does not give some of the files, or a limit keeps them; `saw` has a sentence for each."""
    more = f", and {len(saw) - 1} more" if len(saw) > 1 else ""
    claim = metadata_and_data_files_can_be_read
    return _result(claim, table, Outcome.INCONCLUSIVE, time.monotonic(), reason=f"not read: {saw[0]}{more}")


def readable(table: str) -> ClaimResult:
    return _result(metadata_and_data_files_can_be_read, table, Outcome.HELD, time.monotonic())


def claims_named(ids: Iterable[str]) -> tuple[TableClaim, ...]:
    """The claims with these ids; every claim about one table for none. Raises KeyError."""
    named = tuple(ids)
    return tuple(CLAIMS[id] for id in named) if named else tuple(CLAIMS.values())


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
