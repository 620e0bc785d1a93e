"""Drafts of register entries from the findings of whole runs at several releases. A person adds the title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from xtable_audit.model.finding import SEVERITY, Blame, Finding, Verdict
from xtable_audit.model.fingerprint import common_words, shape
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.model.subject_id import BY, CONTROL, SubjectId
from xtable_audit.register.entry import base_version, is_numbered
from xtable_audit.report.document import Document

Place = tuple[str, str, str | None, str]
"""claim, subject, reader, question: identifies a test."""
Kind = tuple[str, str, str, str]
"""component, verdict, blame, shape of the finding's `saw`: common to the findings of one `where`."""
WIDE = 8
"""A kind of finding on more kinds of tables than this gets its own entry; others are grouped by kind of table."""


@dataclass(frozen=True)
class DraftCell:
    """One kind of finding at one place, and the releases of its component that show it."""

    place: Place
    kind: Kind
    releases: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class DraftBlock:
    """A draft of a block of `where`."""

    claims: tuple[str, ...]
    subjects: tuple[str, ...]
    columns: tuple[str, ...]
    readers: tuple[str, ...]
    questions: tuple[str, ...]
    releases: str
    verdict: str
    blame: str
    saw: str
    example: Finding
    """The finding on the smallest table."""


@dataclass(frozen=True)
class Draft:
    """A draft of an entry, with its blocks worst first."""

    component: str
    blocks: tuple[DraftBlock, ...]


def drafts(documents: Sequence[Document], *, known_too: bool = False) -> list[Draft]:
    """One draft per fault, as grouped by a program, worst first. Each document is of one release."""
    cells, tested = _cells(documents, {Outcome.FINDING, *([Outcome.KNOWN] if known_too else [])})
    drafts = [
        Draft(some[0].kind[0], tuple(sorted(_blocks(some, tested), key=_order))) for some in _by_fault(cells) if some
    ]
    return sorted(drafts, key=lambda draft: _order(draft.blocks[0]))


def place_of(claim: ClaimResult) -> Place:
    """The place of the test `suites/x.py::test_y[table-reader-question]`."""
    parameters = claim.test.removesuffix("]").partition("[")[2]
    for given in (claim.table, claim.reader):
        if given:
            parameters = parameters.replace(given, "", 1)
    question = parameters.strip("-").replace("--", "-")
    return claim.claim, claim.table or "", claim.reader, question


def kind_of_table(table: str) -> str:
    """`types_nan` of `types_nan_groups-xtable`: the first two words of the dataset."""
    return "_".join(SubjectId.parse(table).dataset.split("_")[:2])


def version_range(failing: Iterable[Version], held: Iterable[Version] = ()) -> str:
    """The shortest PEP 440 range with every failing version and without those that held.

    It ends with the newest failing minor version, so findings of later releases stay new until a person reviews them.
    """
    failing, held = sorted(failing), sorted(held)
    newest = failing[-1]
    later = [v for v in held if v > newest and v.release[:2] == newest.release[:2]]
    end = str(later[0]) if later else f"{newest.major}.{newest.minor + 1}"
    oldest = failing[0]
    before = [v for v in held if v < oldest and v.release[:2] == oldest.release[:2]]
    begin = str(oldest) if before else f"{oldest.major}.{oldest.minor}"
    holes = "".join(f",!={v}" for v in held if oldest < v < newest)
    return f">={begin},<{end}{holes}"


def _cells(documents: Sequence[Document], outcomes: set[Outcome]) -> tuple[list[DraftCell], set[Place]]:
    """A cell for every place and kind of finding, and every place that was tested."""
    held: dict[Place, set[Version]] = defaultdict(set)
    found: dict[tuple[Place, Kind], dict[Version, Finding]] = defaultdict(dict)
    for document in documents:
        release = _version(document.versions.get("xtable", ""))
        for claim in document.claims:
            place = place_of(claim)
            held[place] |= {release} if claim.outcome in (Outcome.HELD, Outcome.GONE) else set()
            finding = claim.finding
            if finding and claim.outcome in outcomes and finding.blame != Blame.SUITE and not claim.follows:
                kind = _kind(claim, finding)
                version = _version((finding.versions | document.versions).get(kind[0], ""))
                found[place, kind][version] = finding
    cells = [
        DraftCell(place, kind, version_range(seen, held[place] if kind[0] == "xtable" else ()), tuple(seen.values()))
        for (place, kind), seen in found.items()
    ]
    return cells, set(held)


