"""The gate's answer: is the upgrade safe, and must the Iceberg metadata be dropped first?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from xtable_audit.formats.installed import DEFAULT, target_formats
from xtable_audit.formats.target import TargetFormat
from xtable_audit.model.figures import Seconds, few, many
from xtable_audit.model.outcome import EXIT_FAILS, EXIT_INCONCLUSIVE, RunVerdict
from xtable_audit.model.result import STRICT, Owner
from xtable_audit.report.compare import Change, Difference, compare, of_differences
from xtable_audit.report.document import Counts, Document
from xtable_audit.report.first_screen import translations
from xtable_audit.report.gate_answers import Rests, SourceAnswer, UpgradeAdvice, advise, answers, rests_on
from xtable_audit.report.what_to_do import of_known

SCHEMA_VERSION = 8
"""Incremented when a key of gate.json is added, removed or changes its meaning."""
FEW = 3
"""Maximum number of tables that a reason names."""


FROM = "from"
"""The name of the run of the release in use, the only one that may take translations from recordings."""


def of_target(words: str, target: TargetFormat) -> str:
    """Words about Iceberg's metadata, as they are of this target's."""
    return words.replace(target_formats()[DEFAULT].dropped.metadata, target.dropped.metadata)


@dataclass(frozen=True)
class GateRun:
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
        if self.name != FROM and any(self.document.translation_recorded_on.values()):
            return "a part of it is a recording, and a recorded run never answers a gate"
        if not self.document.complete:
            return "it was cut short"
        if self.document.run.upgrade_from != self.upgrade_from:
            return "it was no upgrade in place" if self.upgrade_from else "it was an upgrade in place"
        return ""


@dataclass(frozen=True)
class Ran:
    """What gate.json keeps of a run. What only its document tells is None without one."""

    name: str
    """`from`, `to` or `in place`."""
    release: str
    report: str
    """Path of its audit.json below the gate's folder."""
    unfit: str
    """Why the gate cannot use it, in a sentence; "" if it can."""
    verdict: RunVerdict | None = None
    counts: Counts | None = None
    seconds: Seconds | None = None
    finished: datetime | None = None
    versions: dict[str, str] | None = None

    @classmethod
    def of(cls, run: GateRun) -> Ran:
        made = cls(run.name, run.release, run.report, run.unfit)
        if run.document is None:
            return made
        of, facts = run.document, run.document.run
        return replace(
            made,
            verdict=of.verdict,
            counts=of.counts,
            seconds=facts.seconds,
            finished=facts.finished,
            versions=of.versions,
        )


