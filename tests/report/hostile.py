"""Documents whose texts try to become something else on the page."""

from __future__ import annotations

from dataclasses import replace

from tests.audit.runs import claim, document
from tests.audit.test_gate import NOT_RUN
from xtable_audit.model.file_ranges import FileRange, FileRanges, Range
from xtable_audit.model.finding import Answers, Verdict
from xtable_audit.model.own_table import OwnTable, PredicateRow
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
