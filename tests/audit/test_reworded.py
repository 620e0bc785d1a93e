"""Whose fault a finding is, and what is expected, does not depend on how its deviations are worded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

import pytest

from tests.audit import (
    faults_of_deletes,
    faults_of_files,
    faults_of_snapshots,
    faults_of_statistics,
    mutate,
)
from tests.audit.conftest import DraftOf
from tests.audit.fault import Fault
from xtable_audit.blame.ruling import Control, of_translation, sites
from xtable_audit.check.recognise import ruling
from xtable_audit.check.roots import with_address
from xtable_audit.claims import CLAIMS
from xtable_audit.claims.deviation import NO_OBJECT, Deviation, file_name
from xtable_audit.claims.translation.files import every_file_exists
from xtable_audit.formats.check_support import MetadataWriter
from xtable_audit.judge import build_finding
from xtable_audit.model.finding import Blame
from xtable_audit.subject.case import Case

GONE = [
    *(one for one in faults_of_files.FAULTS if one.id.endswith("an object deleted")),
    *(one for one in faults_of_deletes.FAULTS if one.id.endswith("delete file missing")),
    *(one for one in faults_of_statistics.FAULTS if one.id.endswith((" manifest list", "statistics missing"))),
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
