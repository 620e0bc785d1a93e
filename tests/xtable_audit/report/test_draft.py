"""Drafts of entries, from made-up runs at three releases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from tests.xtable_audit.report.runs import TEST, claim, document
from tools.pages.register_draft import entry_lines
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.result import ClaimResult
from xtable_audit.register.register import Entry, load_register
from xtable_audit.report.register_draft import Draft, DraftBlock, drafts, place_of, version_range

READ = "suites/selection/test_readers.py::test_rows_are_those_of_the_files"
COUNTS = "suites/counts/test_counts.py::test_null_counts_are_exact"
CONTAINED, COUNTED = "bounds_contain_values", "null_counts_are_exact"
RELEASES = ("0.2.0-incubating", "0.3.0-incubating", "0.4.0-incubating")


def drafted(*runs: list[ClaimResult]) -> list[Draft]:
    """Of a run a release, oldest first."""
    return drafts([document(*run, release=release) for run, release in zip(runs, RELEASES, strict=False)])


def blocks(*runs: list[ClaimResult]) -> list[DraftBlock]:
    return [block for draft in drafted(*runs) for block in draft.blocks]


RANGES = {
    "newest alone": (["0.4.0"], ["0.2.0", "0.3.0"], ">=0.4,<0.5"),
    "all": (["0.2.0", "0.3.0", "0.4.0"], [], ">=0.2,<0.5"),
    "mended in the newest": (["0.2.0", "0.3.0"], ["0.4.0"], ">=0.2,<0.4"),
    "mended and broken again": (["0.2.0", "0.4.0"], ["0.3.0"], ">=0.2,<0.5,!=0.3.0"),
    "mended in a patch": (["0.4.0"], ["0.4.1"], ">=0.4,<0.4.1"),
    "broken in a patch": (["0.4.1"], ["0.4.0"], ">=0.4.1,<0.5"),
}


@pytest.mark.parametrize(("failing", "held", "expected"), RANGES.values(), ids=RANGES.keys())
def test_range_holds_what_fails_and_nothing_that_holds(failing: list[str], held: list[str], expected: str) -> None:
    assert version_range(map(Version, failing), map(Version, held)) == expected


PLACES = [
    (claim(table="a-xtable"), (CONTAINED, "a-xtable", None, "")),
    (claim(table="a-xtable", reader="daft", question="month"), (CONTAINED, "a-xtable", "daft", "month")),
    (claim(table="a-xtable", question="a"), (CONTAINED, "a-xtable", None, "a")),
]


@pytest.mark.parametrize(("result", "place"), PLACES, ids=["table", "reader and question", "question"])
def test_test_id_is_taken_apart(result: ClaimResult, place: tuple[str, ...]) -> None:
    assert place_of(result) == place


def test_a_place_has_the_claims_own_id() -> None:
    assert place_of(replace(claim(), claim="another_claim"))[0] == "another_claim"


def test_releases_become_a_range() -> None:
    [block] = blocks([claim()], [claim("finding")], [claim("finding")])
    assert block.releases == ">=0.3,<0.5"


@pytest.mark.parametrize(
    ("table", "component"),
    [
        ("good_layout-xtable", "xtable"),
        ("good_layout-delta_by_kernel", "xtable"),
        ("good_layout-delta_by_control", "control"),
        ("native_iceberg", "spark"),
    ],
)
def test_an_entry_is_of_what_wrote_the_metadata(table: str, component: str) -> None:
    [draft] = drafted([claim("finding", table)])
    assert draft.component == component


def test_tables_of_one_kind_stand_together() -> None:
    [block] = blocks([claim("finding", f"types_nan_{name}-xtable") for name in ("plain", "index")])
    assert block.subjects == ("types_nan_index-xtable", "types_nan_plain-xtable")


def test_claims_that_one_kind_of_table_breaks_are_one_entry() -> None:
    [draft] = drafted([claim("finding"), claim("finding", test=COUNTS, verdict="COSMETIC", saw="null_count 3")])
    assert [(block.claims, block.verdict) for block in draft.blocks] == [
        ((CONTAINED,), "UNSOUND"),
        ((COUNTED,), "COSMETIC"),
    ]


def test_kinds_of_tables_that_break_other_claims_are_entries_of_their_own() -> None:
    found = [claim("finding"), claim("finding", "index_flat-xtable", saw="record_count 0 for x.parquet")]
    assert len(drafted(found)) == 2


def test_what_very_many_kinds_of_tables_show_is_one_entry() -> None:
    tables = [f"kind{number}_x-xtable" for number in range(12)]
    everywhere = [claim("finding", table, test=COUNTS, verdict="COSMETIC") for table in tables]
    drafts = drafted([*everywhere, claim("finding", "kind3_x-xtable")])
    assert [[len(block.subjects) for block in draft.blocks] for draft in drafts] == [[1], [12]]


def test_other_releases_are_other_blocks() -> None:
    one, other = "types_nan_a-xtable", "types_nan_b-xtable"
    found = blocks([claim("finding", one), claim(table=other)], [claim("finding", one), claim("finding", other)])
    assert [(block.subjects, block.releases) for block in found] == [((one,), ">=0.2,<0.4"), ((other,), ">=0.3,<0.4")]


def questioned(fail: str, *readers: str) -> list[ClaimResult]:
    """Each reader answers two questions, `fail` of them wrongly."""
    return [
        claim("finding" if question in fail else "held", test=READ, reader=reader, question=question)
        for reader in readers
        for question in "ab"
    ]


@pytest.mark.parametrize(("fail", "questions"), [("ab", ()), ("a", ("a",))], ids=["every question", "one of two"])
def test_questions_are_named_where_not_all_fail(fail: str, questions: tuple[str, ...]) -> None:
    [block] = blocks(questioned(fail, "duckdb", "polars"))
    assert (block.readers, block.questions) == (("duckdb", "polars"), questions)


def test_readers_fault_has_the_readers_versions() -> None:
    [draft] = drafted([claim("finding", reader="daft", blame="reader daft", verdict="UNREADABLE")])
    assert (draft.component, draft.blocks[0].releases) == ("daft", ">=0.7,<0.8")


def test_suites_own_faults_are_not_drafted() -> None:
    assert drafted([claim("finding", blame="suite")]) == []


def test_registered_findings_are_not_drafted_again() -> None:
    assert drafted([claim("known", registered="XTF-001")]) == []


def test_the_worst_comes_first() -> None:
    found = [claim("finding", "a_a-xtable", verdict="LOOSE"), claim("finding", "b_b-xtable", saw="worse")]
    assert [draft.blocks[0].verdict for draft in drafted(found)] == ["UNSOUND", "LOOSE"]


NAN = [f"types_nan_{number}-xtable" for number in range(9)]
FOUND = [
    *(claim("finding", table, saw=f"[0.0 … 0.0] for {table}.parquet") for table in NAN),
    *(claim("finding", table, test=COUNTS, verdict="COSMETIC", saw="null_count 3") for table in NAN[:2]),
    *(claim(table=table, test=COUNTS) for table in NAN[2:]),
    *questioned("a", "duckdb", "polars"),
    claim("finding", reader="daft", test=READ, blame="reader daft", verdict="UNREADABLE", saw='it says "no"\n\\ \x7f'),
]
TABLES = {*NAN, "types_nan-xtable", "good_layout-xtable"}


def loaded(folder: Path) -> tuple[Entry, ...]:
    """The drafts of what was found, written down as they are and read as a register."""
    path = folder / "findings.toml"
    lines = [
        line for n, draft in enumerate(drafted(FOUND)) for line in entry_lines(draft, f"XTF-{n:03}", sorted(TABLES))
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return load_register(
        path,
        claims={place_of(claim(test=test))[0] for test in (TEST, COUNTS, READ)},
        subjects=TABLES,
        readers={"daft", "duckdb", "polars"},
        components={"xtable", "daft"},
    )


def test_draft_can_be_loaded_as_it_is(tmp_path: Path) -> None:
    """A person fills in words; what is strict about it stands already."""
    assert sum(len(entry.where) for entry in loaded(tmp_path)) == len(blocks(FOUND))


def test_draft_is_in_force_for_all_that_was_found(tmp_path: Path) -> None:
    entries = loaded(tmp_path)
    for one in FOUND:
        claim_id, table, reader, question = place_of(one)
        held = [
            where
            for entry in entries
            if (where := entry.at(claim_id, {"table": table, "reader": reader, "question": question}, VERSIONS))
        ]
        assert len(held) == (one.outcome is Outcome.FINDING), one.test


VERSIONS = {"xtable": "0.2.0-incubating", "daft": "0.7.26"}


def test_long_lists_become_a_pattern_with_exceptions() -> None:
    [draft] = drafted([claim("finding", table) for table in NAN])
    lines = list(entry_lines(draft, "XTF-001", [*NAN, "types_text-xtable", "good_layout-xtable"]))
    assert 'subjects = ["types_*-xtable"]' in lines
    assert 'except = ["types_text-xtable"]' in lines


def test_columns_are_those_of_all_findings() -> None:
    [block] = blocks([claim("finding", columns=["d"]), claim("finding", "types_nan_b-xtable", columns=["d", "f"])])
    assert block.columns == ("d", "f")


WRITERS = {
    "a_b-xtable": "xtable",
    "a_b-control": "control",
    "a_b-delta_by_control": "control",
    "native_iceberg": "spark",
}


@pytest.mark.parametrize(("table", "component"), WRITERS.items())
def test_layouts_fault_has_the_releases_of_what_wrote_the_metadata(table: str, component: str) -> None:
    """Whether it shows depends on that: another release may make up for the layout."""
    run = document(claim("finding", table, blame="source layout"))
    [draft] = drafts([replace(run, versions=run.versions | {"control": "0.12.0"})])
    assert draft.component == component
