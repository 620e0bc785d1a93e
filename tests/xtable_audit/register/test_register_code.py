"""findings.code.toml: what reading the sources shows of a finding, beside the register."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.of_each import of_each
from tests.xtable_audit.register.test_register import entry, load
from xtable_audit.register.code import UNREAD, Main, OnMain, ReproductionEnd
from xtable_audit.register.entry import Entry
from xtable_audit.register.fields import BadRegister

MAIN = '[main]\ncommit = "54b58df"\nday = "2026-08-08"\nread = "2026-11-23"\n'
HUDI_MAIN = '[hudi_main]\ncommit = "65cf7e8"\nday = "2026-08-07"\nread = "2026-11-24"\n'


def places(**changed: str | None) -> str:
    """A place in the sources."""
    fields: dict[str, str | None] = {
        "file": '"apache/hudi/a/ParquetUtils.java"',
        "method": '"ParquetUtils.read"',
        "word": '"genericGetMin"',
        "lines": '{ "release-1.2.0" = 320 }',
        "wrong": '"Takes 0.0."',
    }
    rows = [f"{name} = {value}" for name, value in (fields | changed).items() if value is not None]
    return "\n".join(["[[XTF-001.code]]", *rows, ""])


def of(main: str = "", hudi_main: str = "", trace: str = "") -> str:
    """The entry's table, with what is not empty."""
    fields = {"main": main, "hudi_main": hudi_main, "trace": trace}
    return "\n".join(["[XTF-001]", *(f"{name} = {value}" for name, value in fields.items() if value), ""])


def read(folder: Path, *text: str) -> Entry:
    """The entry XTF-001, with that text beside the register."""
    (folder / "findings.code.toml").write_text("\n".join(text), encoding="utf-8")
    [known] = load(folder, entry())
    return known


def test_without_such_a_file_nothing_was_read(tmp_path: Path) -> None:
    [known] = load(tmp_path, entry())
    assert known.read == UNREAD


def test_places_in_the_sources_are_read(tmp_path: Path) -> None:
    known = read(tmp_path, of(trace='"at a.b"'), places())
    [code] = known.read.code
    assert (code.method, code.lines, known.read.trace) == ("ParquetUtils.read", {"release-1.2.0": 320}, "at a.b")
    assert (code.repository, code.path) == ("apache/hudi", "a/ParquetUtils.java")


def test_what_main_does_has_the_commit_that_was_read(tmp_path: Path) -> None:
    known = read(tmp_path, MAIN, of('{ state = "mended", why = "it asks" }'))
    assert known.read.main == Main("54b58df", date(2026, 8, 8), date(2026, 11, 23), OnMain.MENDED, "it asks")
    assert known.read.hudi_main is None


def test_what_hudis_main_does_is_apart(tmp_path: Path) -> None:
    own = of('{ state = "mended", why = "it asks" }', '{ state = "changed", why = "another asks" }')
    known = read(tmp_path, MAIN, HUDI_MAIN, own)
    hudi = Main("65cf7e8", date(2026, 8, 7), date(2026, 11, 24), OnMain.CHANGED, "another asks")
    assert [known.main_of(component) for component in ("xtable", "hudi", "daft")] == [known.read.main, hudi, None]


def test_what_a_run_on_main_showed_is_kept(tmp_path: Path) -> None:
    main = read(tmp_path, MAIN, of('{ state = "unchanged", why = "it asks", ran = "present" }')).read.main
    assert main is not None
    assert main.ran is ReproductionEnd.PRESENT


BAD = {
    "no TOML": (["[["], "findings.code.toml cannot be read: "),
    "code that is no list": (["[XTF-001]\ncode = 3"], "XTF-001: code must be a list of tables; begin each with"),
    "an entry that is no table": (['XTF-001 = "x"'], "XTF-001 must be a table of code, trace, main and hudi_main."),
    "an entry that the register lacks": ([of().replace("001", "002")], "speaks of XTF-002, which is no entry"),
    "an unknown field": ([of() + 'mian = "x"'], "XTF-001 has the unknown field 'mian'; did you mean 'main'?"),
    "code without a method": ([places(method=None)], "XTF-001: code has no method."),
    "code with lines that are no numbers": (
        [places(lines='{ "0.4.0" = "12" }')],
        "XTF-001: code: lines: 0.4.0 must be a number, not '12'.",
    ),
    "what main does, at no commit": (
        [of('{ state = "mended", why = "it asks" }')],
        "XTF-001 says what main does; say at the head of the file which commit was read: [main].",
    ),
    "a day that is none": (
        [MAIN.replace("2026-08-08", "August"), of('{ state = "mended", why = "it asks" }')],
        "main: day must be a date like \"2026-11-22\", not 'August'.",
    ),
    "an unknown state of main": (
        [MAIN, of('{ state = "fixed", why = "it asks" }')],
        "XTF-001: main: 'fixed' is no word for state; there are unchanged, changed, mended.",
    ),
    "an unknown end of a run on main": (
        [MAIN, of('{ state = "unchanged", why = "it asks", ran = "maybe" }')],
        "'maybe' is no word for ran; there are present, gone",
    ),
}


@of_each(("text", "sentence"), BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_used_is_reported_in_one_sentence(tmp_path: Path, text: list[str], sentence: str) -> None:
    with pytest.raises(BadRegister) as raised:
        read(tmp_path, *text)
    assert sentence in str(raised.value)
    assert str(raised.value).startswith("findings.")
    assert "\n" not in str(raised.value)
