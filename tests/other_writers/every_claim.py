"""What is judged of a table by a writer of Iceberg's own: every claim, the grid, and `xtable-audit check`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tests.other_writers.entry import Stage, Written
from tests.tables.mirror import Mirror
from tools.frozen.run import Unwatched
from xtable_audit.check.options import Options
from xtable_audit.check.run import check
from xtable_audit.check.what_to_do import UNTIL
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import Deviation
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.locate.locate import Located
from xtable_audit.model.finding import Finding, Verdict
from xtable_audit.model.objects import Objects
from xtable_audit.model.planner import JUDGE, PYICEBERG
from xtable_audit.model.sync import Sync
from xtable_audit.planning.planners import Planner, judges, trap
from xtable_audit.planning.pruning_trial import Question, Trial, try_planner, whole_grid
from xtable_audit.report.document import Document
from xtable_audit.subject.case import Case, Source, State, read_case

HARMFUL = frozenset({Verdict.UNSOUND, Verdict.DUPLICATE, Verdict.STALE, Verdict.FAILED_SILENTLY, Verdict.UNREADABLE})
Columns = Mapping[str, frozenset[str | None]]
"""Claim -> the columns of which it does not hold; None for a deviation of no column."""
OF_XTABLE = frozenset({"last_instant_never_goes_back", "failure_keeps_the_last_instant"})
"""Claims on a property that XTable alone writes."""


@dataclass
class Held:
    """A table, judged. Everything is computed once, when it is first used."""

    written: Written
    mirror: Mirror
    pyiceberg: Planner
    spec: str

    @property
    def objects(self) -> Objects:
        return self.mirror.objects

    @property
    def location(self) -> str:
        """Its metadata.json, in the end."""
        return self.written.stages[-1].metadata_location

    @cached_property
    def case(self) -> Case:
        stages = self.written.stages
        source = Source((), (), self._sizes(stages[-1]), self.spec, self.written.shown)
        history = tuple(self._state(number, stage) for number, stage in enumerate(stages))
        return read_case(self.objects, self.written.name, stages[-1].metadata_location, source, history)

    def _state(self, number: int, stage: Stage) -> State:
        sync = Sync("incremental" if number else "first", "", stage.metadata_location)
        stored = read_stored_metrics(self.objects, stage.metadata_location)
        return State(sync, stage.words, stored, self._sizes(stage), stage.rows)

    def _sizes(self, stage: Stage) -> dict[str, int]:
        return {path: self.objects.size(path) or 0 for path in stage.files}

    @cached_property
    def deviations(self) -> dict[str, list[Deviation]]:
        """By the claim that is broken."""
        found = {id: claim.deviations(self.case) for id, claim in CLAIMS.items() if id not in OF_XTABLE}
        return {id: these for id, these in found.items() if these}

    @property
    def harm(self) -> Columns:
        """What of it would make a reader lose, repeat or refuse rows."""
        return self._columns(lambda verdict: verdict in HARMFUL)

    @property
    def harmless(self) -> Columns:
        """What else is found."""
        return self._columns(lambda verdict: verdict not in HARMFUL)

    def _columns(self, chosen: Callable[[Verdict], bool]) -> Columns:
        by_claim = {
            id: frozenset(d.column for d in these if chosen(d.verdict or CLAIMS[id].breaks))
            for id, these in self.deviations.items()
        }
        return {id: columns for id, columns in by_claim.items() if columns}

    @property
    def words(self) -> str:
        """All that is found, for a person."""
        return "\n".join(
            f"{id}: {d.column}: {d.saw}; expected {d.expected}" for id, these in self.deviations.items() for d in these
        )

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        return whole_grid(self.objects, self.case)

    @cached_property
    def trials(self) -> dict[str, Trial]:
        judged = try_planner(self.case, self.questions, JUDGE, judges(self.case.stored))
        return {JUDGE: judged, PYICEBERG: try_planner(self.case, self.questions, PYICEBERG, self.pyiceberg, judged)}

    @property
    def disagreements(self) -> dict[str, tuple[int, int]]:
        """Questions to which PyIceberg keeps other files than the judge, but for what is known of it: how many more it
        keeps, and how many fewer.
        """
        judged, theirs = self.trials[JUDGE], self.trials[PYICEBERG]
        return {
            str(question): (len(its - ours), len(ours - its))
            for question, ours, its in zip(self.questions, judged.kept, theirs.kept, strict=True)
            if ours is not None
            and its is not None
            and ours != its
            and not trap(PYICEBERG, self.case.stored, question.predicate)
        }


def on(*columns: str | None) -> frozenset[str | None]:
    return frozenset(columns)


HeldOf = Callable[[str], Held]


# `xtable-audit check` on a table in a mirror, as a stranger runs it: of the table it knows the metadata.json alone.

Found = Mapping[str, Verdict]
"""By the claim that fails."""


def document_of(name: str, mirror: Mirror, location: str, called: str = "", where: tuple[str, ...] = ()) -> Document:
    """`called` is what the user names it by, if not its metadata.json; `where` are predicates."""
    return check(Located(name, location, mirror.objects), Options(called or location, where=where), Unwatched())


def found_in(document: Document) -> Found:
    return {one.claim: one.finding.verdict for one in document.claims if one.finding is not None}


def mending(finding: Finding) -> tuple[str, ...]:
    """The advice but for what helps readers until it is followed."""
    return tuple(words for words in finding.advice if not words.startswith(UNTIL))
