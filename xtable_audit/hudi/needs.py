"""Needs of the claims about Hudi's own data skipping."""

from __future__ import annotations

from xtable_audit.hudi.case import HudiCase, Mode
from xtable_audit.model.claim import Need


def _answers(*modes: Mode) -> Need[HudiCase]:
    return Need(
        f"an answer of Hudi's reader with skipping {' or '.join(modes)}",
        lambda case: sum(
            trial.mode in modes and trial.error is None and trial.rows is not None for trial in case.trials
        ),
    )


WITH_SKIPPING = _answers("on")
WITHOUT_SKIPPING = _answers("off", "unlisted")
ANY_WAY = _answers("off", "unlisted", "on")
QUESTIONS = Need[HudiCase]("a question to Hudi's reader", lambda case: len(case.trials))
RECORDS = Need[HudiCase](
    "a record in Hudi's indexes",
    lambda case: sum(kind in stage.indexed for stage in case.stages for kind in stage.index["kind"].to_pylist()),
)
