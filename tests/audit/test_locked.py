"""Where a block without subjects holds: on the tables, in the columns and at the releases of the locked file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.test_register import CLAIM, FOUND, OTHER, divided, entry, load
from xtable_audit.register.entry import Entry
from xtable_audit.register.extent import Extent, Extents, path_of_extents, written
from xtable_audit.register.register import BadRegister

IN_D = Extent(1, 2, ("d",))
GOOD, BAD, NAN = "good_layout-xtable", "bad_layout-xtable", "types_nan-xtable"
WITHOUT: dict[str, str | None] = {"subjects": None, "releases": None}


def locked(folder: Path, tests: dict[str, dict[str, Extent]], *entries: str) -> tuple[Entry, ...]:
    register = folder / "findings.toml"
    path_of_extents(register).write_text(written(Extents({"XTF-001": tests})), encoding="utf-8")
    return load(folder, *entries)


def test_it_holds_on_the_tables_that_show_it_in_their_columns(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{GOOD}]": {"0.4.0": IN_D}, f"{CLAIM}[{BAD}]": {"0.4.0": Extent(3, 9, ("e", "f"))}}
    (known,) = locked(tmp_path, tests, entry(**WITHOUT))
    assert {one.subjects: one.columns for one in known.where} == {(GOOD,): ("d",), (BAD,): ("e", "f")}
    assert all(one.locked for one in known.where)


def test_tables_that_show_it_alike_are_one_block(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{one}]": {"0.4.0": IN_D} for one in (GOOD, BAD)}
    (known,) = locked(tmp_path, tests, entry(**WITHOUT))
    assert [one.subjects for one in known.where] == [(BAD, GOOD)]


def test_claims_that_fail_on_the_same_tables_are_one_block(tmp_path: Path) -> None:
    tests = {f"{claim}[{GOOD}]": {"0.4.0": IN_D} for claim in (OTHER, CLAIM)}
    (known,) = locked(tmp_path, tests, entry(**WITHOUT, claims=f'["{CLAIM}", "{OTHER}"]'))
    assert [one.claims for one in known.where] == [(CLAIM, OTHER)]


def test_columns_of_several_planners_are_taken_together(tmp_path: Path) -> None:
    of_e = Extent(1, 2, ("e",))
    tests = {f"{CLAIM}[{GOOD}-judge]": {"0.4.0": IN_D}, f"{CLAIM}[{GOOD}-pyiceberg]": {"0.4.0": of_e}}
    (known,) = locked(tmp_path, tests, entry(**WITHOUT))
    assert [(one.subjects, one.columns) for one in known.where] == [((GOOD,), ("d", "e"))]


PLANNERS = {
    "the judge's alone": (["judge"], ("judge", "java")),
    "a reader's alone": (["deltalake"], ("deltalake",)),
    "the judge's and a reader's": (["judge", "pyiceberg"], ()),
}


@pytest.mark.parametrize(("seen", "held"), PLANNERS.values(), ids=PLANNERS)
def test_it_holds_for_the_planners_that_show_it(tmp_path: Path, seen: list[str], held: tuple[str, ...]) -> None:
    """If not for all. No recording has that of Iceberg Java, which loses what the judge's loses."""
    tests = {f"{CLAIM}[{GOOD}-{planner}]": {"0.4.0": IN_D} for planner in seen}
    (known,) = locked(tmp_path, tests, entry(**WITHOUT))
    assert [one.planners for one in known.where] == [held]


RUNS = {
    "one release": (["0.3.0"], ">=0.3,<0.4", None),
    "each release": (["0.2.0", "0.3.0", "0.4.0", "0.3.0-to-0.4.0"], ">=0.2,<0.5", None),
    "all but one between": (["0.2.0", "0.4.0"], ">=0.2,<0.5,!=0.3.*", None),
    "upgrades in place alone": (["0.2.0-to-0.4.0", "0.3.0-to-0.4.0"], ">=0.4,<0.5", ">=0.2,<0.4"),
}


@pytest.mark.parametrize(("runs", "releases", "since"), RUNS.values(), ids=RUNS)
def test_it_holds_at_the_releases_that_show_it(
    tmp_path: Path, runs: list[str], releases: str, since: str | None
) -> None:
    (known,) = locked(tmp_path, {f"{CLAIM}[{GOOD}]": dict.fromkeys(runs, IN_D)}, entry(**WITHOUT))
    [where] = known.where
    assert {*str(where.releases).split(",")} == {*releases.split(",")}
    assert (where.upgrade_from and {*str(where.upgrade_from).split(",")}) == (since and {*since.split(",")})


def test_upgrades_from_other_releases_are_blocks_of_their_own(tmp_path: Path) -> None:
    runs = dict.fromkeys(["0.2.0-to-0.3.0", "0.2.0-to-0.4.0", "0.3.0-to-0.4.0"], IN_D)
    (known,) = locked(tmp_path, {f"{CLAIM}[{GOOD}]": runs}, entry(**WITHOUT))
    pairs = [("0.2.0", "0.3.0"), ("0.2.0", "0.4.0"), ("0.3.0", "0.4.0"), (None, "0.4.0"), ("0.3.0", "0.3.0")]
    assert [sum(one.in_force(release, since) for one in known.where) for since, release in pairs] == [1, 1, 1, 0, 0]


