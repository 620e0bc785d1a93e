"""Where in the user's repository a run's findings are shown: the line that names the table, or the release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document


@dataclass(frozen=True)
class FileLine:
    """A line of a file; the first line is 1. None where no line of the file names what was judged."""

    file: str
    line: int | None = None


def find(document: Document, file: Path) -> FileLine:
    """The first line of `file` that names the user's table, or the release. Raises Problem if it cannot be read.

    A configuration of XTable names the table by its source or its folder, a pom or lock file the release.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{file} cannot be read as text: name the file that names the table or the release.") from error
    for name in _names(document):
        for number, line in enumerate(lines, 1):
            if name in line:
                return FileLine(file.as_posix(), number)
    return FileLine(file.as_posix())


def _names(document: Document) -> list[str]:
    """What the line may hold, the most telling first."""
    table = document.own_table
    if table is None:
        return [document.translation.release]
    source = [table.source.location] if table.source else []
    return [name for name in (*source, table.location, table.name) if name]
