"""The register: what may stand in it, and when an entry is in force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.finding import Blame, Finding, Impact, Verdict
from audit.register import BadRegister, Entry, base_version, load_register

TEST = "suites/bounds/test_bounds.py::test_bounds_contain_every_value"
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
}


def entry(**changed: str | None) -> str:
    fields = {name: value for name, value in (FIELDS | changed).items() if value is not None}
    return "\n".join(["[[finding]]", *(f"{name} = {value}" for name, value in fields.items()), ""])


def load(folder: Path, *entries: str) -> tuple[Entry, ...]:
    path = folder / "findings.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    tables = {"good_layout-xtable", "bad_layout-xtable"}
    return load_register(path, tests={TEST}, tables=tables, readers={"daft", "duckdb"}, subjects={"xtable", "daft"})


def test_whole_entry_is_read(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry())
    assert (known.tests, known.tables, known.verdict, known.blame) == (
        (TEST,),
        ("good_layout-xtable",),
        Verdict.UNSOUND,
        Blame.XTABLE,
    )


def test_empty_register_holds_nothing(tmp_path: Path) -> None:
    assert load(tmp_path) == ()


BAD = {
    "no TOML": (["[[finding"], "findings.toml cannot be read: "),
    "a field missing": ([entry(link=None)], "XTF-001 has no link."),
    "two fields missing": ([entry(link=None, blame=None)], "XTF-001 has no blame, link."),
    "no id": ([entry(id=None)], "the entry 'bounds of doubles are lost' has no id."),
    "an unknown field": ([entry(redaer='"daft"')], "XTF-001 has the unknown field 'redaer'; did you mean 'reader'?"),
    "an unknown test": (
        [entry(tests=f'["{TEST}s"]')],
        f"XTF-001 names the test '{TEST}s'; did you mean '{TEST}'?",
    ),
    "an unknown table": (
        [entry(tables='["zzz"]')],
        "XTF-001 names the table 'zzz'; known are bad_layout-xtable, good_layout-xtable.",
    ),
    "an unknown reader": ([entry(reader='"duckbd"')], "XTF-001 names the reader 'duckbd'; did you mean 'duckdb'?"),
    "an unknown subject": ([entry(subject='"xtabel"')], "XTF-001 names the subject 'xtabel'; did you mean 'xtable'?"),
    "a bad range": ([entry(versions='"0.3..0.5"')], "XTF-001 has a bad version range"),
    "an unknown verdict": ([entry(verdict='"BAD"')], "XTF-001: 'BAD' is not a valid Verdict; verdicts are UNSOUND, "),
    "an unknown blame": ([entry(blame='"me"')], "XTF-001: 'me' is not a valid Blame; verdicts are "),
    "an id twice": ([entry(), entry(versions='">=0.9"')], "two entries have the id XTF-001; give one another."),
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
}


@pytest.mark.parametrize(("version", "inside"), VERSIONS.items())
def test_candidate_counts_as_its_release(tmp_path: Path, version: str, inside: bool) -> None:
    (known,) = load(tmp_path, entry())
    assert known.in_force(version) == inside


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
    assert known.concerns(test, params) == held


def test_entry_of_a_reader_concerns_that_reader_alone(tmp_path: Path) -> None:
    (known,) = load(tmp_path, entry(reader='"daft"'))
    asked = [
        known.concerns(TEST, {"table": "good_layout-xtable"} | who)
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
    assert known.describes(FOUND)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_finding_of_another_kind_is_a_new_one(tmp_path: Path, other: Finding) -> None:
    (known,) = load(tmp_path, entry(saw='"[0.0 … 0.0]"'))
    assert not known.describes(other)
