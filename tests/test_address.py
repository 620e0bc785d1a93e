"""The project's public address: one variable, and every text that follows from it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from lab.stack.project import ROOT
from tests.of_each import of_each
from xtable_audit.address import REPOSITORY

URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *(path for path in ROOT.glob("docs/ci/*") if path.is_file())]
PLACEHOLDERS = ("OWNER/", "@COMMIT", "github.com/owner", "<owner>")
NONE_YET = "No other address is needed, and none is published yet."


def test_what_is_installed_names_the_same_address() -> None:
    assert ({"Repository": REPOSITORY} if REPOSITORY else {}) == {**URLS}


def test_the_page_about_ci_names_the_address_or_that_there_is_none() -> None:
    text = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert (NONE_YET in text, bool(REPOSITORY) and REPOSITORY in text) == (not REPOSITORY, bool(REPOSITORY))


@of_each("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_has_a_placeholder(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [word for word in PLACEHOLDERS if word in text] == []
