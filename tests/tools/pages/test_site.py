"""The static site of README and docs/, and its scoreboard."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.xtable_audit.report.runs import claim, document
from tools.pages.site import FamilyScore, ScoreRow, build, dead_links, every_finding, main, scoreboard
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document

COW = "Hudi, COPY_ON_WRITE"


def run(*outcomes: str, kind: str = COW, release: str = "0.4.0-incubating") -> Document:
    claims = [claim(outcome, test=f"suites/bounds/test_x.py::test_{n}") for n, outcome in enumerate(outcomes)]
    return replace(document(*claims, release=release), sources={"types_nan-xtable": kind})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder, scoreboard([run("held", "known")], every_finding()))
    return folder


def test_every_link_leads_somewhere(site: Path) -> None:
    assert list(dead_links(site)) == []


@pytest.mark.parametrize("page", ["index.html", "docs/check.html", "docs/findings/XTF-004.html", "scoreboard.html"])
def test_it_has_the_page(site: Path, page: str) -> None:
    assert (site / page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_reproductions_of_all_findings_are_in_one_archive(site: Path) -> None:
    with ZipFile(site / "reproductions.zip") as archive:
        names = {*archive.namelist()}
        script = archive.getinfo("reproductions/reproduce.sh")
    assert {"reproductions/XTF-004/write.py", "reproductions/XTF-077/check.py", "reproductions/README.md"} <= names
    assert script.external_attr >> 16 & stat.S_IXUSR


def test_pictures_are_copied(site: Path) -> None:
    assert (site / "docs" / "images" / "report.png").is_file()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The sources of a site of two pages."""
    (tmp_path / "root" / "docs").mkdir(parents=True)
    (tmp_path / "root" / "README.md").write_text("# Home\n\n[a](docs/a.md#first-part)\n")
    (tmp_path / "root" / "docs" / "a.md").write_text("# A\n\n## First part\n")
    return tmp_path


@pytest.mark.parametrize("link", ["docs/none.md", "docs/a.md#none", "none.png"])
def test_a_dead_link_is_found(small: Path, link: str) -> None:
    (small / "root" / "README.md").write_text(f"# Home\n\n[a]({link})\n")
    build(small / "site", None, small / "root")
    found = [
        line for line in dead_links(small / "site") if line.startswith("index.html links to docs/") or "png" in line
    ]
    assert any(line.split()[3].rstrip(",") == link.replace(".md", ".html") for line in found)


def test_a_link_to_a_heading_is_not_dead(small: Path) -> None:
    build(small / "site", None, small / "root")
    assert 'href="docs/a.html#first-part"' in (small / "site" / "index.html").read_text()
    assert "docs/a.html#first-part, which is not there" not in " ".join(dead_links(small / "site"))


def test_what_is_no_audit_ends_with_4(tmp_path: Path) -> None:
    assert main([str(tmp_path / "site"), str(tmp_path / "none.json")]) == 4


# the scoreboard


def test_it_counts_what_fails_of_what_applies() -> None:
    [(kind, rows)] = scoreboard([run("held", "known", "finding", "not_applicable", "inconclusive")]).parts
    assert (kind, rows) == (COW, (ScoreRow("bounds", (FamilyScore(2, 3),)),))


def test_a_release_that_checked_nothing_there_has_an_empty_score() -> None:
    [(_, [row])] = scoreboard([run("not_applicable", release="0.2.0-incubating"), run("held")]).parts
    assert row.scores == (FamilyScore(0, 0), FamilyScore(0, 1))


def test_hudis_own_indexes_are_not_among_translations() -> None:
    assert scoreboard([run("known", kind=HUDIS_INDEXES)]).parts == ()
