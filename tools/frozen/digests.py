"""A run's outcomes as lines, one a claim, and those as digests, one a table and one a claim."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.stack.cache import write_atomically
from xtable_audit.model.finding import Finding
from xtable_audit.model.fingerprint import steady
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.model.problem import Problem
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.entry import Entry, Where
from xtable_audit.report.document import Document

BETWEEN = " | "
GAP = "…"
COMMITTED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00:00")
OF_COMMIT_TIMES = frozenset({"failure_keeps_the_last_instant", "last_instant_never_goes_back"})
"""Claims whose findings name times of commits, which are others once a table is recorded anew."""


@dataclass(frozen=True)
class OutcomeLine:
    claim: str
    table: str
    text: str


@dataclass(frozen=True)
class Lines:
    """All lines of one run."""

    lines: tuple[OutcomeLine, ...]
    """Sorted by their text."""
    intermittent: Mapping[str, int]
    """In the register's words, what comes and goes: to the number of lines that stand for any of its outcomes."""

    @classmethod
    def of(cls, lines: Iterable[OutcomeLine], intermittent: Mapping[str, int]) -> Lines:
        return cls(tuple(sorted(lines, key=lambda one: one.text)), dict(sorted(intermittent.items())))


def lines_of(document: Document, entries: Sequence[Entry]) -> Lines:
    """`entries` are those of the register: they say which findings are intermittent."""
    lines, intermittent = [], Counter[str]()
    for result in document.claims:
        words = outcome(result)
        if lapse := _lapse(result, document, entries):
            entry, where = lapse
            intermittent[f"{entry.id}: {where.at_times}"] += 1
            words = [f"as {entry.id} registers it, or otherwise at times"]
        text = BETWEEN.join([result.claim, str(result.table), *filter(None, [_parameters(result)]), *words])
        lines.append(OutcomeLine(result.claim, str(result.table), text))
    return Lines.of(lines, intermittent)


def outcome(result: ClaimResult) -> list[str]:
    """Its outcome; of a finding also verdict, blame, entry and fingerprint."""
    found = result.finding
    if found is None:
        return [str(result.outcome)]
    known = f"{result.outcome} {found.registered}" if found.registered else str(result.outcome)
    return [known, str(found.verdict), str(found.blame), *fingerprint(found)]


def fingerprint(found: Finding) -> Iterator[str]:
    """What was found where, as far as two runs find the same."""
    if found.columns:
        yield ", ".join(found.columns)
    yield str(found.impact)
    texts = _steady(found.saw), _steady(found.expected)
    yield from (COMMITTED.sub(GAP, text) for text in texts) if found.claim in OF_COMMIT_TIMES else texts
    if found.signs:
        yield ", ".join(map(str, found.signs))


def _steady(text: str) -> str:
    return " ".join(steady(text).replace("\0", GAP).split())


def _parameters(result: ClaimResult) -> str:
    """What the test is asked for besides its table: a reader, a planner, a question."""
    parameters = result.test.partition("[")[2].removesuffix("]")
    return parameters.removeprefix(str(result.table)).removeprefix("-")


def _lapse(result: ClaimResult, document: Document, entries: Sequence[Entry]) -> tuple[Entry, Where] | None:
    """The intermittent finding that the claim shows or may show here; None if its outcome is one that must not vary."""
    since = document.run.upgrade_from
    for entry in entries:
        lapses = entry.lapses(result.claim, {"table": result.table, "reader": result.reader}, document.versions, since)
        if lapses and _is_of(result, entry):
            return entry, lapses[0]
    return None


def _is_of(result: ClaimResult, entry: Entry) -> bool:
    """Whether it passes, or fails in a way that the entry registers."""
    if result.outcome in FAILS:
        return result.finding is not None and result.finding.registered == entry.id
    return result.outcome is Outcome.HELD


FOLDER = Path(__file__).parent / "outcomes"
NONE: frozenset[str] = frozenset()
LENGTH = 16
"""Hexadecimal digits of a digest: enough to tell some hundred texts apart."""


@dataclass(frozen=True)
class Frozen:
    """The digests of one run."""

    command: str
    """What made the run."""
    lines: int
    intermittent: dict[str, int]
    """In the register's words, what comes and goes: to the number of lines that stand for any of its outcomes."""
    tables: dict[str, str]
    claims: dict[str, str]

    @classmethod
    def of(cls, run: Lines, command: str) -> Frozen:
        return cls(
            command,
            len(run.lines),
            dict(run.intermittent),
            _digests(run.lines, lambda one: one.table),
            _digests(run.lines, lambda one: one.claim),
        )

    @classmethod
    def load(cls, path: Path) -> Frozen:
        """Raises Problem for a missing or damaged file."""
        try:
            return cls(**json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError as error:
            raise Problem(f"{path} is missing: freeze the run with `python -m tools frozen write`.") from error
        except (ValueError, TypeError) as error:
            raise Problem(f"{path} is no file of frozen outcomes ({error}). Restore it with git.") from error

    def save(self, path: Path) -> None:
        write_atomically(path, (json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode())


@dataclass(frozen=True)
class Differences:
    """What of a run is not as frozen: names of tables and of claims."""

    new_tables: frozenset[str]
    missing_tables: frozenset[str]
    changed_tables: frozenset[str]
    new_claims: frozenset[str]
    missing_claims: frozenset[str]
    changed_claims: frozenset[str]

    @classmethod
    def between(
        cls, frozen: Frozen, run: Frozen, *, selected: bool = False, unasked: frozenset[str] = NONE
    ) -> Differences:
        """If the run `selected` some tables, these are compared alone, and any claim of one that changed may have.

        Where it lacks claims of `unasked`, each table has fewer lines: the other claims are compared, each with the
        lines of all tables, and any table of one that changed may have.
        """
        new, missing, changed = _changes(frozen.tables, run.tables)
        if selected:
            return cls(new, NONE, changed, NONE, NONE, frozenset(run.claims) if new or changed else NONE)
        new_claims, lacked, changed_claims = _changes(frozen.claims, run.claims)
        if lacked & unasked:
            changed = frozenset(run.tables) if new_claims or changed_claims else NONE
        return cls(new, missing, changed, new_claims, lacked - unasked, changed_claims)

    def __bool__(self) -> bool:
        return any(vars(self).values())

    def crossed(self, lines: Iterable[OutcomeLine]) -> list[OutcomeLine]:
        """The lines in which changed tables and changed claims cross. Each line that is not as frozen is among them."""
        tables, claims = self.new_tables | self.changed_tables, self.new_claims | self.changed_claims
        return [one for one in lines if one.table in tables and one.claim in claims]


def _digests(lines: Iterable[OutcomeLine], name: Callable[[OutcomeLine], str]) -> dict[str, str]:
    of: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        of[name(line)].append(line.text)
    return {one: digest(texts) for one, texts in sorted(of.items())}


def digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:LENGTH]


def _changes(
    frozen: Mapping[str, str], run: Mapping[str, str]
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """New, missing and changed names."""
    changed = (name for name in frozen.keys() & run.keys() if frozen[name] != run[name])
    return frozenset(run.keys() - frozen.keys()), frozenset(frozen.keys() - run.keys()), frozenset(changed)