@dataclass(frozen=True)
class Gate:
    """The result of the three runs together."""

    __pydantic_config__ = STRICT

    runs: tuple[Ran, Ran, Ran]
    """FROM, TO and the upgrade in place."""
    differences: tuple[Difference, ...]
    answers: tuple[SourceAnswer, ...] = ()
    """One for each kind of source; none if FROM or TO is unfit."""
    titles: dict[str, str] = field(default_factory=dict)
    """Titles of the register's entries that the differences name, by id."""
    to_do: dict[str, str] = field(default_factory=dict)
    """What a user does about them, where anything is known to help, by id."""
    notes: tuple[str, ...] = ()
    rests_on: Rests | None = None
    """None if FROM or TO is unfit, or if an older gate made the document."""
    target: str = DEFAULT
    """The format that XTable writes, by name."""

    @property
    def written(self) -> TargetFormat:
        return target_formats()[self.target]

    @property
    def to(self) -> str:
        """`, to Delta`; "" for the default target."""
        return "" if self.target == DEFAULT else f", to {self.written.title}"

    def of_target(self, words: str) -> str:
        return of_target(words, self.written)

    @property
    def before(self) -> Ran:
        return self.runs[0]

    @property
    def after(self) -> Ran:
        return self.runs[1]

    @property
    def failing(self) -> int:
        """How many differences make the exit status 1."""
        return sum(one.fails for one in self.differences)

    def of(self, *changes: Change) -> list[Difference]:
        return [one for one in self.differences if one.change in changes]

    @property
    def unfit(self) -> list[str]:
        """Every reason why the answer is incomplete, as a sentence each, runs first."""
        runs = [f"{run.name}, {run.release}: {run.unfit}" for run in self.runs if run.unfit]
        reasons: dict[str, int] = {}
        for one in self.of(Change.COULD_NOT_RUN):
            reasons[one.why] = reasons.get(one.why, 0) + 1
        return runs + [f"{many(count, 'claim')}, {why}" for why, count in reasons.items()] + list(self._blind)

    @property
    def _blind(self) -> Iterator[str]:
        """Tables of which an answer says nothing, and an answer that compared nothing at all."""
        rests = self.rests_on
        if rests is None:
            return
        for run in dict.fromkeys(rests.lost.values()):
            tables = [table for table, lost in rests.lost.items() if lost == run]
            of = many(len(tables), "table")
            yield f"{run}: no claim is judged on {of} on which FROM judges some: {few(tables, FEW)}"
        if not rests.judged:
            yield "no claim compared anything in each run"

    @property
    def exit_status(self) -> int:
        if self.before.unfit or self.after.unfit:
            return EXIT_INCONCLUSIVE
        if self.failing:
            return EXIT_FAILS
        return EXIT_INCONCLUSIVE if self.unfit else 0

    @property
    def advice(self) -> UpgradeAdvice:
        """Never an upgrade in place if something could not run, or if a table is no longer judged.

        For the tables that FROM reads. Tables that only TO reads have their own answer."""
        if self.before.unfit or self.after.unfit:
            return UpgradeAdvice.CANNOT_SAY
        advice, _ = advise([one for one in self.differences if one.change is not Change.NEWLY_READ])
        return UpgradeAdvice.CANNOT_SAY if self.unfit and advice is UpgradeAdvice.UPGRADE_IN_PLACE else advice

    @property
    def sentence(self) -> str:
        """The reason for the advice, with the cost."""
        match self.advice:
            case UpgradeAdvice.DO_NOT_UPGRADE:
                wrong = of_differences(one for one in self.differences if one.misleads)
                return f"{self.after.release} answers wrongly where {self.before.release} does not: {wrong}."
            case UpgradeAdvice.DROP_METADATA:
                cost = of_differences(one for one in self.of(Change.LEFT_BEHIND) if one.affects_readers)
                return f"what {self.after.release} fixes stays broken in metadata that is upgraded in place: {cost}."
            case UpgradeAdvice.UPGRADE_IN_PLACE:
                left, new = self.of(Change.LEFT_BEHIND), self.of(Change.NEW)
                beyond = f", but for what affects no reader: {of_differences(left)}" if left else ""
                but = f" New findings lose no rows; they affect {of_differences(new)}." if new else ""
                still = self.of(Change.STILL)
                stays = f" What both releases break stays broken: {of_differences(still)}." if still else ""
                return f"an upgraded table is as {self.after.release} alone writes it{beyond}.{but}{stays}{self._lost}"
            case _:
                return f"{self.unfit[0]}." if self.unfit else "nothing was compared."

    @property
    def _lost(self) -> str:
        """What an upgrade in place does not rest on, though FROM does."""
        lost = self.of(Change.UNJUDGED)
        if not lost:
            return ""
        tables = len({one.table for one in lost})
        return (
            f" No longer judged, as there is nothing to compare: {many(len(lost), 'claim')} of {many(tables, 'table')}."
        )

    def to_json(self) -> str:
        from xtable_audit.report.gate_json import write

        return write(self)

    @classmethod
    def from_json(cls, text: str) -> Gate:
        """Reads the output of `to_json`. Raises UnreadableDocument for any other text."""
        from xtable_audit.report.gate_json import read

        return read(text)


def judge_upgrade(
    before: GateRun,
    after: GateRun,
    in_place: GateRun,
    notes: Sequence[str] = (),
    not_asked: Sequence[str] = (),
    target: str = DEFAULT,
) -> Gate:
    """The gate's answer. Compares nothing if FROM or TO is unfit, and leaves out an unfit upgrade in place.

    `not_asked` says of each reader that the gate asks by itself, and could not start, why.
    """
    runs = (Ran.of(before), Ran.of(after), Ran.of(in_place))
    if before.document is not None and (recorded := translations(before.document)):
        notes = (*notes, f"FROM, {before.release}, is judged anew by the claims of today. {recorded}")
    elif before.document is not None and target != DEFAULT:
        notes = (*notes, f"FROM, {before.release}, is synced live: none of its tables is taken from a recording.")
    if before.unfit or after.unfit:
        return Gate(runs, (), notes=tuple(notes), target=target)
    assert before.document is not None
    assert after.document is not None
    there = None if in_place.unfit else in_place.document
    differences = tuple(compare(before.document, after.document, there))
    rests = rests_on(before.document, after.document, there, not_asked)
    made = answers(before.document, after.document, differences, rests)
    if in_place.unfit:
        made = [
            replace(a, advice=UpgradeAdvice.CANNOT_SAY) if a.advice is UpgradeAdvice.UPGRADE_IN_PLACE else a
            for a in made
        ]
    entries = before.document.register | after.document.register
    named = {one.registered for one in differences}
    titles = {id: entry.title for id, entry in entries.items() if id in named}
    of = {id: of_known(id, entries[id], anew=entries[id].owner is Owner.XTABLE, target=target) for id in titles}
    ways = {id: " ".join(words) for id, words in of.items()}
    to_do = {id: way for id, way in ways.items() if way}
    return Gate(runs, differences, tuple(made), titles, to_do, tuple(notes), rests, target)
