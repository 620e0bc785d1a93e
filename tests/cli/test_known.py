"""`xtable-audit known`: the list, one finding, its page."""

from __future__ import annotations

import sys

import pytest

from lab.stack.project import ROOT
from tests.cli.conftest import Command
from tests.of_each import of_each
from xtable_audit.address import page_of
from xtable_audit.register.bundled import bundled_register, page
from xtable_audit.register.entry import NONE_KNOWN, Entry

REGISTER = bundled_register()
EACH = of_each("entry", REGISTER, ids=lambda entry: entry.id)
UNTOLD = "no remedy is known"


def remedy(entry: Entry) -> str:
    return UNTOLD if entry.remedy == NONE_KNOWN else entry.remedy


def test_a_pipe_gets_one_whole_line_for_each_finding(command: Command) -> None:
    rows = [line.split("\t") for line in command("known").out.splitlines()]
    assert [(id, title, do) for id, _, _, title, do in rows] == [(one.id, one.title, remedy(one)) for one in REGISTER]


def test_a_line_says_the_worst_effect_and_the_releases(command: Command) -> None:
    [row] = [line.split("\t") for line in command("known").out.splitlines() if line.startswith("XTF-004")]
    assert row[1:3] == ["wrong results (UNSOUND)", "xtable 0.2.0, 0.3.0, 0.4.0"]


def test_a_release_lists_what_it_has(command: Command) -> None:
    has = [one.id for one in REGISTER if any(w.component == "xtable" and w.covers("0.4.0") for w in one.where)]
    told = [line.partition("\t")[0] for line in command("known", "--release", "0.4.0").out.splitlines()]
    assert told == has
    assert len(has) < len(REGISTER)


def test_a_terminal_gets_it_folded_and_nothing_is_cut(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    out = command("known").out
    assert max(map(len, out.splitlines())) <= 80
    assert [one.id for one in REGISTER if f"{one.title} do: {remedy(one)}" not in " ".join(out.split())] == []
    assert out.endswith(f"{len(REGISTER)} known findings. More of one: xtable-audit known {REGISTER[0].id}\n")


@EACH
def test_it_tells_the_remedy_and_how_to_get_the_page(command: Command, entry: Entry) -> None:
    ran = command("known", entry.id.lower())
    assert (ran.status, remedy(entry) in " ".join(ran.out.split())) == (0, True)
    assert ran.out.splitlines()[-1].split() == ["more", "xtable-audit", "known", entry.id, "--page"]


@EACH
def test_the_page_is_that_of_docs_findings(command: Command, entry: Entry) -> None:
    made, _, text = (ROOT / "docs" / "findings" / f"{entry.id}.md").read_text(encoding="utf-8").partition("\n")
    assert (made.startswith("<!--"), page(entry.id)) == (True, text)
    assert command("known", entry.id, "--page").out == text


def test_a_public_address_has_the_page_too() -> None:
    assert (page_of("XTF-004", ""), page_of("XTF-004", "https://x/y")) == (
        "",
        "https://x/y/blob/main/docs/findings/XTF-004.md",
    )


@pytest.mark.parametrize(
    ("id", "words"), [("XTF-009", "has become part of XTF-003"), ("XTF-999", "There is no finding")]
)
def test_a_finding_that_is_not_there_ends_with_4(command: Command, id: str, words: str) -> None:
    ran = command("known", id)
    assert (ran.status, words in ran.err) == (4, True), ran.err


@pytest.mark.parametrize("words", [("--page",), ("--release", "newest")], ids=["a page of none", "no release"])
def test_what_cannot_be_told_ends_with_4(command: Command, words: tuple[str, ...]) -> None:
    assert command("known", *words).status == 4
