"""The folder of a check's reports: one of its own, in which each file is whole or absent."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xtable_audit.cli import exits, guard

if TYPE_CHECKING:
    from xtable_audit.check.options import Budget
    from xtable_audit.report.document import Document

NAME = "audit.json"


@dataclass
class Reports:
    """Below `out`. What cannot be written is said on `errors`."""

    out: Path
    errors: Any
    _folder: Path | None = field(default=None, repr=False)

    def keep(self, document: Document) -> None:
        """Keeps what was judged so far, should the check be ended before it ends."""
        with suppress(OSError):
            file = self._in(document) / NAME
            _write(file, document.to_json())
            failing = bool(document.failing_on)
            guard.tell(report=str(file), status=exits.FINDINGS if failing else exits.UNREACHABLE)

    def write(self, document: Document, budget: Budget) -> str:
        """The path of the report; "" if none can be written, which is said.

        That is report.html, beside its audit.json and summary.md; or audit.json, without what draws the page.
        """
        from xtable_audit.model.limits import OutOfTime
        from xtable_audit.report import summary
        from xtable_audit.report.html import NAME as PAGE
        from xtable_audit.report.html import page

        file = self.out / NAME
        try:
            file = self._in(document) / NAME
            _write(file, document.to_json())
            _write(file.with_name(summary.NAME), summary.summary(document))
        except OSError as error:
            self.errors.print(f"no report is written: {file}: {error.strerror}", markup=False)
            return ""
        try:
            with budget.within():
                drawn = page(document)
            if drawn is not None:
                _write(file.with_name(PAGE), drawn)
                return str(file.with_name(PAGE))
        except OSError as error:
            self.errors.print(f"no page is written: {file.with_name(PAGE)}: {error.strerror}", markup=False)
        except (OutOfTime, MemoryError, ImportError) as error:
            why = "it takes too long" if isinstance(error, OutOfTime) else "it takes more memory than there is"
            self.errors.print(f"no page is drawn: {why}; audit.json has everything", markup=False)
        return str(file)

    def _in(self, document: Document) -> Path:
        """The folder, which no other check has. Raises OSError."""
        if self._folder is None:
            table = document.own_table.name if document.own_table else ""
            name = f"{document.run.id}-{re.sub(r'[^A-Za-z0-9_.-]+', '_', table)[:60] or 'table'}"
            self.out.mkdir(parents=True, exist_ok=True)
            number = 1
            while self._folder is None:
                folder = self.out / (name if number == 1 else f"{name}-{number}")
                try:
                    folder.mkdir()
                    self._folder = folder
                except FileExistsError:
                    number += 1
        return self._folder


def _write(file: Path, text: str) -> None:
    """Whole or not at all, whatever ends the check. Raises OSError."""
    part = file.with_name(f".{file.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
