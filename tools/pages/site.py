"""README and docs/ as a static site: `python -m tools pages.site FOLDER [AUDIT_JSON …]`; its scoreboard of releases."""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lab.provision.checked_register import REGISTER, register
from lab.stack.project import ROOT
from tools.reproduce.folder import archive
from xtable_audit.model.outcome import FAILS, Outcome
from xtable_audit.register.register import covers
from xtable_audit.report.compare import HUDIS_INDEXES
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.html.matrices import NAMES, WORDS, Grid, grids
from xtable_audit.report.html.template import MARKS
from xtable_audit.report.release_states import known_releases, main_branch, registered


@dataclass(frozen=True)
class FamilyScore:
    """Claims of one family on tables of one kind, under one release."""

    failing: int
    checked: int
    """Those that held or failed."""


@dataclass(frozen=True)
class ScoreRow:
    name: str
    scores: tuple[FamilyScore, ...]
    """One for each run, in their order."""


@dataclass(frozen=True)
class Board:
    """`parts` has the kinds of source, those of most claims first, and of each the families of claims."""

    runs: tuple[Document, ...]
    parts: tuple[tuple[str, tuple[ScoreRow, ...]], ...]
    grids: tuple[Grid, ...] = ()
    """What each known finding does in each release."""


def every_finding() -> tuple[Grid, ...]:
    """The pictures of all known findings, with links to their pages from the root of the site."""
    entries, covered = register(REGISTER), covers(REGISTER)
    known = registered(entries, covered)
    mains = {component: main_branch(entries, component) for component in NAMES}
    return tuple(grids(known, known_releases(covered), mains, lambda id: f"docs/findings/{id}.html"))


def scoreboard(runs: Sequence[Document], grids: Sequence[Grid] = ()) -> Board:
    """Runs in the order of their releases. Tables that no XTable wrote are left out."""
    counted = [_counts(run) for run in runs]
    cells = dict.fromkeys(cell for counts in counted for cell in counts)
    checked = {kind: sum(one.checked for counts in counted for (of, _), one in counts.items() if of == kind)
               for kind in dict.fromkeys(kind for kind, _ in cells)}  # fmt: skip
    kinds = sorted(checked, key=lambda kind: -checked[kind])
    none = FamilyScore(0, 0)
    return Board(
        tuple(runs),
        tuple(
            (kind, tuple(ScoreRow(family, tuple(counts.get((kind, family), none) for counts in counted))
                         for family in sorted(family for of, family in cells if of == kind)))
            for kind in kinds
        ),
        tuple(grids),
    )  # fmt: skip


def _counts(run: Document) -> dict[tuple[str, str], FamilyScore]:
    found: dict[tuple[str, str], FamilyScore] = {}
    for cell, fails in _checked(run):
        one = found.get(cell, FamilyScore(0, 0))
        found[cell] = FamilyScore(one.failing + fails, one.checked + 1)
    return found


def _checked(run: Document) -> Iterator[tuple[tuple[str, str], bool]]:
    for claim in run.claims:
        kind = run.sources.get(str(claim.table), "")
        if claim.outcome in (*FAILS, Outcome.HELD, Outcome.GONE) and kind not in ("", HUDIS_INDEXES):
            yield (kind, claim.test.split("/")[1]), claim.outcome in FAILS


REPORT = "xtable_audit.report.html"
"""Whose style and macros the site shares."""
HOME = {"README.md": "index.html"}
REPRODUCTIONS = "reproductions.zip"
"""A folder for each finding that shows it without this suite."""
EXIT_DEAD, EXIT_BAD_INPUT = 1, 4


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.site", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("runs", type=Path, nargs="*", metavar="AUDIT_JSON", help="whole runs, the oldest release first")
    given = parser.parse_args(arguments)
    try:
        runs = [Document.load(path) for path in given.runs]
    except UnreadableDocument as error:
        print(error, file=sys.stderr)
        return EXIT_BAD_INPUT
    build(given.folder, scoreboard(runs, every_finding()))
    dead = list(dead_links(given.folder))
    for line in dead:
        print(line, file=sys.stderr)
    return EXIT_DEAD if dead else 0


def build(folder: Path, board: Board | None = None, root: Path = ROOT) -> None:
    """Writes a page for each Markdown file, and copies the files that they link."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(Path(__file__).parent), PackageLoader(REPORT, ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    style = files(REPORT).joinpath("page.css").read_text(encoding="utf-8")

    def write(place: str, title: str, body: str) -> None:
        up = "../" * place.count("/")
        page = made.get_template("site.html.j2").render(title=title, body=body, style=style, root=up, board=board)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")

    for source in (*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))):
        path = source.relative_to(root).as_posix()
        tokens = _parser().parse(source.read_text(encoding="utf-8"))
        for linked in _with_links_of_the_site(tokens, path, root):
            target = folder / linked.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(linked, target)
        write(_page(path), _title(tokens), _parser().renderer.render(tokens, _parser().options, {}))
    if board:
        archive(register(REGISTER), folder / REPRODUCTIONS)
        write(
            "scoreboard.html",
            "Scoreboard",
            made.get_template("scoreboard.html.j2").render(board=board, marks=MARKS, of_releases=WORDS),
        )


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _page(path: str) -> str:
    """Where the page of a Markdown file is."""
    return HOME.get(path, path.removesuffix(".md") + ".html")


def _title(tokens: Sequence[Token]) -> str:
    return next(after.content for one, after in pairwise(tokens) if one.type == "heading_open")


def _with_links_of_the_site(tokens: Sequence[Token], path: str, root: Path) -> Iterator[Path]:
    """Makes links lead to pages, gives headings their ids, and yields the other files that are linked."""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and after is not None:
            token.attrSet("id", anchor(after.content))
        for one in token.children or ():
            name = {"link_open": "href", "image": "src"}.get(one.type)
            address = str(one.attrGet(name)) if name else ""
            parts = urlsplit(address)
            if not name or parts.scheme or not parts.path:
                continue
            linked = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
            if linked.endswith(".md"):
                there = posixpath.relpath(_page(linked), posixpath.dirname(_page(path)) or ".")
                one.attrSet(name, there + (f"#{parts.fragment}" if parts.fragment else ""))
            elif (root / linked).is_file():
                yield root / linked
            elif (root / linked).is_dir():  # a folder of the repository, which the site does not have
                one.attrs.pop(name)


def anchor(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [str(given[name]) for name in ("href", "src") if given.get(name)]
        self.ids |= {str(given["id"])} if given.get("id") else set()


def dead_links(folder: Path) -> Iterator[str]:
    """A sentence for each link within the site that leads nowhere."""
    pages = {path: _links(path) for path in sorted(folder.rglob("*.html"))}
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            there = {path.resolve(): links.ids for path, links in pages.items()}
            if not target.is_file() or (parts.fragment and parts.fragment not in there.get(target, {parts.fragment})):
                yield f"{page.relative_to(folder)} links to {link}, which is not there"


def _links(path: Path) -> _Links:
    found = _Links()
    found.feed(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main())
