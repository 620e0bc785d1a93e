"""The answer as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xtable_audit.affected.affected import Affected
from xtable_audit.affected.answer import TargetAnswer
from xtable_audit.formats.source import Lacking
from xtable_audit.model.subject_id import ICEBERG
from xtable_audit.register.affects import SPARK


def as_json(source: str, answers: Sequence[TargetAnswer], fail_on: str, target: str) -> Mapping[str, Any]:
    """Of Iceberg alone nothing names the target, and of the reader by Spark nothing that: the form of before there were
    others.
    """
    [refused] = {one.refused for one in answers}
    release = answers[0].release
    asked = ({} if target == ICEBERG else {"target": target}) | (
        {} if release.reader == SPARK else {"reader": release.reader}
    )
    findings = [_finding(one, answer) | _of_target(one, answer, target) for answer in answers for one in answer.found]
    return {
        "source": source,
        "xtable": release.name,
        **asked,
        "refused": refused,
        "fail_on": fail_on,
        "findings": findings,
    }


def _finding(one: Affected, answer: TargetAnswer) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": one.title,
        "certainty": one.certainty,
        "verdict": one.verdict,
        "because": one.because,
        "unread": one.lacks is Lacking.FOOTERS,
        "unseen": one.unseen,
        "remedy": one.remedy,
        "proven_by": one.proven_by,
        "upgrade": one.upgrade,
        "fails": one in answer.weighed.failing,
    }


def _of_target(one: Affected, answer: TargetAnswer, target: str) -> dict[str, Any]:
    return {} if target == ICEBERG else {"target": answer.release.target, "writer": one.writer}
