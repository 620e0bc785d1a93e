"""The questions for Hudi's own reader on each of Hudi's tables."""

from __future__ import annotations

from lab.provision.hudi.trials import HudiQuery
from lab.subjects.hudi_examples import EXAMPLES
from lab.subjects.hudi_tables import DRAWN_ON, LAYERED
from lab.subjects.questions import ZIP_CODE
from xtable_audit.hudi.case import HudiStage
from xtable_audit.hudi.questions import drawn

DRAWN = 200


def questions(dataset: str, newest: HudiStage) -> tuple[HudiQuery, ...]:
    """The table's questions, those of one mode together."""
    if dataset in LAYERED:
        return tuple(HudiQuery(mode, ZIP_CODE) for mode in ("off", "unlisted", "on"))
    predicates = EXAMPLES.get(dataset, ())
    if dataset == DRAWN_ON:
        predicates = (*predicates, *drawn(newest, DRAWN))
    return tuple(HudiQuery(mode, predicate) for mode in ("off", "on") for predicate in predicates)
