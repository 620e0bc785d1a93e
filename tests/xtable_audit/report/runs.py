"""Made-up documents: a few claims each, as a run would leave them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from xtable_audit.model.finding import Blame, Finding, Impact, Verdict
from xtable_audit.model.outcome import EXPLAINED, Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.report.document import Document, RunFacts, Translation

TEST = "suites/bounds/test_bounds.py::test_bounds_contain_values"
WHEN = datetime(2026, 11, 22, 15, 30, tzinfo=UTC)


def found(table: str = "types_nan-xtable", **changed: Any) -> Finding:
    """A finding. `files`, `rows`, `wrong` are its impact; verdict, blame and columns may be plain strings and lists."""
    impact = Impact(changed.pop("files", 1), 4, changed.pop("rows", 10), 40, wrong=changed.pop("wrong", 0))
    kinds = {"verdict": Verdict, "blame": Blame, "columns": tuple}
    plain = Finding(
        claim="bounds_contain_values",
        sentence="bounds contain every value",
        verdict=Verdict.UNSOUND,
        table=table,
        saw="[0.0 … 0.0] for part-1.parquet",
        expected="[1.0 … 5.0], its values",
        impact=impact,
        blame=Blame.XTABLE,
        because="the control translator holds it",
        column="d",
        columns=("d",),
        versions={"xtable": "0.4.0-incubating"},
        again="pytest …",
    )
    return replace(plain, **{name: kinds.get(name, lambda same: same)(value) for name, value in changed.items()})


def claim(outcome: str = "held", table: str = "types_nan-xtable", test: str = TEST, **changed: Any) -> ClaimResult:
    """One claim's result. What is `changed` of a finding goes into it."""
    reason, cause = changed.pop("reason", "in words"), changed.pop("cause", None)
    reader, question = changed.get("reader"), changed.pop("question", None)
    id = f"{test}[{'-'.join(part for part in (table, reader, question) if part)}]"
    return ClaimResult(
        test=id,
        claim=test.rpartition("::")[2].removeprefix("test_"),
        sentence="Bounds contain every value.",
        table=table,
        reader=reader,
        outcome=Outcome(outcome),
        seconds=0.1,
        finding=found(table, **{"again": f'pytest "{id}"'} | changed) if outcome in ("finding", "known") else None,
        reason=reason if Outcome(outcome) in EXPLAINED else None,
        cause=cause,
    )


def document(
    *claims: ClaimResult, release: str = "0.4.0-incubating", mode: Any = "live", upgrade_from: str | None = None
) -> Document:
    """A whole run with no part but its claims."""
    return Document(
        run=RunFacts(
            id="20261122-153000-0123",
            command="pytest",
            started=WHEN,
            finished=WHEN,
            seconds=1.0,
            python="3.11.7",
            system="Linux",
            store="moto",
            scale=1.0,
            seed=7,
            recorded=mode == "recorded",
            upgrade_from=upgrade_from,
        ),
        versions={"suite": "2026.11", "xtable": release, "daft": "0.7.26", "hudi": "0.15.0", "spark": "3.5.9"},
        translation=Translation(mode, release, "a local recording" if mode != "live" else ""),
        steps=(),
        claims=claims,
    )
