"""report.html: whole without a script, drawn from the document alone, and proof against what a table may be called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from lab.stack.project import ROOT
from tests.imports import names_in
from tests.of_each import of_each
from tests.xtable_audit.report.documents import ALARM, NAMES, hostile, hostile_diff, hostile_gate, hostile_own
from tests.xtable_audit.report.html.conftest import Page
from tests.xtable_audit.report.runs import claim, document
from xtable_audit.model.printable import UNPRINTABLE
from xtable_audit.report.document import Document
from xtable_audit.report.html.compared import render_diff, render_gate
from xtable_audit.report.html.template import render

KINDS: Mapping[str, Callable[[str], str]] = {
    "audit": lambda name: render(hostile(name)),
    "check": lambda name: render(hostile_own(name)),
    "gate": lambda name: render_gate(hostile_gate(name)),
    "diff": lambda name: render_diff(hostile_diff(name)),
}
HARMLESS = document(claim(), claim("known", registered="XTF-003"))
LOADS = {"src", "srcset", "poster", "action", "formaction", "background", "data"}
"""Attributes by which an element fetches."""


@cache
def spoilt(kind: str, name: str) -> Page:
    return Page(KINDS[kind](NAMES[name]))


@cache
def plain(kind: str) -> Page:
    return Page(KINDS[kind]("plain"))


@cache
def harmless() -> Page:
    return Page(render(HARMLESS))


each_name = of_each("name", NAMES)
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
@each_name
def test_no_name_becomes_an_element(kind: str, name: str) -> None:
    assert spoilt(kind, name).tags == plain(kind).tags


@each_kind
@each_name
def test_no_name_becomes_an_attribute(kind: str, name: str) -> None:
    assert [one for one in spoilt(kind, name).attributes if one[1].startswith("on") or one[1] in LOADS] == []


@each_kind
@each_name
def test_no_name_ends_an_element(kind: str, name: str) -> None:
    assert (spoilt(kind, name).unclosed, spoilt(kind, name).open) == ([], [])


@each_kind
@each_name
def test_no_name_becomes_an_address(kind: str, name: str) -> None:
    kinds = {re.split("[^#a-z]", value)[0] for value in spoilt(kind, name).values("href")}
    assert kinds <= {"#", "data"} | {one for one in kinds if one.startswith("#")}


@each_kind
@each_name
def test_a_name_shows_no_control_character(kind: str, name: str) -> None:
    html = spoilt(kind, name).html.replace("\n", "")
    assert UNPRINTABLE.findall(html) == []


def test_a_name_is_shown_as_it_is() -> None:
    assert NAMES["event"] in spoilt("audit", "event").text
    assert "1337" not in spoilt("audit", "template").text


def test_a_script_in_a_name_is_text() -> None:
    assert f"<script>{ALARM}" not in spoilt("audit", "end of a script").html


def test_nothing_is_fetched() -> None:
    assert [one for one in harmless().attributes if one[1] in LOADS] == []
    assert "@import" not in harmless().html
    assert "url(http" not in harmless().html


def test_a_browser_is_forbidden_to_fetch_and_to_run_another_script() -> None:
    [policy] = [value for value in harmless().values("content") if "default-src" in value]
    assert policy.startswith("default-src 'none'")
    assert re.search(r"script-src 'sha256-[\w+/]+=*';", policy)


@each_kind
def test_the_same_document_makes_the_same_page(kind: str) -> None:
    assert KINDS[kind]("orders") == KINDS[kind]("orders")


@pytest.mark.parametrize("of", [hostile, hostile_own], ids=["audit", "check"])
def test_the_page_holds_the_whole_document(of: Callable[[str], Document]) -> None:
    made = of("orders")
    assert Document.from_json(Page(render(made)).document) == made


@each_kind
def test_every_link_on_the_page_has_its_target(kind: str) -> None:
    page = spoilt(kind, "event")
    targets = {value[1:] for value in page.values("href") if value.startswith("#")}
    assert targets
    assert targets - set(page.values("id")) == set()


@each_kind
def test_no_id_is_there_twice(kind: str) -> None:
    ids = spoilt(kind, "event").values("id")
    assert sorted(ids) == sorted(set(ids))


def test_every_finding_is_on_the_page() -> None:
    made = document(*(claim("known", f"table_{n}-xtable", registered=f"XTF-{n:03}") for n in range(40)))
    assert len([value for value in Page(render(made)).values("id") if value.startswith("at-")]) == 40


def test_a_page_without_findings_says_so() -> None:
    assert "No claim fails." in Page(render(document(claim()))).text


def test_a_replay_says_of_which_day_it_is() -> None:
    made = document(claim(), mode="recorded")
    page = Page(render(replace(made, translation=replace(made.translation, recorded_on="2026-11-22"))))
    assert "Replay of 2026-11-22, not run here" in page.text
    assert "A replay answers no gate." in page.text


def test_nothing_but_the_command_line_knows_the_page() -> None:
    """What judges is not changed by how it is drawn."""
    place = Path("xtable_audit/report/html")
    knowing = {
        file.relative_to(ROOT).parts[1]
        for file in (ROOT / "xtable_audit").rglob("*.py")
        if place not in file.relative_to(ROOT).parents
        and any(name.startswith("xtable_audit.report.html") for name in names_in(file))
    }
    assert knowing == {"cli"}
