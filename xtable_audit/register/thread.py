"""`threads`: public threads, and what each is to a finding.

In findings.toml, each is `{ same = "https://…", state = "open", says = "…" }`. In place of `same` stands another word
of Tie, and one alone. `state` and `says` may be absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from xtable_audit.register.bad_register import BadRegister


class Tie(StrEnum):
    """What a thread is to a finding."""

    SAME = "same"
    """It is about the same fault."""
    SIBLING = "sibling"
    """It is about another fault, in the same method or of the same shape."""
    FIXED_BY = "fixed_by"
    """It is the change that mends the fault, or a part of it."""
    DOCUMENTS = "documents"
    """It states what the software does or is to do, and reports no fault."""


class ThreadProgress(StrEnum):
    """How a thread stood on the day of the search."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


@dataclass(frozen=True)
class Thread:
    tie: Tie
    address: str
    state: ThreadProgress | None = None
    """None if the thread was not found again."""
    says: str = ""
    """What it says, which release has the fix, or why it is another fault."""

    @property
    def name(self) -> str:
        """`xtable#466`; the address if it is none of GitHub's threads."""
        found = re.fullmatch(r"https://github\.com/[^/]+/([^/]+)/(?:issues|pull)/(\d+)", self.address)
        return f"{found[1].removeprefix('incubator-')}#{found[2]}" if found else self.address

    def told(self, name: str) -> str:
        """`sibling: xtable#907 (open): absolute paths`, with the name as it is to be shown."""
        state = f" ({self.state})" if self.state else ""
        return f"{self.tie.replace('_', ' ')}: {name}{state}" + (f": {self.says}" if self.says else "")


def read_threads(label: str, rows: Any) -> tuple[Thread, ...]:
    """The threads of the entry `label`; empty if none is known. Raises BadRegister, with one sentence."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRegister(f'{label}: threads must be a list of tables, as {{ same = "https://…" }}, not {rows!r}.')
    threads = tuple(_thread(f"{label}: threads", row) for row in rows)
    if len({one.address for one in threads}) < len(threads):
        raise BadRegister(f"{label}: threads names something twice.")
    return threads


def _thread(label: str, row: Mapping[str, Any]) -> Thread:
    for field, value in row.items():
        if field not in (*Tie, "state", "says"):
            raise BadRegister(f"{label}: {field!r} is no word for what a thread is; there are {', '.join(Tie)}.")
        if not (isinstance(value, str) and value.strip()):
            raise BadRegister(f"{label}: {field} must be text, not {value!r}.")
    ties = [tie for tie in Tie if tie in row]
    if len(ties) != 1:
        raise BadRegister(f"{label}: {row} must have one of {', '.join(Tie)}, and one alone.")
    address = row[ties[0]]
    if not address.startswith("https://"):
        raise BadRegister(f"{label}: {address!r} is no address; begin it with https://.")
    state = row.get("state")
    if state is not None and state not in [*ThreadProgress]:
        raise BadRegister(f"{label}: {state!r} is no state of a thread; there are {', '.join(ThreadProgress)}.")
    return Thread(ties[0], address, ThreadProgress(state) if state else None, row.get("says", ""))
