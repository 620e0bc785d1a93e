"""A query that loses rows because of a false bound, found without reading anything again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc

from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.predicate import Compare
from xtable_audit.planning.grid import in_python
from xtable_audit.planning.judge_planner import select
from xtable_audit.subject.case import Case

LONGEST = 100
"""Maximum length of a predicate that is shown."""


def with_example(finding: Finding, case: Case) -> Finding:
    """The finding with a predicate that the smallest or largest value of a file meets, and by which readers skip it."""
    if finding.verdict is not Verdict.UNSOUND or finding.column is None:
        return finding
    if finding.column not in case.stored.columns:
        return finding
    stored, true = case.stored.columns[finding.column], case.actual.columns[finding.column]
    outside = {
        "min": pc.greater(stored["lower"], true["min"]).fill_null(False),
        "max": pc.less(stored["upper"], true["max"]).fill_null(False),
    }
    for side, mask in outside.items():
        for place in np.flatnonzero(np.asarray(mask))[:1].tolist():
            for value in in_python(true[side][place]):
                predicate = Compare(finding.column, "=", value)
                if not select(case.stored, predicate)[place] and len(str(predicate)) <= LONGEST:
                    name = case.stored.paths[place].rpartition("/")[2]
                    return replace(finding, example=f"WHERE {predicate} skips {name}, which holds a row that matches")
    return finding
