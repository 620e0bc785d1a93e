"""The user's ignore file: findings that do not count, each with a reason and the last day on which it is ignored."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from xtable_audit.model.own_table import entry_named
from xtable_audit.model.problem import Problem
from xtable_audit.register.bundled import bundled_register
from xtable_audit.register.register import now_called

NAME = ".xtable-audit.toml"
"""The file that is taken where it lies in the working folder."""
KEYS = ("finding", "claim", "column", "table", "reason", "until")
EXAMPLE = 'such as: [[ignore]] claim = "bounds_are_present", column = "city", reason = "…", until = 2027-03-31'


@dataclass(frozen=True)
class IgnoreEntry:
    """`finding` or `claim` is set, not both; `column` and `table` are "" for all. `table` is a name or a pattern."""

    finding: str
    claim: str
    column: str
    table: str
    reason: str
    until: date

    @property
    def what(self) -> str:
        return entry_named(self.finding, self.claim, self.column)

    def is_of(self, *names: str) -> bool:
        """Whether it is of the table that has one of these names."""
        return not self.table or any(fnmatchcase(name, self.table) for name in names)


def in_force(
    entries: Iterable[IgnoreEntry], *names: str, today: date | None = None
) -> tuple[tuple[IgnoreEntry, ...], tuple[IgnoreEntry, ...]]:
    """The entries for the table with these names that count, and those that have ended. `today` is UTC's by default."""
    mine, now = [one for one in entries if one.is_of(*names)], today or datetime.now(UTC).date()
    return tuple(one for one in mine if one.until >= now), tuple(one for one in mine if one.until < now)


def read_ignore_file(named: Path | None, claims: Collection[str] | None = None) -> tuple[IgnoreEntry, ...]:
    """The entries of the file, by default of NAME in the working folder if it is there. Raises Problem.

    `claims` are the ids of claims that there are; None where entries for claims do not matter.
    """
    file = named or Path(NAME)
    if named is None and not file.exists():
        return ()
    try:
        text = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{file}: {error.strerror}; name the ignore file by --ignore") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Problem(f"{file} is no TOML: {error}; an entry is {EXAMPLE}") from error
    listed = text.pop("ignore", [])
    if text or not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Problem(f"{file}: it has [[ignore]] and nothing else, {EXAMPLE}")
    return tuple(_entry(one, claims, f"{file}, entry {number}") for number, one in enumerate(listed, start=1))


def _entry(raw: dict[str, Any], claims: Collection[str] | None, label: str) -> IgnoreEntry:
    until = raw.pop("until", None)
    if not isinstance(until, date) or isinstance(until, datetime):
        raise Problem(f"{label}: until is the last day on which it is ignored, without quotes, such as 2027-03-31")
    if unknown := [key for key in raw if key not in KEYS]:
        raise Problem(f"{label}: there is no key {unknown[0]}{_close(unknown[0], KEYS)}; there are {', '.join(KEYS)}")
    if wrong := [key for key, value in raw.items() if not isinstance(value, str) or not value.strip()]:
        raise Problem(f"{label}: {wrong[0]} is a text that is not empty")
    if not raw.get("reason"):
        raise Problem(f"{label}: say why, by reason")
    finding, claim, column = (raw.get(key, "") for key in ("finding", "claim", "column"))
    if bool(finding) == bool(claim) or (column and finding):
        raise Problem(f"{label}: it names a finding, or a claim, or a claim and a column")
    if finding and finding not in {one.id for one in bundled_register()}:
        raise Problem(f"{label}: {now_called(finding, bundled_register())}")
    if claim and claims is not None and claim not in claims:
        raise Problem(f"{label}: there is no claim {claim}{_close(claim, claims)}")
    return IgnoreEntry(finding, claim, column, raw.get("table", ""), raw["reason"], until)


def _close(word: str, words: Iterable[str]) -> str:
    close = get_close_matches(word, list(words), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
