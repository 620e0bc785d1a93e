"""The register's locked file: where a block without subjects holds, and the extents of known findings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xtable_audit.register.test_register import CLAIM, FOUND, OTHER, divided, entry, load
from tests.xtable_audit.report.runs import found
from xtable_audit.register.entry import Entry
from xtable_audit.register.extent import Extent, Extents, changed, load_extents, path_of_extents, run_of, written
from xtable_audit.register.fields import BadRegister
from xtable_audit.register.locked import Tests, blocks_with_subjects, subject_of

IN_D = Extent(1, 2, ("d",))
GOOD, BAD, NAN = "good_layout-xtable", "bad_layout-xtable", "types_nan-xtable"
NOTHING: frozenset[tuple[str, str]] = frozenset()
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


def test_for_any_reader_it_holds_for_those_that_show_it_in_their_columns_at_their_releases(tmp_path: Path) -> None:
    tests = {
        f"{CLAIM}[{GOOD}-duckdb]": {"0.3.0": IN_D, "0.4.0": IN_D},
        f"{CLAIM}[{GOOD}-daft-month]": {"0.4.0": IN_D},
        f"{CLAIM}[{BAD}-duckdb]": {"0.4.0": IN_D},
        f"{CLAIM}[{BAD}-daft]": {"0.4.0": IN_D},
    }
    (known,) = locked(tmp_path, tests, entry(**WITHOUT, readers='["*"]'))
    assert {(one.subjects, one.readers, str(one.releases)) for one in known.where} == {
        ((BAD,), ("daft", "duckdb"), "<0.5,>=0.4"),
        ((GOOD,), ("daft",), "<0.5,>=0.4"),
        ((GOOD,), ("duckdb",), "<0.5,>=0.3"),
    }


def test_a_block_for_any_reader_leaves_out_those_that_another_names(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{GOOD}-{reader}]": {"0.4.0": IN_D} for reader in ("duckdb", "daft")}
    blocks: list[dict[str, str]] = [{"claims": f'["{CLAIM}"]', "readers": readers} for readers in ('["*"]', '["daft"]')]
    (known,) = locked(tmp_path, tests, divided(*blocks, releases=None))
    assert [one.readers for one in known.where] == [("duckdb",), ("daft",)]


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


def test_blocks_of_several_readers_have_tables_of_their_own(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{GOOD}-daft]": {"0.4.0": IN_D}, f"{CLAIM}[{BAD}-duckdb]": {"0.4.0": IN_D}}
    blocks = [{"claims": f'["{CLAIM}"]', "readers": f'["{reader}"]'} for reader in ("daft", "duckdb")]
    (known,) = locked(tmp_path, tests, divided(*blocks, releases=None))
    assert {(one.readers, one.subjects) for one in known.where} == {(("daft",), (GOOD,)), (("duckdb",), (BAD,))}


def test_a_reader_with_the_name_of_a_planner_is_a_reader(tmp_path: Path) -> None:
    tests = {f"{CLAIM}[{GOOD}-pyiceberg]": {"0.4.0": IN_D}}
    (block,) = locked(tmp_path, tests, entry(**WITHOUT))[0].where
    assert block.planners == ("pyiceberg",)
    of_reader = replace(block, readers=("pyiceberg",), planners=())
    assert [one.planners for one in blocks_with_subjects(of_reader, seen_by(tests), NOTHING, NOTHING)] == [()]


def seen_by(tests: dict[str, dict[str, Extent]]) -> Tests:
    return Extents({"XTF-001": tests}).of["XTF-001"]


TABLES = {
    "translated": (f"{CLAIM}[{GOOD}-duckdb]", GOOD),
    "translated by nobody": (f"{CLAIM}[native_iceberg-duckdb]", "native_iceberg"),
    "of Hudi's laboratory": (f"{CLAIM}[skip_logged-hudi1.0.2]", "skip_logged-hudi1.0.2"),
}


@pytest.mark.parametrize(("test", "table"), TABLES.values(), ids=TABLES)
def test_the_table_of_a_test(test: str, table: str) -> None:
    assert subject_of(test) == table


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
    "any reader and subjects": (
        entry(readers='["*"]'),
        'XTF-001 has readers = ["*"] and subjects; name the readers, or leave out the subjects.',
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


# The extents of known findings: which one a run has, what differs from it, and the file that keeps them.

TEST = "bounds_contain_values[types_nan-xtable]"
OLD, NEW, IN_PLACE = Extent(1, 2), Extent(2, 4, ("d", "f")), Extent(3, 6, ("d",), losing=2, wrong=5)
KEPT = Extents({"XTF-003": {TEST: {"0.3.0": OLD, "0.4.0": NEW, "0.2.0-to-0.4.0": IN_PLACE}}})
EXTENTS: dict[str, tuple[str, str | None, Extent | None]] = {
    "a release": ("0.3.0-incubating", None, OLD),
    "a candidate counts as its release": ("0.4.0-incubating-rc2", None, NEW),
    "a recorded upgrade": ("0.4.0-incubating", "0.2.0-incubating", IN_PLACE),
    "an upgrade that is not recorded": ("0.4.0-incubating", "0.3.0-incubating", NEW),
    "a release that the register does not cover": ("0.5.0-SNAPSHOT", None, NEW),
    "an upgrade to it": ("0.5.0-SNAPSHOT", "0.3.0-incubating", NEW),
    "a jar without a number": ("my-bundled.jar", None, NEW),
}


@pytest.mark.parametrize(("release", "since", "expected"), EXTENTS.values(), ids=EXTENTS)
def test_a_run_has_its_registered_extent(release: str, since: str | None, expected: Extent | None) -> None:
    assert KEPT.registered("XTF-003", TEST, release, since) == expected


@pytest.mark.parametrize(
    ("entry", "test"), [("XTF-004", TEST), ("XTF-003", "another[types_nan-xtable]")], ids=["entry", "test"]
)
def test_what_is_not_registered_has_none(entry: str, test: str) -> None:
    assert KEPT.registered(entry, test, "0.4.0-incubating") is None


LOST = Extent(1, 2, losing=9, wrong=1)
"""What the judge's planner loses; no recording has the planner of Iceberg Java."""


