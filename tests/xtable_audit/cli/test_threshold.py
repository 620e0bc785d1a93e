"""Which findings fail a check: `--fail-on`, `--accept` and the ignore file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.tables.lake import Lake, data_files, exchange, orders, with_column
from tests.xtable_audit.cli.conftest import Command
from xtable_audit.model.outcome import RunVerdict

ADVICE = "NO WRONG RESULTS FOUND, EXTRA READS for address.city, address.zip"
TOMORROW, YESTERDAY = (dt.datetime.now(dt.UTC).date() + dt.timedelta(days=days) for days in (1, -1))


@pytest.fixture
def nested(lake: Lake) -> Path:
    """A healthy table of one file with a struct, of whose fields PyIceberg stores no bounds."""
    places = [{"city": city, "zip": number} for number, city in enumerate(["Rome", "Oslo", "Bern"])]
    lake.table("nested", pa.table({"id": [1, 2, 3], "address": places}))
    return lake.root("nested")


@pytest.fixture
def false_bound(lake: Lake) -> Path:
    """A table whose upper bound of `id` is below a value."""
    [file] = data_files(lake.table("orders", orders()))
    exchange(file, with_column("id", lambda ids: pc.add(ids, 1000)))
    return lake.root("orders")


def write(*entries: str, file: str = ".xtable-audit.toml") -> None:
    Path(file).write_text("".join(f"[[ignore]]\n{one}\n" for one in entries), encoding="utf-8")


def entry(what: str, until: dt.date = TOMORROW) -> str:
    return f'{what}\nreason = "nobody filters by it"\nuntil = {until}'


def test_a_missing_optional_bound_is_advice_that_says_what_fails(nested: Path, command: Command) -> None:
    ran = command("check", nested)
    lines = ran.out.splitlines()
    assert (ran.status, lines[1], lines[-1]) == (0, *[ADVICE.ljust(74) + "exit 0"] * 2)
    told = "ADVICE extra reads for address.city, address.zip, as this fails: every column with values has a lower and "
    assert f"{told}an upper bound (bounds_are_present)" in " ".join(ran.out.split())
    assert "FINDING" not in ran.out


@pytest.mark.parametrize(("bar", "status"), [("UNSOUND", 0), ("UNREADABLE", 0), ("LOOSE", 1), ("COSMETIC", 1)])
def test_a_check_fails_on_findings_of_the_verdict_or_a_worse_one(
    nested: Path, command: Command, bar: str, status: int
) -> None:
    assert command("check", nested, "--fail-on", bar).status == status


@pytest.mark.parametrize("bar", ["UNSOUND", "UNREADABLE", "COSMETIC"])
def test_wrong_results_fail_at_every_threshold(false_bound: Path, command: Command, bar: str) -> None:
    assert command("check", false_bound, "--fail-on", bar).status == 1


def test_what_cannot_be_read_is_inconclusive_where_it_does_not_fail(lake: Lake, command: Command) -> None:
    [file] = data_files(lake.table("orders", orders()))
    file.write_bytes(b"x" * file.stat().st_size)
    assert command("check", lake.root("orders")).status == 1
    assert command("check", lake.root("orders"), "--fail-on", "UNSOUND").status == 6


def test_a_table_with_advice_alone_has_a_verdict_of_its_own(nested: Path, command: Command) -> None:
    document = command("check", nested, "--json").document
    assert (document.verdict, len(document.advice), document.failing_on) == (RunVerdict.ADVICE, 1, ())


IGNORING = {
    "a claim": entry('claim = "bounds_contain_values"'),
    "a claim and a column": entry('claim = "bounds_contain_values"\ncolumn = "id"'),
    "of this table": entry('claim = "bounds_contain_values"\ntable = "ord*"'),
}


@pytest.mark.parametrize("written", IGNORING.values(), ids=IGNORING)
def test_an_ignored_finding_does_not_fail_and_is_named(false_bound: Path, command: Command, written: str) -> None:
    write(written)
    ran = command("check", false_bound)
    assert (ran.status, "FOUND but what is ignored" in ran.out) == (0, True), ran.out
    assert "ALLOWED  wrong results for id: bounds_contain_values, ignored until" in ran.out


NOT_IGNORING = {
    "another claim": entry('claim = "sizes_are_exact"'),
    "another column": entry('claim = "bounds_contain_values"\ncolumn = "price"'),
    "another table": entry('claim = "bounds_contain_values"\ntable = "customers"'),
    "an entry that has ended": entry('claim = "bounds_contain_values"', YESTERDAY),
}


@pytest.mark.parametrize("written", NOT_IGNORING.values(), ids=NOT_IGNORING)
def test_what_the_file_does_not_name_today_fails(false_bound: Path, command: Command, written: str) -> None:
    write(written)
    assert command("check", false_bound).status == 1


def test_a_column_that_is_ignored_hides_no_other_column_of_the_claim(lake: Lake, command: Command) -> None:
    [file] = data_files(lake.table("orders", orders()))
    for column in ("id", "price"):
        exchange(file, with_column(column, lambda held: pc.add(held, 1000)))
    write(entry('claim = "bounds_contain_values"\ncolumn = "id"'))
    document = command("check", lake.root("orders"), "--json").document
    [finding] = [one for one in document.failing_on if one.claim == "bounds_contain_values"]
    assert (finding.columns, document.exit_status) == (("price",), 1)
    assert document.own_table is not None
    assert [one.state for one in document.own_table.ignored] == ["matched"]


REPORTED = {
    "has ended": (entry('claim = "sizes_are_exact"', YESTERDAY), f"Ended on {YESTERDAY} and counts no more: sizes_are"),
    "matched nothing": (entry('claim = "sizes_are_exact"'), "Matched nothing: sizes_are_exact in the ignore file"),
    "is of a known finding": (entry('finding = "XTF-012"'), "Matched nothing: XTF-012 in the ignore file; remove it."),
}


@pytest.mark.parametrize(("written", "line"), REPORTED.values(), ids=REPORTED)
def test_an_entry_that_helps_nothing_is_reported(nested: Path, command: Command, written: str, line: str) -> None:
    write(written)
    assert line in command("check", nested).out


def test_an_entry_whose_claim_is_not_judged_is_not_said_to_match_nothing(nested: Path, command: Command) -> None:
    write(entry('claim = "bounds_contain_values"'))
    ran = command("check", nested, "--metadata-only", "--json")
    assert ran.document.own_table is not None
    assert [one.state for one in ran.document.own_table.ignored] == ["not judged"]


def test_another_file_is_named_by_the_option(false_bound: Path, command: Command) -> None:
    write(entry('claim = "bounds_contain_values"'), file="ours.toml")
    assert command("check", false_bound).status == 1
    assert command("check", false_bound, "--ignore", "ours.toml").status == 0


BAD = {
    "no TOML": ("[[ignore]\n", "is no TOML"),
    "another table": ("[accept]\n", "it has [[ignore]] and nothing else"),
    "neither finding nor claim": (entry(""), "it names a finding, or a claim, or a claim and a column"),
    "a finding and a column": (entry('finding = "XTF-012"\ncolumn = "id"'), "it names a finding, or a claim"),
    "an unknown claim": (entry('claim = "bounds_are_presnt"'), "did you mean bounds_are_present?"),
    "an unknown finding": (entry('finding = "XTF-999"'), "XTF-999"),
    "a retired finding": (entry('finding = "XTF-009"'), "XTF-009"),
    "an unknown key": (
        entry('claim = "sizes_are_exact"\ncolum = "id"'),
        "there is no key colum (did you mean column?)",
    ),
    "no day": ('[[ignore]]\nclaim = "sizes_are_exact"\nreason = "x"', "until is the last day"),
    "a day in quotes": ('[[ignore]]\nclaim = "sizes_are_exact"\nreason = "x"\nuntil = "2027-03-31"', "without quotes"),
    "no reason": (f'[[ignore]]\nclaim = "sizes_are_exact"\nuntil = {TOMORROW}', "say why, by reason"),
}


@pytest.mark.parametrize(("written", "words"), BAD.values(), ids=BAD)
def test_a_bad_ignore_file_ends_with_4_and_one_sentence(
    nested: Path, command: Command, written: str, words: str
) -> None:
    write(*([] if written.startswith("[") else [written]))
    if written.startswith("["):
        Path(".xtable-audit.toml").write_text(written)
    ran = command("check", nested)
    assert (ran.status, words in ran.err, ran.err.count("\n")) == (4, True, 1), ran.err


def test_a_named_ignore_file_that_is_not_there_ends_with_4(nested: Path, command: Command) -> None:
    ran = command("check", nested, "--ignore", "none.toml")
    assert (ran.status, "none.toml: No such file or directory; name the ignore file" in ran.err) == (4, True)


def test_the_healthy_answer_says_what_was_compared_and_what_was_not(lake: Lake, command: Command) -> None:
    lake.table("orders", orders(0), orders(1))
    told = " ".join(command("check", lake.root("orders")).out.split())
    assert "Compared: the metadata of 2 files with the values of 5 columns (40 rows, " in told
    assert "Left out: partition values, delete files, deletion vectors" in told
    assert "rows and commits of a source: none is named (--source)." in told


def test_without_values_the_answer_says_so(lake: Lake, command: Command) -> None:
    lake.table("orders", orders())
    assert (
        "Compared: the metadata of 1 file, and no value."
        in command("check", lake.root("orders"), "--metadata-only").out
    )


def test_junit_fails_where_the_check_does(nested: Path, command: Command) -> None:
    for bar, failures in (("UNREADABLE", 0), ("LOOSE", 1)):
        command("check", nested, "--fail-on", bar, "--out", bar)
        [report] = Path(bar).glob("*/audit.json")
        assert f'failures="{failures}"' in command("report", report, "--as", "junit").out
