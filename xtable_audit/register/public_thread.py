"""`threads`: public threads, and what each is to a finding.

In findings.toml, each is `{ same = "https://…", state = "open", says = "…" }`. In place of `same` stands another word
of Tie, and one alone. `state` and `says` may be absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator

from xtable_audit.register.fields import BadRegister, Row, Text, read, tables


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


def _address(text: str) -> str:
    if not text.startswith("https://"):
        raise ValueError("must begin with https://")
    return text


@dataclass(frozen=True)
class Thread(Row):
    tie: Tie
    address: Annotated[str, AfterValidator(_address)]
    state: ThreadProgress | None = None
    """None if the thread was not found again."""
    says: Text = ""
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
    given = tables(label, "threads", rows, begin='{ same = "https://…" }')
    threads = tuple(_thread(f"{label}: threads", row) for row in given)
    if len({one.address for one in threads}) < len(threads):
        raise BadRegister(f"{label}: threads names something twice.")
    return threads


def _thread(label: str, row: Mapping[str, Any]) -> Thread:
    ties = [tie for tie in Tie if tie in row]
    if len(ties) != 1:
        raise BadRegister(f"{label}: {row} must have one of {', '.join(Tie)}, and one alone.")
    rest = {field: value for field, value in row.items() if field != ties[0]}
    return read(Thread, label, {"tie": ties[0], "address": row[ties[0]], **rest})
