"""What is not judged, or not in full, in one line for each table and reason."""

from __future__ import annotations

from xtable_audit.model.figures import many
from xtable_audit.report.document import Document, SetAsideRow

FEW = 3
"""Maximum number of columns or files that a line names."""


def set_aside(document: Document) -> list[str]:
    alike: dict[tuple[str, str, bool], list[SetAsideRow]] = {}
    for row in document.set_aside:
        alike.setdefault((row.table, row.reason, row.path is not None), []).append(row)
    return [
        f"{table}: {_named(rows, 'file' if are_files else 'column')} not judged in full: {reason}"
        for (table, reason, are_files), rows in alike.items()
    ]


def _named(rows: list[SetAsideRow], what: str) -> str:
    names = [(row.path or "").rpartition("/")[2] or str(row.column) for row in rows]
    listed = ", ".join(names[:FEW]) + (" …" if len(names) > FEW else "")
    return f"{what} {listed}" if len(names) == 1 else f"{many(len(names), what)} ({listed})"