def _kind(claim: ClaimResult, finding: Finding) -> Kind:
    table = SubjectId.parse(claim.table or "")
    by_xtable = table.translator == "xtable" or BY in table.translator
    writer = CONTROL if table.is_control else "xtable" if by_xtable else "spark"
    component = claim.reader if finding.blame.is_a_readers and claim.reader else writer
    saw = finding.saw.replace(table.dataset or "\0", "\0")
    return component, str(finding.verdict), str(finding.blame), shape(saw)


def _by_fault(cells: Sequence[DraftCell]) -> list[list[DraftCell]]:
    """Groups cells into faults. A kind of finding is one fault if its component is not xtable or if it occurs on more
    than WIDE kinds of tables. Kinds of tables with the same remaining findings share a fault.
    """
    kinds: dict[tuple[Kind, str], set[str]] = defaultdict(set)
    for cell in cells:
        kinds[cell.kind, cell.place[0]].add(kind_of_table(cell.place[1]))
    wide: dict[Kind, list[DraftCell]] = defaultdict(list)
    narrow: dict[tuple[str, str, str], list[DraftCell]] = defaultdict(list)
    for cell in cells:
        if cell.kind[0] != "xtable" or len(kinds[cell.kind, cell.place[0]]) > WIDE:
            wide[cell.kind].append(cell)
        else:
            narrow[cell.kind[0], cell.kind[2], kind_of_table(cell.place[1])].append(cell)
    alike: dict[tuple[str, str, frozenset[tuple[Kind, str, str]]], list[DraftCell]] = defaultdict(list)
    for (component, blame, _), some in narrow.items():
        profile = frozenset((cell.kind, cell.releases, cell.place[0]) for cell in some)
        alike[component, blame, profile] += some
    return [*wide.values(), *alike.values()]


def _blocks(cells: Sequence[DraftCell], tested: set[Place]) -> list[DraftBlock]:
    """The cells as few products of claims, subjects, readers and questions; not necessarily the fewest."""
    groups: dict[tuple[Kind, str], list[DraftCell]] = defaultdict(list)
    for cell in cells:
        groups[cell.kind, cell.releases].append(cell)
    return [
        _block(product, [cell for cell in some if cell.place[0] in product[0] and cell.place[1] in product[1]])
        for some in groups.values()
        for product in _products({cell.place for cell in some}, tested)
    ]


Words = tuple[str, ...]


def _block(product: tuple[Words, Words, Words, Words], cells: Sequence[DraftCell]) -> DraftBlock:
    claims, subjects, readers, questions = product
    inside = [cell for cell in cells if cell.place[2] in (readers or (None,))]
    findings = [finding for cell in inside for finding in cell.findings]
    example = min(findings, key=lambda finding: (finding.impact.rows_total or 1 << 60, finding.table))
    saw = common_words([finding.saw for finding in findings])
    _, verdict, blame, _ = inside[0].kind
    columns = tuple(sorted({column for finding in findings for column in finding.columns}))
    return DraftBlock(claims, subjects, columns, readers, questions, inside[0].releases, verdict, blame, saw, example)


def _products(places: set[Place], tested: set[Place]) -> list[tuple[Words, Words, Words, Words]]:
    """(claims, subjects, readers, questions): questions fold first, then readers, subjects, claims.

    Empty questions mean all questions that were tested.
    """
    every, some = (_folded(((c, s, r), q) for c, s, r, q in all_of) for all_of in (tested, places))
    questions = {
        key: () if set(some_questions) >= set(every[key]) else some_questions for key, some_questions in some.items()
    }
    readers = _folded(((c, s, some_questions), r or "") for (c, s, r), some_questions in questions.items())
    subjects = _folded(((c, who, some_questions), s) for (c, s, some_questions), who in readers.items())
    claims = _folded(((where, who, some_questions), c) for (c, who, some_questions), where in subjects.items())
    return [
        (which, where, who if who != ("",) else (), some_questions)
        for (where, who, some_questions), which in claims.items()
    ]


def _folded(pairs: Iterable[tuple[Any, str]]) -> dict[Any, Words]:
    """Each key with all its values, sorted."""
    found: dict[Any, set[str]] = defaultdict(set)
    for key, value in pairs:
        found[key].add(value)
    return {key: tuple(sorted(values)) for key, values in found.items()}


def _order(block: DraftBlock) -> tuple[int, Words, Words]:
    return SEVERITY.index(Verdict(block.verdict)), block.subjects, block.claims


def _version(text: str) -> Version:
    return base_version(text) if is_numbered(text) else Version("0")
