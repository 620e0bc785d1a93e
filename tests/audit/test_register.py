"""The register: what may stand in it, and when an entry is in force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from audit.entry import overlap
from audit.finding import Blame, Finding, Impact, Verdict
from audit.register import BadRegister, Entry, base_version, load_register

TEST = "suites/bounds/test_bounds.py::test_bounds_contain_values"
OTHER = "suites/counts/test_counts.py::test_null_counts"
FIELDS = {
    "id": '"XTF-001"',
    "title": '"bounds of doubles are lost"',
    "tests": f'["{TEST}"]',
    "tables": '["good_layout-xtable"]',
    "subject": '"xtable"',
    "versions": '">=0.3,<0.5"',
    "verdict": '"UNSOUND"',
    "blame": '"xtable"',
    "link": '"https://github.com/apache/incubator-xtable/issues/1"',
    "workaround": '"write no doubles"',
}
TABLES = {"good_layout-xtable", "bad_layout-xtable", "types_nan-xtable", "types_nan-control", "types_text-xtable"}


def entry(**changed: str | None) -> str:
    fields = {name: value for name, value in (FIELDS | changed).items() if value is not None}
    return "\n".join(["[[finding]]", *(f"{name} = {value}" for name, value in fields.items()), ""])


def divided(*blocks: dict[str, str], **changed: str | None) -> str:
    """An entry whose tests and tables stand in blocks of their own."""
    head = entry(**{"tests": None, "tables": None} | changed)
    told = ["\n".join(["[[finding.where]]", *(f"{n} = {v}" for n, v in block.items())]) for block in blocks]
    return "\n".join([head, *told, ""])


def load(folder: Path, *entries: str) -> tuple[Entry, ...]:
    path = folder / "findings.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    return load_register(
        path, tests={TEST, OTHER}, tables=TABLES, readers={"daft", "duckdb"}, subjects={"xtable", "daft"}
    )


def test_whole_entry_is_read(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry())
    [where] = known.where
    assert (where.tests, where.tables, where.verdict, where.blame) == (
        (TEST,),
        ("good_layout-xtable",),
        Verdict.UNSOUND,
        Blame.XTABLE,
    )


def test_empty_register_holds_nothing(tmp_path: Path) -> None:
    assert load(tmp_path) == ()


BAD = {
    "no TOML": (["[[finding"], "findings.toml cannot be read: "),
    "a field missing": ([entry(versions=None)], "XTF-001 has no versions."),
    "two fields missing": ([entry(title=None, blame=None)], "XTF-001 has no blame, title."),
    "no work-around for a fault of XTable": ([entry(workaround=None)], "XTF-001 has no workaround; say how"),
    "no id": ([entry(id=None)], "the entry 'bounds of doubles are lost' has no id."),
    "an unknown field": ([entry(redaer='"daft"')], "XTF-001 has the unknown field 'redaer'; did you mean 'reader'?"),
    "an unknown test": (
        [entry(tests=f'["{TEST}s"]')],
        f"XTF-001 names the test '{TEST}s'; did you mean '{TEST}'?",
    ),
    "an unknown table": (
        [entry(tables='["zzz"]')],
        "XTF-001 names the table 'zzz'; known are bad_layout-xtable, good_layout-xtable, types_",
    ),
    "an unknown reader": ([entry(reader='"duckbd"')], "XTF-001 names the reader 'duckbd'; did you mean 'duckdb'?"),
    "an unknown subject": ([entry(subject='"xtabel"')], "XTF-001 names the subject 'xtabel'; did you mean 'xtable'?"),
    "a bad range": ([entry(versions='"0.3..0.5"')], "XTF-001 has a bad version range"),
    "an unknown verdict": ([entry(verdict='"BAD"')], "XTF-001: 'BAD' is no verdict; there are UNSOUND, "),
    "an unknown blame": ([entry(blame='"me"')], "XTF-001: 'me' is no blame; there are xtable, "),
    "an id twice": ([entry(), entry(versions='">=0.9"')], "two entries have the id XTF-001; give one another."),
    "entries out of order": (
        [entry(id='"XTF-002"'), entry(versions='">=0.9"')],
        "XTF-001 stands behind XTF-002; sort the entries by id.",
    ),
    "a test of a table in ranges that meet": (
        [entry(), entry(id='"XTF-002"', versions='">=0.4"')],
        f"XTF-001 and XTF-002 both describe {TEST} on good_layout-xtable; keep one.",
    ),
    "a pattern of nothing": ([entry(tables='["delta_*"]')], "XTF-001: no table matches 'delta_*'."),
    "an exception that is none": (
        [entry(tables='["types_nan-*"]') + 'except = ["types_text-xtable"]'],
        "XTF-001 excepts 'types_text-xtable', which is none of its tables.",
    ),
    "nothing but exceptions": (
        [entry(tables='["types_nan-*"]') + 'except = ["types_nan-*"]'],
        "XTF-001 excepts every table of its own.",
    ),
    "a table twice": ([entry(tables='["types_nan-xtable", "types_nan-xtable"]')], "XTF-001: tables names something"),
    "a reader in both spellings": (
        [entry(reader='"daft"', readers='["duckdb"]')],
        "XTF-001 has both reader and readers; keep readers.",
    ),
    "a where that is no list": ([entry(where="3")], "XTF-001: where must be a list of tables"),
    "a where without tests": ([divided({"tables": '["types_nan-xtable"]'})], "XTF-001 has no tests."),
    "a test that is told of at times alone": (
        [entry(at_times='"one of 450"')],
        f"XTF-001 tells what {TEST} does at times, and not what it does else",
    ),
    "an unknown field in a where": ([divided({"tets": '["x"]'})], "XTF-001 has the unknown field 'tets'; did you mean"),
    "one place twice in an entry": (
        [divided({"tests": f'["{TEST}"]', "tables": '["types_*"]'}, {"tests": f'["{TEST}"]', "tables": '["*"]'})],
        f"XTF-001 twice has {TEST} on types_nan-control; keep one.",
    ),
    "a reproduction on another table": (
        [entry(reproduce='"types_nan-xtable"')],
        "XTF-001: reproduce names 'types_nan-xtable', which is none of its tables.",
    ),
    "a test of a table twice": (
        [entry(), entry(id='"XTF-002"')],
        f"XTF-001 and XTF-002 both describe {TEST} on good_layout-xtable; keep one.",
    ),
    "tests that are no list": ([entry(tests=f'"{TEST}"')], "XTF-001: tests must be a list"),
    "versions that are no text": ([entry(versions="3")], "XTF-001: versions must be text"),
    "a finding that is no table": (["finding = 3"], "findings.toml: finding must be a list of tables"),
    "an empty list of tables": ([entry(tables="[]")], "XTF-001: tables must be a list"),
}


@pytest.mark.parametrize(("entries", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_register_is_told_in_one_sentence(tmp_path: Path, entries: list[str], sentence: str) -> None:
    with pytest.raises(BadRegister) as raised:
        load(tmp_path, *entries)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("findings.toml")
    assert "\n" not in str(raised.value)


def test_missing_register_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadRegister, match=r"findings\.toml cannot be read"):
        load_register(tmp_path / "findings.toml", tests=set(), tables=set(), readers=set(), subjects=set())


def test_same_test_may_stand_in_two_entries_of_other_versions(tmp_path: Path) -> None:
    assert len(load(tmp_path, entry(), entry(id='"XTF-002"', versions='">=0.5"'))) == 2


BLOCKS = (
    {"tests": f'["{TEST}"]', "tables": '["types_*-xtable"]', "except": '["types_text-xtable"]'},
    {
        "tests": f'["{OTHER}"]',
        "tables": '["good_layout-xtable"]',
        "readers": '["daft", "duckdb"]',
        "questions": '["month"]',
        "versions": '"<0.3"',
        "verdict": '"LOOSE"',
    },
)


def test_block_has_from_its_entry_what_it_leaves_out(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert [(str(one.versions), one.verdict, one.blame) for one in known.where] == [
        ("<0.5,>=0.3", Verdict.UNSOUND, Blame.XTABLE),
        ("<0.3", Verdict.LOOSE, Blame.XTABLE),
    ]


def test_pattern_stands_for_its_tables_less_the_excepted(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.where[0].tables == ("types_nan-xtable",)


MONTH = {"table": "good_layout-xtable", "reader": "daft", "question": "month"}
PLACES = {
    "first block": (TEST, {"table": "types_nan-xtable"}, "0.4.0", 0),
    "first block, excepted table": (TEST, {"table": "types_text-xtable"}, "0.4.0", None),
    "first block, table of the second": (TEST, {"table": "good_layout-xtable"}, "0.4.0", None),
    "second block": (OTHER, MONTH, "0.2.0-incubating", 1),
    "second block, its other reader": (OTHER, MONTH | {"reader": "duckdb"}, "0.2.0", 1),
    "second block, another question": (OTHER, MONTH | {"question": "pickup"}, "0.2.0", None),
    "second block, versions of the first": (OTHER, MONTH, "0.4.0", None),
    "second block, no reader": (OTHER, {"table": "good_layout-xtable", "question": "month"}, "0.2.0", None),
}


@pytest.mark.parametrize(("test", "params", "version", "block"), PLACES.values(), ids=PLACES.keys())
def test_each_block_is_in_force_in_its_own_place(
    tmp_path: Path, test: str, params: dict[str, str], version: str, block: int | None
) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.at(test, params, {"xtable": version}) == (None if block is None else known.where[block])


AT_TIMES = (
    {"tests": f'["{TEST}"]', "tables": '["types_*-xtable"]'},
    {"tests": f'["{TEST}"]', "tables": '["types_*-xtable"]', "verdict": '"STALE"', "at_times": '"one of 450"'},
)


def test_what_is_seen_at_times_stands_beside_what_is_held(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*AT_TIMES))
    asked = (TEST, {"table": "types_nan-xtable"}, {"xtable": "0.4.0"})
    assert (known.at(*asked), known.lapses(*asked)) == (known.where[0], (known.where[1],))


def test_what_is_seen_at_times_is_seen_in_its_range_of_versions_alone(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*AT_TIMES))
    assert known.lapses(TEST, {"table": "types_nan-xtable"}, {"xtable": "0.5.0"}) == ()


def test_entry_says_nothing_where_its_subject_is_absent(tmp_path: Path) -> None:
    (known,) = load(tmp_path, divided(*BLOCKS))
    assert known.at(TEST, {"table": "types_nan-xtable"}, {"daft": "0.4.0"}) is None


RANGES = {
    "apart": ("<0.3", ">=0.3", False),
    "at one end": ("<=0.3", ">=0.3", True),
    "one within the other": (">=0.2,<0.5", "==0.3.0", True),
    "crossing": (">=0.2,<0.4", ">=0.3,<0.5", True),
    "a hole of the other": (">=0.2,<0.5,!=0.3.0", "==0.3.0", False),
    "a hole of its minor": (">=0.2,<0.5,!=0.3.*", ">=0.3,<0.4", False),
    "both open below": ("<0.3", "<0.2", True),
    "both open above": (">0.3", ">0.2", True),
    "everything": ("", ">=7", True),
}


@pytest.mark.parametrize(("one", "other", "meet"), RANGES.values(), ids=RANGES.keys())
def test_ranges_that_meet_are_told_from_those_apart(one: str, other: str, meet: bool) -> None:
    assert [overlap(SpecifierSet(a), SpecifierSet(b)) for a, b in ((one, other), (other, one))] == [meet, meet]


def test_same_test_may_stand_in_two_entries_of_other_readers(tmp_path: Path) -> None:
    assert len(load(tmp_path, entry(reader='"daft"'), entry(id='"XTF-002"', reader='"duckdb"'))) == 2


VERSIONS = {
    "0.4.0": True,
    "0.4.0-incubating": True,
    "0.4.0-incubating-rc2": True,
    "0.5.0-SNAPSHOT": False,
    "0.5.0-incubating-rc1": False,
    "0.4.9-SNAPSHOT": True,
    "0.3": True,
    "0.2.0-incubating": False,
    "0.5.0": False,
    "0.6.0-SNAPSHOT": False,
    "0.10.0-incubating": False,
    "0.4.0rc1": True,
    "candidate.jar": False,
}
BASES = {"0.5.0-incubating-rc1": "0.5.0", "0.5.0-SNAPSHOT": "0.5.0", "0.5.0-rc10": "0.5.0", "0.5": "0.5"}


@pytest.mark.parametrize(("version", "base"), BASES.items())
def test_suffixes_are_no_part_of_the_base_version(version: str, base: str) -> None:
    assert str(base_version(version)) == base


@pytest.mark.parametrize(("version", "inside"), VERSIONS.items())
def test_candidate_counts_as_its_release(tmp_path: Path, version: str, inside: bool) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].in_force(version) == inside


def test_version_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="does not start with a version number"):
        base_version("main")


CONCERNS = [
    (TEST, {"table": "good_layout-xtable"}, True),
    (TEST, {"table": "bad_layout-xtable"}, False),
    (TEST, {"table": "good_layout-xtable", "reader": "daft"}, False),
    (TEST, {}, False),
    (TEST + "_too", {"table": "good_layout-xtable"}, False),
]


@pytest.mark.parametrize(("test", "params", "held"), CONCERNS)
def test_entry_concerns_its_test_on_its_table(tmp_path: Path, test: str, params: dict[str, str], held: bool) -> None:
    (known,) = load(tmp_path, entry())
    assert known.where[0].concerns(test, params) == held


def test_entry_of_a_reader_concerns_that_reader_alone(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(reader='"daft"'))
    asked = [
        known.where[0].concerns(TEST, {"table": "good_layout-xtable"} | who)
        for who in ({"reader": "daft"}, {}, {"reader": "duckdb"})
    ]
    assert asked == [True, False, False]


FOUND = Finding(
    claim="bounds contain every value",
    verdict=Verdict.UNSOUND,
    table="good_layout-xtable",
    saw="[0.0 … 0.0] for part-1.parquet",
    expected="[1.0 … 5.0], its values",
    impact=Impact(1, 4, 10, 40),
    blame=Blame.XTABLE,
    because="the control translator holds it",
)
OTHERS = {
    "verdict": replace(FOUND, verdict=Verdict.LOOSE),
    "blame": replace(FOUND, blame=Blame.SOURCE_LAYOUT),
    "words": replace(FOUND, saw="[1.0 … 4.0] for part-1.parquet"),
}


def test_entry_describes_its_finding(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(saw='"[0.0 … 0.0]"'))
    assert known.where[0].describes(FOUND)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_finding_of_another_kind_is_a_new_one(tmp_path: Path, other: Finding) -> None:
    (known,) = load(tmp_path, entry(saw='"[0.0 … 0.0]"'))
    assert not known.where[0].describes(other)


IN_PLACE = {"upgrade_from": '">=0.2,<0.3"', "versions": '">=0.3,<0.5"'}
PLACE = {"table": "good_layout-xtable"}


@pytest.mark.parametrize(
    ("version", "since", "held"),
    [
        ("0.4.0-incubating", "0.2.0-incubating", True),
        ("0.4.0-incubating", "0.3.0-incubating", False),
        ("0.4.0-incubating", None, False),
        ("0.5.0", "0.2.0-incubating", False),
    ],
    ids=["so begun", "begun by another", "no upgrade", "upgraded to another"],
)
def test_what_an_upgrade_in_place_alone_shows_holds_there_alone(
    tmp_path: Path, version: str, since: str | None, held: bool
) -> None:
    (known,) = load(tmp_path, entry(**IN_PLACE))
    assert (known.at(TEST, PLACE, {"xtable": version}, since) is not None) == held


def test_what_an_upgrade_in_place_alone_shows_goes_before_what_holds_for_any_metadata(tmp_path: Path) -> None:
    where = {"tests": f'["{TEST}"]', "tables": '["good_layout-xtable"]'}
    (known,) = load(tmp_path, divided(where, where | IN_PLACE | {"saw": '"stale"'}))
    saw = [at.saw for since in (None, "0.2.0") if (at := known.at(TEST, PLACE, {"xtable": "0.4.0"}, since))]
    assert saw == ["", "stale"]


def test_two_blocks_of_the_same_upgrade_in_place_are_refused(tmp_path: Path) -> None:
    where = {"tests": f'["{TEST}"]', "tables": '["good_layout-xtable"]'} | IN_PLACE
    with pytest.raises(BadRegister, match="XTF-001 twice has"):
        load(tmp_path, divided(where, where | {"upgrade_from": '">=0.2,<0.4"'}))
