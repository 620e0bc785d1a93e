"""The gate's answer: is the upgrade safe, and must the Iceberg metadata be dropped first?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from xtable_audit.model.figures import many
from xtable_audit.report.compare import Change, Difference, compare, of_differences
from xtable_audit.report.document import EXIT_FAILS, EXIT_INCONCLUSIVE, Document
from xtable_audit.report.gate_answers import Advice, Answer, advise, answers

SCHEMA_VERSION = 4


@dataclass(frozen=True)
class Run:
    """One of the gate's three runs. `document` is None if it wrote no readable one; `problem` then says why."""

    name: str
    """`from`, `to` or `in place`."""
    release: str
    document: Document | None
    problem: str = ""
    report: str = ""
    """Path of its audit.json below the gate's folder."""
    upgrade_from: str | None = None
    """The release that its upgrade in place must start from; None for other runs."""

    @property
    def unfit(self) -> str:
        """Why the gate cannot use the run, in a sentence; "" if it can."""
        if self.document is None:
            return self.problem or "it wrote no audit.json"
        if self.document.run.recorded or self.document.translation.mode == "recorded":
            return "it is a recording, and a recorded run never answers a gate"
        if self.document.translation.mode == "absent":
            return f"the release does not resolve: {self.document.translation.reason}"
        if not self.document.complete:
            return "it was cut short"
        if self.document.run.upgrade_from != self.upgrade_from:
            return "it was no upgrade in place" if self.upgrade_from else "it was an upgrade in place"
        return ""


@dataclass(frozen=True)
class Gate:
    """The result of the three runs together."""

    before: Run
    after: Run
    in_place: Run
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[Run, Run, Run]:
        return self.before, self.after, self.in_place

    def of(self, *changes: Change) -> list[Difference]:
        return [one for one in self.differences if one.change in changes]

    @property
    def unfit(self) -> list[str]:
        """Every reason why the answer is incomplete, as a sentence each, runs first."""
        runs = [f"{run.name}, {run.release}: {run.unfit}" for run in self.runs if run.unfit]
        reasons: dict[str, int] = {}
        for one in self.of(Change.COULD_NOT_RUN):
            reasons[one.why] = reasons.get(one.why, 0) + 1
        return runs + [f"{many(count, 'claim')}, {why}" for why, count in reasons.items()]

    @property
    def exit_status(self) -> int:
        if self.before.unfit or self.after.unfit:
            return EXIT_INCONCLUSIVE
        if any(one.fails for one in self.differences):
            return EXIT_FAILS
        return EXIT_INCONCLUSIVE if self.unfit else 0

    @property
    def advice(self) -> Advice:
        """For the tables that FROM reads. Tables that only TO reads have their own answer."""
        if self.before.unfit or self.after.unfit:
            return Advice.CANNOT_SAY
        advice, _ = advise([one for one in self.differences if one.change is not Change.NEWLY_READ])
        return Advice.CANNOT_SAY if self.unfit and advice is Advice.UPGRADE_IN_PLACE else advice

    @property
    def answers(self) -> list[Answer]:
        """One for each kind of source; none if a run is unfit."""
        if self.before.unfit or self.after.unfit:
            return []
        assert self.before.document is not None
        assert self.after.document is not None
        made = answers(self.before.document, self.after.document, self.differences)
        if self.in_place.unfit:
            made = [replace(a, advice=Advice.CANNOT_SAY) if a.advice is Advice.UPGRADE_IN_PLACE else a for a in made]
        return made

    @property
    def sentence(self) -> str:
        """The reason for the advice, with the cost."""
        match self.advice:
            case Advice.DO_NOT_UPGRADE:
                wrong = of_differences(one for one in self.differences if one.misleads)
                return f"{self.after.release} answers wrongly where {self.before.release} does not: {wrong}."
            case Advice.DROP_METADATA:
                cost = of_differences(self.of(Change.LEFT_BEHIND))
                return f"what {self.after.release} fixes stays broken in metadata that is upgraded in place: {cost}."
            case Advice.UPGRADE_IN_PLACE:
                new = self.of(Change.NEW)
                but = f" New findings lose no rows silently; they affect {of_differences(new)}." if new else ""
                still = self.of(Change.STILL)
                stays = f" What {self.before.release} breaks stays: {of_differences(still)}." if still else ""
                return f"an upgraded table is as {self.after.release} alone writes it.{but}{stays}"
            case _:
                return f"{self.unfit[0]}." if self.unfit else "nothing was compared."

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "from": self.before.release,
            "to": self.after.release,
            "advice": str(self.advice),
            "sentence": self.sentence,
            "exit_status": self.exit_status,
            "answers": [asdict(one) | {"advice": str(one.advice)} for one in self.answers],
            "runs": [_run(run) for run in self.runs],
            "notes": list(self.notes),
            "could_not_run": self.unfit,
            "costs": {str(change): _cost(self.of(change)) for change in Change},
            "differences": [asdict(one) | {"change": str(one.change), "fails": one.fails} for one in self.differences],
        }

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def judge_upgrade(before: Run, after: Run, in_place: Run, notes: Sequence[str] = ()) -> Gate:
    """The gate's answer. Compares nothing if FROM or TO is unfit, and leaves out an unfit upgrade in place."""
    if before.unfit or after.unfit:
        return Gate(before, after, in_place, (), tuple(notes))
    assert before.document is not None
    assert after.document is not None
    there = None if in_place.unfit else in_place.document
    return Gate(before, after, in_place, tuple(compare(before.document, after.document, there)), tuple(notes))


def _cost(differences: Sequence[Difference]) -> dict[str, int]:
    return {"claims": len(differences)} | asdict(of_differences(differences))


def _run(run: Run) -> dict[str, Any]:
    document = run.document
    return {
        "name": run.name,
        "release": run.release,
        "report": run.report,
        "verdict": str(document.verdict) if document else None,
        "counts": asdict(document.counts) if document else {},
        "seconds": document.run.seconds if document else None,
        "unfit": run.unfit,
    }
