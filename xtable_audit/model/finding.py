"""Findings: a claim that does not hold, told so that somebody can act on it."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

from xtable_audit.model.figures import Count

WIDTH = 100


class Verdict(StrEnum):
    """What a false claim does to a reader, worst first."""

    UNSOUND = "UNSOUND"
    """A reader skips a file that holds matching rows, and answers wrongly without a word."""
    DUPLICATE = "DUPLICATE"
    """Rows are seen twice."""
    STALE = "STALE"
    """Rows are seen that the source no longer has, or its newest ones are not."""
    FAILED_SILENTLY = "FAILED_SILENTLY"
    """Something failed, and nothing said so."""
    UNREADABLE = "UNREADABLE"
    """There is no table to read, or a reader refuses it, and that is said."""
    LOOSE = "LOOSE"
    """Every answer is right, and the reader opens far too many files."""
    COSMETIC = "COSMETIC"
    """Wrong, and no reader known to the suite is misled."""


SEVERITY = list(Verdict)


def worst(verdicts: list[Verdict]) -> Verdict:
    return min(verdicts, key=SEVERITY.index)


class Blame(str):
    """The path to the code that errs, without its version: `xtable`, `xtable via hudi`, `reader duckdb`, …"""

    __slots__ = ()
    XTABLE: ClassVar[Blame]
    XTABLE_VIA_HUDI: ClassVar[Blame]
    """XTable hands on what Hudi's own function or index told it."""
    HUDI: ClassVar[Blame]
    DELTA: ClassVar[Blame]
    """The statistics in the Delta log are false."""
    CONTROL: ClassVar[Blame]
    SOURCE_LAYOUT: ClassVar[Blame]
    CONFIGURATION: ClassVar[Blame]
    SUITE: ClassVar[Blame]

    def __new__(cls, path: str) -> Blame:
        """Raises ValueError for what is no such path."""
        part, _, name = path.partition(" ")
        if path not in PATHS and not (part in NAMED and name.strip()):
            raise ValueError(f"{path!r} is no blame; there are {BLAMES}.")
        return super().__new__(cls, path)

    @classmethod
    def reader(cls, name: str) -> Blame:
        return cls(f"reader {name}")

    @classmethod
    def writer(cls, name: str) -> Blame:
        return cls(f"writer {name}")

    @property
    def is_xtables(self) -> bool:
        """By its own code, or by what it relies on."""
        return self in (Blame.XTABLE, Blame.XTABLE_VIA_HUDI)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]:
        """A string of one of these paths, wherever a report is read."""
        text = {"type": "str", "pattern": f"^({'|'.join(PATHS)}|({'|'.join(NAMED)}) .+)$"}
        return {"type": "function-after", "function": {"type": "no-info", "function": cls}, "schema": text}


PATHS = ("xtable", "xtable via hudi", "hudi", "delta", "control", "source layout", "configuration", "suite")
NAMED = ("reader", "writer")
"""What is followed by a name."""
BLAMES = ", ".join([*PATHS, *(f"{part} <name>" for part in NAMED)])
for _path in PATHS:
    setattr(Blame, _path.replace(" ", "_").upper(), Blame(_path))


@dataclass(frozen=True)
class Impact:
    """How much of the table a finding touches."""

    files: Count
    files_total: Count
    rows: Count
    rows_total: Count
    unlisted: Count = 0
    """Files of the source that the metadata does not list; nobody has counted their rows."""
    tried: Count = 0
    """Predicates that were tried on the table, where the claim tries any."""
    losing: Count = 0
    """Those of them whose answer is short of rows."""
    lost: Count = 0
    """Rows that the worst of them loses."""

    def __str__(self) -> str:
        listed = f"{self.files:,} of {self.files_total:,} files, which hold {self.rows:,} of {self.rows_total:,} rows"
        if self.tried:
            worst = "1 row" if self.lost == 1 else f"{self.lost:,} rows"
            return f"{self.losing:,} of {self.tried:,} predicates lose rows, up to {worst} each; they skip {listed}"
        if not self.unlisted:
            return listed
        lost = f"every row of {self.unlisted:,} files that the metadata does not list"
        return f"{lost}, and {listed}" if self.files else lost


@dataclass(frozen=True)
class Answers:
    """What readers answer to the example query of a finding."""

    table: str
    predicate: str
    """As SQL writes it."""
    actual: Count
    """Rows that match by their values."""
    readers: dict[str, int | str | None]
    """Reader to the rows it counts; its own words where it refuses the table, None where it is not up."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def wrong(self) -> int:
        """How many readers count another number of rows."""
        return sum(isinstance(told, int) and told != self.actual for told in self.readers.values())

    def __str__(self) -> str:
        told = (f"{reader} {answer(said)}" for reader, said in self.readers.items())
        return " · ".join([f"truth {self.actual:,}", *told])


def answer(told: int | str | None) -> str:
    """One reader's answer in a word."""
    if told is None:
        return "not up"
    return "refuses" if isinstance(told, str) else f"{told:,}"


@dataclass(frozen=True)
class Finding:
    """One false claim on one table (and one reader, where it needs one)."""

    claim: str
    verdict: Verdict
    table: str
    saw: str
    expected: str
    impact: Impact
    blame: Blame
    because: str
    """Why the blame lies there, in a clause."""
    column: str | None = None
    """The one that `saw` and `expected` are about."""
    columns: tuple[str, ...] = ()
    """Every column that deviates, in the order of their names; none for a claim that is about no column."""
    reader: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    again: str = ""
    log: str = ""
    """The end of XTable's own log of the sync, where there is one."""
    registered: str | None = None
    """The id of the register's entry for it, or None for a new finding."""
    example: str = ""
    """A query that goes wrong by it: its condition, the rows there are and the rows that are found."""
    answers: Answers | None = None
    """What real readers answer to it."""

    def known_as(self, entry: str) -> Finding:
        return replace(self, registered=entry)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"verdict": str(self.verdict), "blame": str(self.blame)}

    def __str__(self) -> str:
        place = " · ".join(part for part in (self.table, self.reader, self.column and f"column {self.column}") if part)
        status = f"known as {self.registered}" if self.registered else "new"
        versions = " · ".join(f"{name} {version}" for name, version in self.versions.items())
        lines = {
            "claim": self.claim,
            "saw": self.saw,
            "expected": self.expected,
            "impact": str(self.impact),
            "example": self.example,
            "answers": str(self.answers or ""),
            "blame": f"{self.blame}: {self.because}",
            "versions": versions,
            "again": self.again,
            "log": self.log,
        }
        head = f"FINDING  {self.verdict} · {status} · {place}"
        return "\n".join([head, *(_told(name, text) for name, text in lines.items() if text)])


def _told(name: str, text: str) -> str:
    """One line of a finding, folded to a terminal's width; commands and logs are left whole, to be copied."""
    indent = " " * 12
    if name in ("again", "log"):
        return f"  {name:<9} " + text.replace("\n", "\n" + indent)
    fold = textwrap.TextWrapper(WIDTH, initial_indent=f"  {name:<9} ", subsequent_indent=indent)
    fold.break_long_words = fold.break_on_hyphens = False  # paths stay whole
    return fold.fill(text)


class FindingError(AssertionError):
    """Raised by a claim's test: pytest shows the finding in place of a traceback."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


class KnownFinding(FindingError):
    """A finding that the register lists for the release at hand."""
