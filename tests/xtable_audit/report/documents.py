"""Documents for the forms that a CI job takes, and documents whose texts try to become something else on the page."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.xtable_audit.report.runs import claim, document
from tests.xtable_audit.report.test_gate import NOT_RUN
from xtable_audit.model.file_ranges import FileRange, FileRanges, Range
from xtable_audit.model.finding import Answers, Verdict
from xtable_audit.model.outcome import Cause
from xtable_audit.model.own_table import OwnTable, PredicateRow, SourceFacts
from xtable_audit.model.result import Owner
from xtable_audit.report.diff import Diff, diff
from xtable_audit.report.document import (
    Document,
    KnownRelease,
    LayerRow,
    MainBranch,
    Reading,
    Registered,
    SelectionRow,
    SetAsideRow,
    TightnessRow,
)
from xtable_audit.report.gate import Gate, GateRun, judge_upgrade

# Documents for the forms that a CI job takes.

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
def hostile_run() -> Document:
    """More findings than any form shows, on a table whose name is an attack."""
    return document(
        *(claim("finding", f"{HOSTILE}{n}", saw=HOSTILE * 20, column=HOSTILE) for n in range(HOSTILE_FINDINGS))
    )


# Documents whose texts try to become something else on the page.

ALARM = "alert(document.domain)"
READ = Reading(None, None, 2, 3)
NAMES = {
    "end of a script": f"</script><script>{ALARM}</script>",
    "event": f'"><img src=x onerror="{ALARM}">',
    "attribute": f"' onmouseover='{ALARM}",
    "comment": "<!-- ]]> --><![CDATA[",
    "end of a style": "</style></title></svg><svg onload=alert(1)>",
    "template": "{{ 7 * 191 }}{% raw %}",
    "address": "javascript:alert(1)",
    "control characters": "a\x00b\x1b[31mc\x07d\u202ee\u2028f",
}


def hostile(name: str) -> Document:
    """A name in every place of a document where a table, its data or its user may write."""
    table = name.replace("-", "_")
    found = claim(
        "known",
        f"{table}-xtable",
        registered="XTF-003",
        saw=name,
        expected=name,
        column=name,
        columns=[name],
        because=name,
        log=name,
        example=name,
        ranges=_ranges(name),
        sentence=name,
        versions={name: name},
        answers=Answers(table, name, 1, {name: name, "duckdb": 0}),
    )
    new = claim("finding", table, test="suites/x/test_y.py::test_z", saw=name, advice=(name,))
    stopped = claim("inconclusive", table, reason=name)
    made = document(found, new, stopped, claim(table="other-xtable"))
    return replace(
        made,
        run=replace(made.run, command=name, store=name),
        versions={**made.versions, name: name},
        translation=replace(made.translation, release=name, reason=name),
        register={"XTF-003": Registered(name, "xtable", Owner.XTABLE, "everyday", name, name, {name: Verdict.UNSOUND})},
        releases={"xtable": (KnownRelease(name, name),)},
        main=MainBranch(name, name),
        hudi_main=MainBranch(name, name),
        notes=(name,),
        sources={f"{table}-xtable": name},
        selections=(SelectionRow(table, "live", name, name, 4, 2, 1, 9, 3, 9, {name: READ}, _ranges(name)),),
        tightness=(TightnessRow(table, name, 0.1, 0.9, 0.2),),
        layers=(LayerRow(table, "live", name, "on", 9, 4, 1, None, 1, 1, 0.1),),
        set_aside=(SetAsideRow(table, name, None, name),),
    )


def _ranges(name: str) -> FileRanges:
    """Over values in order, whose texts are labels of the axis."""
    side = Range(name, name, 0.0, 1.0)
    return FileRanges(name, "order", (FileRange(name, side, side, wrong=True, planned=True),), 1, side)


def hostile_own(name: str) -> Document:
    """The same of a user's own table."""
    made = hostile(name)
    asked = PredicateRow(name, 2, 1, 3, 2, 2, 4, 1, 2, _ranges(name))
    own = OwnTable(name, name, name, 1, 2, name, 2, 20, 3, 2, predicates=(asked,))
    return replace(made, own_table=own, selections=(), translation=replace(made.translation, mode="given"))


def hostile_gate(name: str) -> Gate:
    made = replace(hostile(name), translation=document().translation, sources={})
    runs = (GateRun("from", name, document(claim()), name), GateRun("to", name, made))
    return judge_upgrade(*runs, NOT_RUN, (name,))


def hostile_diff(name: str) -> Diff:
    made = replace(hostile(name), sources={})
    held = (claim("held", str(one.table), test=one.test.partition("[")[0]) for one in made.claims)
    return diff(replace(made, claims=tuple(held)), made)