@pytest.mark.parametrize(
    ("seen", "change"),
    [
        (LOST, ""),
        (replace(LOST, losing=8), ""),
        (
            replace(LOST, files=2),
            "XTF-003 registers 1 file with 2 rows, 1 row lost or wrong. Seen: 2 files with 2 rows",
        ),
    ],
    ids=["as the judge", "by fewer predicates", "in more files"],
)
def test_a_planner_that_no_recording_has_is_held_against_the_judges(seen: Extent, change: str) -> None:
    kept = Extents({"XTF-003": {"no_file_is_dropped[t-judge]": {"0.4.0": LOST}}})
    registered = kept.registered("XTF-003", "no_file_is_dropped[t-java]", "0.4.0-incubating")
    assert changed("XTF-003", registered, seen).startswith(change)
    assert bool(changed("XTF-003", registered, seen)) is bool(change)


def test_a_planner_with_an_extent_of_its_own_is_held_against_that() -> None:
    kept = Extents({"XTF-003": {"d[t-judge]": {"0.4.0": LOST}, "d[t-java]": {"0.4.0": NEW}}})
    assert kept.registered("XTF-003", "d[t-java]", "0.4.0-incubating") == NEW


def test_a_covered_release_takes_no_other_ones_extent() -> None:
    """That it is not registered there is to be seen."""
    kept = Extents({"XTF-003": {TEST: {"0.4.0": NEW}, "another[t]": {"0.3.0": OLD}}})
    assert kept.registered("XTF-003", TEST, "0.3.0-incubating") is None


def test_the_files_that_the_metadata_does_not_list_are_files() -> None:
    finding = found(files=1, rows=10)
    assert Extent.of(replace(finding, impact=replace(finding.impact, unlisted=2, losing=3, lost=4))) == Extent(
        3, 10, ("d",), 3, 4
    )


REGISTERED = "XTF-003 registers 1 file with 2 rows."
CHANGES = {
    "more files": (Extent(2, 2), f"{REGISTERED} Seen: 2 files with 2 rows."),
    "fewer files": (Extent(0, 0), f"{REGISTERED} Seen: 0 files with 0 rows."),
    "other files": (Extent(1, 3), f"{REGISTERED} Seen: 1 file with 3 rows."),
    "a column": (Extent(1, 2, ("d",)), f"{REGISTERED} Seen: 1 file with 2 rows, in d."),
    "a predicate": (
        Extent(1, 2, losing=1, wrong=1),
        f"{REGISTERED} Seen: 1 file with 2 rows, 1 predicate that loses rows, 1 row lost or wrong.",
    ),
}


@pytest.mark.parametrize(("seen", "sentence"), CHANGES.values(), ids=CHANGES)
def test_each_difference_is_a_change(seen: Extent, sentence: str) -> None:
    assert changed("XTF-003", OLD, seen) == sentence


def test_the_registered_extent_is_no_change() -> None:
    assert changed("XTF-003", OLD, OLD) == ""


@pytest.mark.parametrize(
    ("release", "since", "run"),
    [
        ("0.4.0-incubating", None, "0.4.0"),
        ("0.4.0-SNAPSHOT", "0.2.0-incubating", "0.2.0-to-0.4.0"),
        ("a.jar", None, "a.jar"),
    ],
)
def test_a_run_is_named_by_numbers(release: str, since: str | None, run: str) -> None:
    assert run_of(release, since) == run


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "findings.extents.json").write_text(written(KEPT), encoding="utf-8")
    assert load_extents(tmp_path / "findings.toml") == KEPT


def test_runs_of_one_extent_share_a_line() -> None:
    kept = Extents({"XTF-003": {TEST: {"0.3.0": OLD, "0.4.0": OLD}}})
    assert f'  "{TEST}": {{"0.3.0 0.4.0": {{"files": 1, "rows": 2}}}}\n' in written(kept)


def test_a_register_without_the_file_has_no_extents(tmp_path: Path) -> None:
    assert load_extents(tmp_path / "findings.toml") is None


@pytest.mark.parametrize("text", ["{", "[]", '{"XTF-003": 7}', '{"XTF-003": {"t": {"0.4.0": {"size": 1}}}}'])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "findings.extents.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadRegister, match=r"^findings\.extents\.json cannot be read \(.*\): restore it from git\.$"):
        load_extents(tmp_path / "findings.toml")
