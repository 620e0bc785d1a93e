"""What `affected` says of every recorded table, held against what the register says occurs there."""

from __future__ import annotations

from functools import cache

import pytest

from pages.affected import (
    PAGE,
    UNNAMED,
    WRITER,
    UpgradeCase,
    answers,
    cases,
    conditioned,
    occurs,
    page,
    recorded,
    rows,
    sources,
    translated,
)
from stack.versions import releases
from xtable_audit.affected.affected import Certainty
from xtable_audit.affected.releases import covered
from xtable_audit.model.source_fact import ColumnFact, TableFact
from xtable_audit.model.subject_id import DELTA, ICEBERG, TARGETS
from xtable_audit.register.bundled import path_of_register
from xtable_audit.register.entry import Entry

pytestmark = pytest.mark.slow  # reads every recorded table once
ENTRIES = {target: conditioned(target) for target in TARGETS}
OF_TARGETS = [pytest.param(target, entry, id=f"{entry.id}-{target}") for target in TARGETS for entry in ENTRIES[target]]
ALIKE = ("mor_base_only", "types_dates_plain", "types_ints_plain", "types_lists_plain", "types_strings_groups")
PLAIN = {
    ICEBERG: (
        *ALIKE, "partition_bare", "partition_date_day", "partition_special", "partition_two_columns",
        "types_decimal_bytes_groups",
    ),
    DELTA: (*ALIKE, "partition_decimal", "partition_null", "partition_three_columns"),
}  # fmt: skip
"""Healthy tables of Hudi of one commit, without its index."""


@pytest.mark.parametrize(("target", "entry"), OF_TARGETS)
def test_a_finding_of_xtable_says_by_which_facts_a_table_is_affected(target: str, entry: Entry) -> None:
    assert any(block.concerns(target) for block in entry.affects)


@pytest.mark.parametrize(("target", "entry"), OF_TARGETS)
def test_every_table_on_which_a_finding_occurs_is_named(target: str, entry: Entry) -> None:
    row, ending = rows(target)[entry.id], f"-{WRITER[target]}"
    subjects = {one.removesuffix(ending) for one in entry.subjects if one.endswith(ending)}
    assert row.meets | row.may or not recorded().keys() & subjects
    assert sorted(row.missed) == []


@pytest.mark.parametrize(("target", "entry"), OF_TARGETS)
def test_no_table_is_said_to_meet_what_does_not_occur_on_it(target: str, entry: Entry) -> None:
    assert sorted(rows(target)[entry.id].false) == []


@cache
def healthy(target: str) -> set[str]:
    """Tables on which no finding of that target occurs under any release, nor after an upgrade."""
    ill = {case.table for case in cases(target) for entry in ENTRIES[target] if occurs(entry, case)}
    return (
        {*translated(target)}
        - ill
        - {table for _, table in UNNAMED}
        - {name for name, source in sources().items() if source.refused}
    )


@pytest.mark.parametrize(("target", "table"), [(target, table) for target in TARGETS for table in PLAIN[target]])
def test_a_plain_table_is_not_affected(target: str, table: str) -> None:
    assert table in healthy(target)
    assert [one.id for case, named in answers(target).items() if case.table == table for one in named] == []


@pytest.mark.parametrize("target", TARGETS)
def test_no_healthy_table_is_said_to_meet_anything(target: str) -> None:
    said = {
        f"{case.id}: {one.id}"
        for case, named in answers(target).items()
        if case.table in healthy(target)
        for one in named
        if one.certainty is Certainty.MEETS
    }
    assert sorted(said) == []


@pytest.mark.parametrize("target", TARGETS)
def test_what_may_be_met_and_is_not_says_why(target: str) -> None:
    """Words under `if`, or what is not seen."""
    for case, named in answers(target).items():
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
    entries = [entry for target in TARGETS for entry in ENTRIES[target]]
    used = {word for entry in entries for block in entry.affects for word in (block.column, *block.facts)}
    assert fact in used


def test_the_counts_are_as_they_would_be_made() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m pages.affected`, and commit docs/"


def test_a_table_on_which_a_finding_occurs_counts_as_such() -> None:
    """Else the tests above would look at nothing."""
    release = covered(path_of_register())[-1]
    entries = {entry.id: entry for entry in ENTRIES[DELTA]}
    assert occurs(entries["XTF-004"], UpgradeCase("types_millis_plain", release, None))
    assert not occurs(entries["XTF-004"], UpgradeCase("types_times_plain", release, None))
    assert occurs(entries["XTF-072"], UpgradeCase("types_times_plain", release.to(DELTA), None))
    assert not occurs(entries["XTF-072"], UpgradeCase("types_times_plain", release, None))
