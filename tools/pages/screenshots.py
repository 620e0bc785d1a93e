"""Writes docs/images/ again, of the report of a whole audit: `python -m tools pages.screenshots AUDIT_JSON`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.stack.project import ROOT
from tools.pages.browser import opened
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document, UnreadableDocument
from xtable_audit.report.html.render import render

IMAGES = ROOT / "docs" / "images"
FINDING = "XTF-004"
"""Timestamps in milliseconds: the first finding of the README."""
BAD_INPUT, NO_BROWSER = 4, 6


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools pages.screenshots", description=__doc__)
    parser.add_argument("document", type=Path, metavar="AUDIT_JSON")
    try:
        take(Document.load(parser.parse_args(arguments).document), IMAGES)
    except UnreadableDocument as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except Problem as problem:
        print(problem, file=sys.stderr)
        return NO_BROWSER
    return 0


def take(document: Document, folder: Path) -> None:
    """The first screen, and one finding in full. Raises Problem without a browser, or for a run without the finding."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, opened() as browser:
        page = Path(scratch) / "report.html"
        page.write_text(render(document), encoding="utf-8")
        browser.open(page)
        browser.save(folder / "report.png")
        found = browser.all(f'details.finding[data-name="{FINDING}"]')
        if not found:
            raise Problem(f"the run has not found {FINDING}: name the audit.json of a whole audit")
        browser.run("arguments[0].open = true", found[0])
        found[0].screenshot(str(folder / "finding.png"))


if __name__ == "__main__":
    sys.exit(main())
