"""What `affected` says of every recorded table, held against what the register says occurs there."""

from __future__ import annotations

from functools import cache

import pytest

from pages.affected import (
    PAGE,
    UNNAMED,
    UpgradeCase,
    answers,
    cases,
    conditioned,
    occurs,
    page,
    recorded,
    rows,
    sources,
)
from stack.versions import releases
from xtable_audit.affected.affected import Certainty
from xtable_audit.affected.releases import covered
from xtable_audit.model.source_fact import ColumnFact, TableFact
from xtable_audit.register.bundled import path_of_register
from xtable_audit.register.entry import Entry

pytestmark = pytest.mark.slow  # reads every recorded table once
ENTRIES = conditioned()
PLAIN = (
    "mor_base_only", "partition_bare", "partition_date_day", "partition_special", "partition_two_columns",
    "types_dates_plain", "types_decimal_bytes_groups", "types_ints_plain", "types_lists_plain", "types_strings_groups",
)  # fmt: skip
"""Healthy tables of Hudi of one commit, without its index."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_a_finding_of_xtable_says_by_which_facts_a_table_is_affected(entry: Entry) -> None:
    assert entry.affects


@pytest.mark.parametrize("id", [entry.id for entry in ENTRIES])
def test_every_table_on_which_a_finding_occurs_is_named(id: str) -> None:
    row = rows()[id]
    [entry] = [entry for entry in ENTRIES if entry.id == id]
    assert row.meets | row.may or not recorded().keys() & {
        subject.removesuffix("-xtable") for subject in entry.subjects
    }
    assert sorted(row.missed) == []


@pytest.mark.parametrize("id", [entry.id for entry in ENTRIES])
def test_no_table_is_said_to_meet_what_does_not_occur_on_it(id: str) -> None:
    assert sorted(rows()[id].false) == []


@cache
def healthy() -> set[str]:
    """Tables on which no finding occurs under any release, nor after an upgrade."""
    ill = {case.table for case in cases() for entry in ENTRIES if occurs(entry, case)}
    return (
        {*recorded()}
        - ill
        - {table for _, table in UNNAMED}
        - {name for name, source in sources().items() if source.refused}
    )


@pytest.mark.parametrize("table", PLAIN)
def test_a_plain_table_is_not_affected(table: str) -> None:
    assert table in healthy()
    assert [one.id for case, named in answers().items() if case.table == table for one in named] == []


def test_no_healthy_table_is_said_to_meet_anything() -> None:
    said = {
        f"{case.id}: {one.id}"
        for case, named in answers().items()
        if case.table in healthy()
        for one in named
        if one.certainty is Certainty.MEETS
    }
    assert sorted(said) == []


def test_what_may_be_met_and_is_not_says_why() -> None:
    """Words under `if`, or what is not seen."""
    for case, named in answers().items():
        for one in named:
            assert one.certainty is Certainty.MEETS or one.unseen or one.because, f"{case.id}: {one.id}"


def test_a_table_that_every_release_refuses_is_said_to_be_refused() -> None:
    assert {name for name, source in sources().items() if source.refused} == {
        name for name, table in recorded().items() if table.refused
    }


def test_the_register_covers_the_releases_that_are_known() -> None:
    assert {one.name for one in covered(path_of_register())} == {one.short for one in releases()}


@pytest.mark.parametrize("fact", [*ColumnFact, *TableFact])
def test_every_word_of_the_vocabulary_leads_to_a_finding(fact: str) -> None:
    used = {word for entry in ENTRIES for block in entry.affects for word in (block.column, *block.facts)}
    assert fact in used


def test_the_counts_are_as_they_would_be_made() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m pages.affected`, and commit docs/"


def test_a_table_on_which_a_finding_occurs_counts_as_such() -> None:
    """Else the tests above would look at nothing."""
    release = covered(path_of_register())[-1]
    [millis] = [entry for entry in ENTRIES if entry.id == "XTF-004"]
    assert occurs(millis, UpgradeCase("types_millis_plain", release, None))
    assert not occurs(millis, UpgradeCase("types_times_plain", release, None))