def test_an_upgrade_to_a_release_that_does_not_show_it_is_a_block_of_its_own(tmp_path: Path) -> None:
    runs = dict.fromkeys(["0.2.0", "0.2.0-to-0.3.0"], IN_D)
    (known,) = locked(tmp_path, {f"{CLAIM}[{GOOD}]": runs}, entry(**WITHOUT))
    pairs = [(None, "0.2.0"), ("0.2.0", "0.3.0"), (None, "0.3.0"), ("0.2.0", "0.4.0")]
    assert [sum(one.in_force(release, since) for one in known.where) for since, release in pairs] == [1, 1, 0, 0]


def test_what_another_block_names_is_left_to_it(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{one}]": {"0.4.0": IN_D} for one in (GOOD, BAD, NAN)}
    claims = {"claims": f'["{CLAIM}"]'}
    named = claims | {"subjects": f'["{BAD}"]', "verdict": '"LOOSE"', "releases": '">=0.4"'}
    (known,) = locked(tmp_path, tests, divided(claims, named, releases=None))
    assert {one.subjects: str(one.verdict) for one in known.where} == {(GOOD, NAN): "UNSOUND", (BAD,): "LOOSE"}


def test_a_block_about_a_reader_takes_that_reader_s_tests_alone(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{GOOD}-daft]": {"0.4.0": IN_D}, f"{CLAIM}[{BAD}-duckdb]": {"0.4.0": IN_D}}
    reader = {"component": '"daft"', "readers": '["daft"]', "releases": '">=0.7,<0.8"', "blame": '"reader daft"'}
    (known,) = locked(tmp_path, tests, entry(**reader, subjects=None))
    assert [(one.subjects, str(one.releases)) for one in known.where] == [((GOOD,), "<0.8,>=0.7")]


CLAIMS = {"claims": f'["{CLAIM}"]'}
REFUSED = {
    "no test of a claim": (
        entry(**WITHOUT, claims=f'["{CLAIM}", "{OTHER}"]'),
        f"XTF-001: the locked file has no test of {OTHER}; name its subjects, or leave it out.",
    ),
    "columns of its own": (
        divided(CLAIMS | {"columns": '["d"]'}, releases=None),
        "XTF-001 has columns and no subjects; name the subjects, or leave out columns.",
    ),
    "releases of its own": (
        divided(CLAIMS | {"releases": '">=0.3"'}, releases=None),
        "XTF-001 has releases and no subjects; name the subjects, or leave out releases.",
    ),
    "columns of its entry": (
        divided(CLAIMS, releases=None, columns='["d"]'),
        "XTF-001 has columns and no subjects; name the subjects, or leave out columns.",
    ),
    "releases of its entry, which is one block": (
        entry(subjects=None),
        "XTF-001 has releases and no subjects; name the subjects, or leave out releases.",
    ),
    "two blocks of a claim": (
        divided(CLAIMS, CLAIMS, releases=None),
        f"XTF-001 has two blocks of {CLAIM} without subjects; name the subjects of one of them.",
    ),
    "a reader's without releases": (
        entry(component='"daft"', subjects=None, releases=None, blame='"reader daft"'),
        "XTF-001 has no releases.",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_block_without_subjects_is_refused_with(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadRegister) as raised:
        locked(tmp_path, {f"{CLAIM}[{GOOD}]": {"0.4.0": IN_D}}, text)
    assert sentence in str(raised.value)


def test_a_table_that_is_not_there_is_refused(tmp_path: Path) -> None:
    words = "the locked file has tests of gone-xtable, which is no table here; delete their lines"
    with pytest.raises(BadRegister, match=words):
        locked(tmp_path, {f"{CLAIM}[gone-xtable]": {"0.4.0": IN_D}}, entry(**WITHOUT))


def test_an_entry_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRegister, match="the locked file has tests of XTF-001, which is no entry; delete its lines"):
        locked(tmp_path, {f"{CLAIM}[{GOOD}]": {"0.4.0": IN_D}}, entry(id='"XTF-002"'))


def test_without_a_locked_file_subjects_must_be_named(tmp_path: Path) -> None:
    with pytest.raises(BadRegister, match=f"the locked file has no test of {CLAIM}; name its subjects"):
        load(tmp_path, entry(**WITHOUT))


@pytest.mark.parametrize(
    ("saw", "described"), [("[0.0 … 4.0] for a file", True), ("[0.0 … 0.0]", True), ("[1.0 … 4.0]", False)]
)
def test_of_several_texts_a_finding_contains_one(tmp_path: Path, saw: str, described: bool) -> None:
    (known,) = load(tmp_path, entry(saw=json.dumps(["[0.0 … 4.0]", "[0.0 … 0.0]"])))
    assert known.where[0].describes(replace(FOUND, saw=saw)) == described
