"""What `affected` says of every recorded table, held against what the register says occurs there."""

from __future__ import annotations

from functools import cache

import pytest

from lab.stack.versions import releases
from tests.of_each import of_each
from tools.pages.affected import (
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
    translated,
)
from xtable.writer import ICEBERG, KERNEL, STANDALONE, WRITERS, Writer
from xtable_audit.affected.affected import Certainty
from xtable_audit.affected.releases import covered
from xtable_audit.model.source_fact import ColumnFact, TableFact
from xtable_audit.register.bundled import path_of_register
from xtable_audit.register.entry import Entry

pytestmark = pytest.mark.slow  # reads every recorded table once
ENTRIES = {by: conditioned(by) for by in WRITERS.values()}
BY_ALL = pytest.mark.parametrize("by", WRITERS.values(), ids=list(WRITERS))
EACH = [(by, entry) for by, entries in ENTRIES.items() for entry in entries]
EACH_IDS = [f"{entry.id}-{by.id}" for by, entry in EACH]
ALIKE = ("mor_base_only", "types_dates_plain", "types_ints_plain", "types_strings_groups")
PLAIN = {
    ICEBERG: (
        *ALIKE, "types_lists_plain", "types_decimal_bytes_groups", "partition_bare", "partition_date_day",
        "partition_special", "partition_two_columns",
    ),
    KERNEL: (*ALIKE, "types_lists_plain", "partition_decimal", "partition_null", "partition_three_columns"),
    STANDALONE: ("types_dates_plain", "types_ints_plain", "partition_decimal", "partition_null"),
}  # fmt: skip
"""Healthy tables of Hudi of one commit, without its index."""


@of_each(("by", "entry"), EACH, ids=EACH_IDS)
def test_a_finding_of_xtable_says_by_which_facts_a_table_is_affected(by: Writer, entry: Entry) -> None:
    assert any(block.concerns(by.target) for block in entry.affects)


@of_each(("by", "entry"), EACH, ids=EACH_IDS)
def test_every_table_on_which_a_finding_occurs_is_named(by: Writer, entry: Entry) -> None:
    row, ending = rows(by)[entry.id], f"-{by.id}"
    subjects = {one.removesuffix(ending) for one in entry.subjects if one.endswith(ending)}
    assert row.meets | row.may or not recorded().keys() & subjects
    assert sorted(row.missed) == []


@of_each(("by", "entry"), EACH, ids=EACH_IDS)
def test_no_table_is_said_to_meet_what_does_not_occur_on_it(by: Writer, entry: Entry) -> None:
    assert sorted(rows(by)[entry.id].false) == []


@cache
def healthy(by: Writer) -> set[str]:
    """Tables on which no finding of that writer occurs under any release, nor after an upgrade."""
    ill = {case.table for case in cases(by) for entry in ENTRIES[by] if occurs(entry, case)}
    return (
        {*translated(by)}
        - ill
        - {table for _, table in UNNAMED}
        - {name for name, source in sources().items() if source.refused}
    )


@pytest.mark.parametrize(
    ("by", "table"), [pytest.param(by, table, id=f"{table}-{by.id}") for by, plain in PLAIN.items() for table in plain]
)
def test_a_plain_table_is_not_affected(by: Writer, table: str) -> None:
    assert table in healthy(by)
    assert [one.id for case, named in answers(by).items() if case.table == table for one in named] == []


@BY_ALL
def test_no_healthy_table_is_said_to_meet_anything(by: Writer) -> None:
    said = {
        f"{case.id}: {one.id}"
        for case, named in answers(by).items()
        if case.table in healthy(by)
        for one in named
        if one.certainty is Certainty.MEETS
    }
    assert sorted(said) == []


@BY_ALL
def test_what_may_be_met_and_is_not_says_why(by: Writer) -> None:
    """Words under `if`, or what is not seen."""
    for case, named in answers(by).items():
        for one in named:
            assert one.certainty is Certainty.MEETS or one.unseen or one.because, f"{case.id}: {one.id}"


def test_a_table_that_every_release_refuses_is_said_to_be_refused() -> None:
    assert {name for name, source in sources().items() if source.refused} == {
        name for name, table in recorded().items() if table.refused
    }


def test_the_register_covers_the_releases_that_are_known() -> None:
    assert {one.name for one in covered(path_of_register())} == {one.short for one in releases()}


@of_each("fact", [*ColumnFact, *TableFact])
def test_every_word_of_the_vocabulary_leads_to_a_finding(fact: str) -> None:
    entries = [entry for of_writer in ENTRIES.values() for entry in of_writer]
    used = {word for entry in entries for block in entry.affects for word in (block.column, *block.facts)}
    assert fact in used


def test_the_counts_are_as_they_would_be_made() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools pages.affected`, and commit docs/"


def test_a_table_on_which_a_finding_occurs_counts_as_such() -> None:
    """Else the tests above would look at nothing."""
    release = covered(path_of_register())[-1]
    entries = {entry.id: entry for entry in ENTRIES[KERNEL]}
    assert occurs(entries["XTF-004"], UpgradeCase("types_millis_plain", release, None))
    assert not occurs(entries["XTF-004"], UpgradeCase("types_times_plain", release, None))
    assert occurs(entries["XTF-072"], UpgradeCase("types_times_plain", release.to(KERNEL.target), None, KERNEL))
    assert not occurs(entries["XTF-072"], UpgradeCase("types_times_plain", release, None))
