"""Documents for the forms that a CI job takes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.audit.runs import claim, document
from xtable_audit.model.outcome import Cause
from xtable_audit.model.own_table import OwnTable, SourceFacts
from xtable_audit.model.result import Owner
from xtable_audit.report.document import Document, Registered

NAN = Registered("NaN makes bounds 0.0", "xtable", Owner.XTABLE, "everyday")
HOSTILE = "a|b`c` <script>alert(1)</script> [x](http://y) %0A::error::z\n::error::w"
HOSTILE_FINDINGS = 300


def audit() -> Document:
    """One claim of every outcome, of which one follows from the new finding."""
    claims = [
        claim(),
        claim("finding", "orders-xtable"),
        claim("finding", "orders-xtable", test="suites/x.py::test_other", cause=Cause.FOLLOWS),
        claim("known", registered="XTF-003"),
        claim("gone", reason="XTF-009 is gone"),
        claim("inconclusive", reason="trino is not up"),
        claim("error", reason="a bug"),
    ]
    return replace(document(*claims), register={"XTF-003": NAN})


def own_table(*, accepted: tuple[str, ...] = (), name: str = "orders", **changed: str) -> Document:
    """A user's table with one new finding and one known one."""
    table = OwnTable(
        name=name,
        location="s3://lake/orders",
        metadata_location="s3://lake/orders/metadata/v7 a.metadata.json",
        snapshot=1,
        format_version=2,
        writer="",
        files=4,
        bytes=4000,
        columns=2,
        read=4,
        accepted=accepted,
        source=SourceFacts("hudi", "s3://raw/orders"),
    )
    run = document(claim("finding", name, **changed), claim("known", name, registered="XTF-003", column="e"))
    return replace(run, own_table=table, register={"XTF-003": NAN})


@cache
def hostile() -> Document:
    """More findings than any form shows, on a table whose name is an attack."""
    return document(
        *(claim("finding", f"{HOSTILE}{n}", saw=HOSTILE * 20, column=HOSTILE) for n in range(HOSTILE_FINDINGS))
    )
