"""Prints the screen of a document, whichever kind of run it is of."""

from __future__ import annotations

from rich.console import Console

from xtable_audit.report.check_screen import print_check_screen
from xtable_audit.report.document import Document
from xtable_audit.report.first_screen import headline, print_first_screen
from xtable_audit.report.scorecard import print_scorecard


def show(console: Console, document: Document, report: str, *, verbose: bool = False) -> None:
    """`verbose` prints the scorecard of an audit above its first screen."""
    if document.own_table is not None:
        print_check_screen(console, document, report)
        return
    console.print(headline(document))
    if verbose:
        print_scorecard(console, document)
        console.print()
    print_first_screen(console, document, report)
