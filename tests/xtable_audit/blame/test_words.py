"""Whose fault a finding is, and which entry of the register it is, never hangs on words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain

import pytest

from lab.provision.checked_register import REGISTER, extents, register
from lab.stack.project import ROOT
from tests.of_each import of_each
from tests.tables.draft import Fault
from tests.whole_runs.reworded import QUOTING
from tests.xtable_audit.claims import faults_beside, faults_of_files, faults_of_snapshots, mutate
from tests.xtable_audit.conftest import DraftOf
from xtable_audit.blame.ruling import Control, of_translation, sites
from xtable_audit.check.recognise import ruling
from xtable_audit.check.roots import with_address
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import NO_OBJECT, Deviation, file_name
from xtable_audit.claims.translation.files import every_file_exists
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.judge import build_finding
from xtable_audit.model.finding import Blame, Verdict
from xtable_audit.register.entry import Entry, Where
from xtable_audit.register.extent import Extent
from xtable_audit.subject.case import Case

# Whose fault a finding is, and what is expected, does not depend on how its deviations are worded.

GONE = [
    *(one for one in faults_of_files.FAULTS if one.id.endswith("an object deleted")),
    *(one for one in faults_beside.FAULTS if one.id.endswith("delete file missing")),
    *(one for one in faults_beside.STATISTICS_FAULTS if one.id.endswith((" manifest list", "statistics missing"))),
]
"""Faults in which an object that the metadata names is not there."""
OTHERS = [*faults_of_files.OF_COUNTS[:3], *faults_of_snapshots.FAULTS[:3]]


def reworded(found: list[Deviation]) -> list[Deviation]:
    return [replace(one, saw=f"in other words, {one.saw}", expected="something else") for one in found]


Spoilt = Callable[[Fault], Iterator[tuple[str, Case, list[Deviation]]]]


@pytest.fixture
def spoilt(draft_of: DraftOf) -> Spoilt:
    """The claims that the fault breaks, with the case and the deviations."""

    def build(fault: Fault) -> Iterator[tuple[str, Case, list[Deviation]]]:
        draft = draft_of(fault.table)
        fault.spoil(draft)
        case = draft.case()
        return ((id, case, CLAIMS[id].deviations(case)) for id in fault.breaks)

    return build


@pytest.mark.parametrize("fault", GONE, ids=str)
def test_who_took_an_object_away_is_unknown_in_any_words(spoilt: Spoilt, fault: Fault) -> None:
    for _, case, found in spoilt(fault):
        assert {one.kind for one in found} == {NO_OBJECT}
        for told in (found, reworded(found)):
            assert ruling(MetadataWriter(), case.stored, told)[1] == "the metadata does not say who deleted or moved it"


@pytest.mark.parametrize("fault", OTHERS, ids=str)
def test_the_words_of_a_missing_object_alone_blame_nobody(spoilt: Spoilt, fault: Fault) -> None:
    for _, case, found in spoilt(fault):
        told = [replace(one, saw=f"no object at {one.saw}") for one in found]
        assert ruling(MetadataWriter(), case.stored, told) == ruling(MetadataWriter(), case.stored, found)


@pytest.mark.parametrize("fault", [*GONE, *OTHERS], ids=str)
def test_a_control_acquits_the_same_in_other_words(spoilt: Spoilt, fault: Fault) -> None:
    for id, case, found in spoilt(fault):
        seen, said = (sites(CLAIMS[id], case, told) for told in (found, reworded(found)))
        assert of_translation(said, Control(said), "") == of_translation(seen, Control(seen), "")
        assert {one.file for one in said} == {one.file for one in seen}


@pytest.mark.parametrize("elsewhere", [(0,), (1,), (0, 1, 2)], ids=["the first", "the second", "all"])
def test_a_missing_file_is_expected_where_its_source_has_it_in_any_words(
    draft_of: DraftOf, elsewhere: tuple[int, ...]
) -> None:
    """The file of which the finding tells: the first by its words, of those that are missing."""
    draft = draft_of("typed")
    for place in (0, 1):
        mutate.delete_object(draft, place)
    case = draft.case()
    moved = {f"s3a://source/{file_name(case, place)}": 1 for place in elsewhere}
    case = replace(case, source=replace(case.source, base_files=moved))
    [found] = every_file_exists.deviations(case)
    assert found.example in (0, 1)
    for [told] in ([found], reworded([found])):
        finding = build_finding(every_file_exists, case, [told], (Blame.XTABLE, "it is so"))
        there = f"s3a://source/{file_name(case, found.example)} (by its source)"
        expected = there if found.example in elsewhere else told.expected
        assert with_address(finding, [told], case).expected == expected


def test_every_kind_of_object_is_among_them() -> None:
    assert {*chain.from_iterable(one.breaks for one in GONE)} == {
        "every_file_exists",
        "delete_files_can_be_read",
        "branches_and_tags_can_be_read",
        "statistics_can_be_read",
    }


# By what the register tells a finding from others: never by the suite's own words.

every_entry = of_each("entry", register(REGISTER), ids=lambda entry: entry.id)
OF_ONE_FORM = frozenset({"last_instant_never_goes_back", "rows_are_those_of_the_snapshot_view"})
"""Claims that break in one way, and whose findings count neither files nor rows."""
SENTENCE = re.compile("[a-z]{2,} [a-z]{2,}|nothing|unpartitioned")
"""Two words or more, or one of ours for what is not there."""


@every_entry
def test_every_block_names_columns_or_words_or_has_an_extent(entry: Entry) -> None:
    """Or another fault of the same claim and table would pass as known."""
    vague = [
        one
        for one in entry.where
        if not (one.columns or one.saw or one.deviation or one.at_times or {*one.claims} <= OF_ONE_FORM)
    ]
    assert [(one.claims, table) for one in vague for table in one.subjects if not _has_extent(entry, table)] == []


@every_entry
def test_no_block_goes_by_the_suites_own_words(entry: Entry) -> None:
    """Else no claim could be worded anew. A value is none of them, nor what another program says."""
    assert [saw for one in entry.where for saw in one.saw if SENTENCE.search(saw) and not _is_quoted(one, saw)] == []


def test_what_the_suite_says_of_a_file_is_recognised_as_its_own() -> None:
    assert _is_own("is not the Parquet file the metadata describes: column y holds string")
    assert not _is_own("java.lang.NullPointerException: Cannot invoke")


def _has_extent(entry: Entry, table: str) -> bool:
    """Whether files or rows of the table are registered with the entry."""
    whole = extents(REGISTER)
    assert whole is not None
    seen = [
        seen
        for test, seen in whole.of.get(entry.id, {}).items()
        if f"-{table}-" in f"-{test.partition('[')[2].removesuffix(']')}-"
    ]
    return any(extent != Extent() for one in seen for extent in one.values())


def _is_quoted(where: Where, saw: str) -> bool:
    refused = bool(where.readers or where.planners) and where.verdict is Verdict.UNREADABLE
    return (refused or {*where.claims} <= QUOTING) and not _is_own(saw)


def _is_own(words: str) -> bool:
    return any(one in words for one in _own_sentences())


@cache
def _own_sentences() -> frozenset[str]:
    """Texts of the judge's modules, of four words or more, without those that say how a reader refuses a table."""
    return frozenset(text.strip(" :") for text in _texts() if len(text.split()) >= 4)


def _texts() -> Iterator[str]:
    judge = ROOT / "xtable_audit"
    for path in {*judge.rglob("*.py")} - {*(judge / "readers").rglob("*.py")}:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
