"""Tells how a check goes on: to a person at a terminal, or to nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from xtable_audit.check.cost import ReadCost
from xtable_audit.model.figures import many
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document

WORTH_ASKING = 20.0
"""Seconds from which a person is asked; less is just said."""
MONEY = 0.05
"""US dollars from which a person is asked."""


@dataclass
class Terminal:
    """Writes to `console`, which is on standard error; asks and shows progress only if a person is there."""

    console: Console
    asks: bool
    quiet: bool = False
    keep: Callable[[Document], None] = lambda document: None
    """Told what was judged of the metadata, before values are read."""
    _progress: Progress | None = field(default=None, repr=False)

    def judged_metadata(self, document: Document) -> None:
        self.keep(document)
        if self.quiet:
            return
        failing = document.count(Outcome.FINDING, Outcome.KNOWN)
        fails = f"{many(failing, 'claim')} {'fails' if failing == 1 else 'fail'}" if failing else "no claim fails"
        self.console.print(f"metadata judged in {document.run.seconds:.1f} s: {fails}", highlight=False)

    def go_on(self, cost: ReadCost) -> bool:
        if not self.quiet:
            self.console.print(f"values to read: {cost}", highlight=False, soft_wrap=True)
        dear = cost.seconds >= WORTH_ASKING or (cost.dollars_out or 0) >= MONEY
        return not (self.asks and dear) or click.confirm("Go on?", default=True, err=True)

    def progress(self, cost: ReadCost) -> Callable[[int, int], None]:
        if self.quiet or not self.console.is_terminal:
            return lambda files, size: None
        columns = (TextColumn("{task.completed:,.0f} of {task.total:,.0f} files"), BarColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=self.console, transient=True)
        task = self._progress.add_task("files", total=cost.files)
        self._progress.start()
        progress = self._progress
        return lambda files, size: progress.advance(task, files)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
