"""The recorded evidence of a register entry: its best examples from runs, small enough to keep."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from packaging.version import Version

from xtable_audit.model.figures import Count
from xtable_audit.model.finding import SEVERITY, Finding
from xtable_audit.model.fingerprint import UUID
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import STRICT
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Entry, base_version, is_numbered
from xtable_audit.report.document import Document

if TYPE_CHECKING:
    from pydantic import TypeAdapter

EXAMPLES = 8
ANSWERS = 4
LOG_LINES = 12
LONGEST = 600
"""Maximum length of a quoted text on a finding's page, in characters."""


@dataclass(frozen=True)
class ReaderCount:
    """One reader's answer to a predicate."""

    rows: Count | None
    refused: bool


@dataclass(frozen=True)
class WrongAnswer:
    """A predicate that readers answer wrongly."""

    table: str
    predicate: str
    rows: Count
    """Rows that match by the actual values."""
    readers: dict[str, ReaderCount]

    @property
    def wrong(self) -> int:
        """Number of readers with a wrong count."""
        return sum(one.rows is not None and one.rows != self.rows for one in self.readers.values())


@dataclass(frozen=True)
class EntryCost:
    """Claims, tables, files and rows that an entry's findings affect in one release; each table counts once."""

    claims: Count
    tables: Count
    files: Count
    rows: Count


@dataclass(frozen=True)
class Evidence:
    """`examples` are of the newest release of each component, one per claim and reader, best first."""

    __pydantic_config__ = STRICT

    examples: tuple[Finding, ...]
    answers: tuple[WrongAnswer, ...]
    """Wrong answers on the best example's table. None where a reader is to blame: the table may have other faults."""
    costs: dict[str, EntryCost]
    """By component and release: `xtable 0.4.0-incubating`."""

    @property
    def best(self) -> Finding:
        return self.examples[0]


def to_json(by_id: Mapping[str, Evidence]) -> str:
    """The evidence of several entries, in the order of their ids."""
    return (
        json.dumps(_adapter().dump_python(dict(sorted(by_id.items())), mode="json"), indent=1, ensure_ascii=False)
        + "\n"
    )


def from_json(text: str) -> dict[str, Evidence]:
    """By entry id. Raises pydantic's ValidationError, a ValueError."""
    return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[dict[str, Evidence]]:
    from pydantic import TypeAdapter

    return TypeAdapter(dict[str, Evidence])


def evidence_of(entry: Entry, documents: Sequence[Document]) -> Evidence | None:
    """The evidence in these runs (oldest release first); None if no run shows the entry."""
    found: dict[tuple[str, str], list[Finding]] = {}
    newest = None
    for document in reversed(documents):
        for finding in _findings(entry, document):
            component = _component(entry, finding)
            version = finding.versions.get(component) or document.versions.get(component, "?")
            found.setdefault((component, version), []).append(finding)
            newest = newest or document
    if newest is None:
        return None
    by_age = sorted(found, key=lambda key: (entry.components.index(key[0]), _age(key[1])))
    latest = dict(by_age)
    examples = _examples(entry, [finding for key in latest.items() for finding in found[key]])
    costs = {" ".join(key): _cost(found[key]) for key in by_age}
    answers = () if examples[0].blame.is_a_readers else tuple(_answers(newest, examples[0].table))
    return Evidence(tuple(map(_small, examples)), answers, costs)


def _component(entry: Entry, finding: Finding) -> str:
    """The component whose releases decide whether the finding is there."""
    held = (one.component for one in entry.where if finding.claim in one.claims and finding.table in one.subjects)
    return next(held, entry.components[0])


def _age(version: str) -> tuple[bool, Version]:
    """Sort key, oldest first. A version without a number sorts after all releases."""
    return (False, base_version(version)) if is_numbered(version) else (True, Version("0"))


def _findings(entry: Entry, document: Document) -> list[Finding]:
    return [
        claim.finding
        for claim in document.claims
        if claim.outcome is Outcome.KNOWN
        and claim.finding
        and claim.finding.registered in (entry.id, *entry.formerly)
        and not claim.follows
    ]


def _examples(entry: Entry, findings: Sequence[Finding]) -> list[Finding]:
    """One per claim and reader, worst first: on the entry's reproduction, else on the smallest table. What the entry is
    mostly about goes before what other components do.
    """

    def order(finding: Finding) -> tuple[int, int, bool, int, bool, str, str]:
        return (
            entry.components.index(_component(entry, finding)),
            SEVERITY.index(finding.verdict),
            finding.table != entry.reproduce,
            finding.impact.rows_total or 1 << 60,
            SubjectId.parse(finding.table).translator != "xtable",
            finding.table,
            finding.reader or "",
        )

    chosen: dict[tuple[str, str | None], Finding] = {}
    for finding in sorted(findings, key=order):
        chosen.setdefault((finding.claim, finding.reader), finding)
    return list(chosen.values())[:EXAMPLES]


def _cost(findings: Sequence[Finding]) -> EntryCost:
    files: dict[str, int] = {}
    rows: dict[str, int] = {}
    for finding in findings:
        impact, table = finding.impact, finding.table
        files[table] = max(files.get(table, 0), impact.files + impact.unlisted)
        rows[table] = max(rows.get(table, 0), impact.rows)
    return EntryCost(len(findings), len(files), sum(files.values()), sum(rows.values()))


def _answers(document: Document, table: str) -> list[WrongAnswer]:
    """The example queries that most readers answer wrongly, or refuse; the shortest first among equals."""
    wrong = [one for one in document.answers if one.table == table and (one.wrong or one.refused)]
    return [
        WrongAnswer(
            one.table,
            one.predicate,
            one.actual,
            {
                reader: ReaderCount(returned if isinstance(returned, int) else None, refused=isinstance(returned, str))
                for reader, returned in one.readers.items()
                if returned is not None
            },
        )
        for one in sorted(wrong, key=lambda one: (-one.wrong, len(one.predicate), one.predicate))[:ANSWERS]
    ]


def _small(finding: Finding) -> Finding:
    """The finding with shortened file names and texts, and only the end of its log."""
    log = "\n".join(_named(line)[:LONGEST] for line in finding.log.splitlines()[-LOG_LINES:])
    return replace(finding, saw=_cut(finding.saw), expected=_cut(finding.expected), log=log)


def _cut(text: str) -> str:
    return _named(text)[:LONGEST] + ("…" if len(_named(text)) > LONGEST else "")


def _named(text: str) -> str:
    """The text with each UUID cut to its first 8 digits."""
    return re.sub(UUID, lambda uuid: uuid[0][:8], text)
