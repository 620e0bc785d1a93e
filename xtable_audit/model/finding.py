"""Findings: a claim that does not hold, with what a person needs to act on it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

from xtable_audit.model.deviation_kind import Sign
from xtable_audit.model.figures import Count, many
from xtable_audit.model.file_ranges import FileRanges
from xtable_audit.model.printable import make_printable, printable, shortened

WIDTH = 100
LONGEST_NAME = 200
"""Characters of a writer's name, which is a stranger's."""


class Verdict(StrEnum):
    """Effect of a false claim on a reader, worst first."""

    UNSOUND = "UNSOUND"
    """A reader skips a file with matching rows and silently returns wrong results."""
    DUPLICATE = "DUPLICATE"
    """Readers see rows twice."""
    STALE = "STALE"
    """Readers see rows that the source no longer has, or miss its newest rows."""
    FAILED_SILENTLY = "FAILED_SILENTLY"
    """An operation fails and nothing reports it."""
    UNREADABLE = "UNREADABLE"
    """There is no table to read, or a reader refuses it with an error."""
    LOOSE = "LOOSE"
    """Results are right, but the reader scans files it could skip."""
    COSMETIC = "COSMETIC"
    """Wrong, but it misleads no reader known to the suite."""

    @property
    def words(self) -> str:
        """What a user meets, in two or three words."""
        return WORDS[self]


WORDS = {
    Verdict.UNSOUND: "wrong results",
    Verdict.DUPLICATE: "duplicate rows",
    Verdict.STALE: "stale rows",
    Verdict.FAILED_SILENTLY: "fails silently",
    Verdict.UNREADABLE: "cannot be read",
    Verdict.LOOSE: "extra reads",
    Verdict.COSMETIC: "no effect on readers",
}

SEVERITY = list(Verdict)
WRONG_ANSWERS = frozenset({Verdict.UNSOUND, Verdict.DUPLICATE, Verdict.STALE})
"""By these a reader returns other rows than the source has. By the others it returns the right ones, or an error."""


def worst(verdicts: list[Verdict]) -> Verdict:
    return min(verdicts, key=SEVERITY.index)


class Blame(str):
    """The component at fault, without its version: `xtable`, `xtable via hudi`, `reader duckdb`, …"""

    __slots__ = ()
    XTABLE: ClassVar[Blame]
    XTABLE_VIA_HUDI: ClassVar[Blame]
    """XTable passes on what Hudi's own function or index returns."""
    HUDI: ClassVar[Blame]
    DELTA: ClassVar[Blame]
    """The statistics in the Delta log are false."""
    ICEBERG: ClassVar[Blame]
    """The metrics in the manifests of an Iceberg source, which the target has as they are."""
    CONTROL: ClassVar[Blame]
    SOURCE_LAYOUT: ClassVar[Blame]
    CONFIGURATION: ClassVar[Blame]
    SUITE: ClassVar[Blame]

    def __new__(cls, path: str) -> Blame:
        """Raises ValueError unless `path` is one of PATHS, or one of NAMED followed by a name."""
        part, _, name = path.partition(" ")
        if path not in PATHS and not (part in NAMED and name.strip()):
            raise ValueError(f"{path!r} is no blame; there are {BLAMES}.")
        return super().__new__(cls, path)

    @property
    def owner(self) -> str:
        """`xtable` for `xtable via hudi` too: a control that cannot be asked hides where XTable has a value from."""
        return self.partition(" via ")[0]

    @classmethod
    def reader(cls, name: str) -> Blame:
        return cls(f"{READER} {name}")

    @classmethod
    def writer(cls, name: str) -> Blame:
        return cls(f"writer {shortened(printable(name), LONGEST_NAME)}")

    @property
    def is_a_readers(self) -> bool:
        return self.partition(" ")[0] == READER

    @property
    def is_xtables(self) -> bool:
        """Whether the fault lies in XTable's own code or in the Hudi code it relies on."""
        return self in (Blame.XTABLE, Blame.XTABLE_VIA_HUDI)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> dict[str, Any]:
        """In a report, a string that matches one of these paths."""
        text = {"type": "str", "pattern": f"^({'|'.join(PATHS)}|({'|'.join(NAMED)}) .+)$"}
        return {"type": "function-after", "function": {"type": "no-info", "function": cls}, "schema": text}


PATHS = ("xtable", "xtable via hudi", "hudi", "delta", "iceberg", "control", "source layout", "configuration", "suite")
READER = "reader"
NAMED = (READER, "writer")
"""Paths that are followed by a name."""
BLAMES = ", ".join([*PATHS, *(f"{part} <name>" for part in NAMED)])
for _path in PATHS:
    setattr(Blame, _path.replace(" ", "_").upper(), Blame(_path))


@dataclass(frozen=True)
class Impact:
    """How much of the table a finding affects."""

    files: Count
    files_total: Count
    rows: Count
    rows_total: Count
    unlisted: Count = 0
    """Files of the source that the metadata does not list; their rows are not counted."""
    tried: Count = 0
    """Predicates tried on the table; 0 if the claim tries none."""
    losing: Count = 0
    """Tried predicates whose answer loses rows."""
    lost: Count = 0
    """Maximum number of rows that one predicate loses."""
    wrong: Count = 0
    """Rows that are lost, doubled, stale or of other values, without any predicate, as far as the claim counts them."""

    @property
    def rows_lost_or_wrong(self) -> int:
        """By the values: 0 if the claim compares no rows."""
        return max(self.lost, self.wrong)

    def __str__(self) -> str:
        files, rows = many(self.files_total, "file"), many(self.rows_total, "row")
        listed = f"{self.files:,} of {files}, which {'holds' if self.files == 1 else 'hold'} {self.rows:,} of {rows}"
        if self.tried:
            losing, worst = f"{self.losing:,} of {many(self.tried, 'predicate')}", many(self.lost, "row")
            if self.losing == 1:
                return f"{losing} loses {worst}; it skips {listed}"
            return f"{losing} lose rows, up to {worst} each; they skip {listed}"
        if self.wrong:
            return f"{many(self.wrong, 'row')} lost or wrong" + (f", in {listed}" if self.files else "")
        if not self.unlisted:
            return listed
        lost = f"every row of {many(self.unlisted, 'file')} that the metadata does not list"
        return f"{lost}, and {listed}" if self.files else lost


