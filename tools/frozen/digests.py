"""A run's lines as digests, one a table and one a claim: changed rows and columns cross where lines changed."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.stack.cache import write_atomically
from tools.frozen.lines import Lines, OutcomeLine
from xtable_audit.model.problem import Problem

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
    def between(cls, frozen: Frozen, run: Frozen, *, selected: bool = False) -> Differences:
        """If the run `selected` some tables, these are compared alone, and any claim of one that changed may have."""
        if not selected:
            return cls(*_changes(frozen.tables, run.tables), *_changes(frozen.claims, run.claims))
        new, _, changed = _changes(frozen.tables, run.tables)
        claims = frozenset(run.claims) if new or changed else NONE
        return cls(new, NONE, changed, NONE, NONE, claims)

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