@dataclass(frozen=True)
class Answers:
    """Readers' answers to the example query of a finding."""

    table: str
    predicate: str
    """The condition in SQL."""
    actual: Count
    """Rows that match by the actual values."""
    readers: dict[str, int | str | None]
    """Reader to the number of rows it counts, its error message if it refuses the table, or None if it is not up."""

    def __post_init__(self) -> None:
        make_printable(self)
        readers = {name: printable(given) if isinstance(given, str) else given for name, given in self.readers.items()}
        object.__setattr__(self, "readers", readers)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def wrong(self) -> int:
        """Number of readers with a wrong count."""
        return sum(isinstance(given, int) and given != self.actual for given in self.readers.values())

    @property
    def refused(self) -> int:
        """Number of readers that raise an error."""
        return sum(isinstance(given, str) for given in self.readers.values())

    def __str__(self) -> str:
        answers = (f"{reader} {answer(given)}" for reader, given in self.readers.items())
        return " · ".join([f"truth {self.actual:,}", *answers])


def answer(given: int | str | None) -> str:
    """One reader's answer as a word or a number."""
    if given is None:
        return "not up"
    return "refuses" if isinstance(given, str) else f"{given:,}"


UNREPORTED: Mapping[str, Any] = {"exclude": True}
"""Of a field by which the register knows a finding in the run that makes it. No report has it."""


@dataclass(frozen=True)
class Finding:
    """One false claim on one table, and one reader if the claim is about readers."""

    claim: str
    """The claim's id."""
    sentence: str
    """What the claim says, and what is false here."""
    verdict: Verdict
    table: str
    saw: str
    expected: str
    impact: Impact
    blame: Blame
    because: str
    """The reason for the blame, in a clause."""
    column: str | None = None
    """The column that `saw` and `expected` describe."""
    columns: tuple[str, ...] = ()
    """Every column that deviates, sorted by name; empty if the claim is not about columns."""
    ranges: FileRanges | None = None
    """Stored and actual bounds of `column`, file by file; None if the claim is not about bounds."""
    signs: tuple[Sign, ...] = ()
    """What all deviating bounds have in common, by which the register knows the cause on any table."""
    reader: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    again: str = ""
    log: str = ""
    """The end of XTable's log of the sync, if there is one."""
    registered: str | None = None
    """The id of its entry in the register; None for a new finding."""
    example: str = ""
    """A query with wrong results: its condition, the rows that match and the rows that are found."""
    answers: Answers | None = None
    """Real readers' answers to the example."""
    advice: tuple[str, ...] = ()
    """What mends it, or helps until it is mended, each in one sentence that ends with the statement or the command."""

    root: str = ""
    """The id of the claim by whose failure alone this one fails; "" if it stands for itself, or is not known to."""
    changed_from: str | None = None
    """The id of the entry that registers it on this table at another extent: in other files, rows or columns."""
    change: str = ""
    """What of its extent is registered and what is there, in a sentence; "" unless `changed_from` is set."""
    deviation: str = field(default="", compare=False, metadata=UNREPORTED)
    """How the claim breaks in what `saw` describes: a DeviationKind, or a name of a stored metric."""
    misfit: str = field(default="", compare=False, metadata=UNREPORTED)
    """The column because of which a data file cannot be read."""

    def __post_init__(self) -> None:
        make_printable(self, lines=("saw", "again", "log"))

    def known_as(self, entry: str) -> Finding:
        return replace(self, registered=entry)

    @property
    def standing(self) -> str:
        """What the register has of it, in two words or three."""
        if self.registered:
            return f"known as {self.registered}"
        return f"changed from {self.changed_from}" if self.changed_from else "new"

    def as_dict(self) -> dict[str, Any]:
        plain = {"verdict": str(self.verdict), "blame": str(self.blame), "signs": tuple(map(str, self.signs))}
        return asdict(self) | plain

    def __str__(self) -> str:
        place = " · ".join(part for part in (self.table, self.reader, self.column and f"column {self.column}") if part)
        versions = " · ".join(f"{name} {version}" for name, version in self.versions.items())
        lines = {
            "claim": self.sentence,
            "saw": self.saw,
            "expected": self.expected,
            "impact": str(self.impact),
            "change": self.change,
            "example": self.example,
            "answers": str(self.answers or ""),
            "blame": f"{self.blame}: {self.because}",
            "do": "; or: ".join(self.advice),
            "versions": versions,
            "again": self.again,
            "log": self.log,
        }
        head = f"FINDING  {self.verdict} · {self.standing} · {place}"
        return "\n".join([head, *(_line(name, text) for name, text in lines.items() if text)])


def _line(name: str, text: str) -> str:
    """One line of a finding, folded to WIDTH. Commands and logs stay whole, to be copied."""
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
    """A finding that the register lists for this release."""
