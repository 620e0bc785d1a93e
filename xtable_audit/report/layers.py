"""Hudi's data skipping, layer by layer, next to Iceberg's readers on XTable's translation of the same rows."""

from __future__ import annotations

from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from xtable_audit.report.document import Document, LayerRow

SKIPPING_OF = {
    "off": "Hudi, skipping off",
    "unlisted": "Hudi, no metadata table",
    "on": "Hudi, skipping on",
}
COLUMNS = ("live", "partition\nstatistics", "column stat.\nor bounds", "read", "rows")


def skipping(document: Document) -> list[RenderableType]:
    """One table per predicate run with Hudi's own reader; empty if there are none."""
    by_predicate = groupby(sorted(document.layers, key=lambda row: row.predicate), key=lambda row: row.predicate)
    return [part for predicate, rows in by_predicate for part in _side_by_side(document, predicate, list(rows))]


def _side_by_side(document: Document, predicate: str, rows: list[LayerRow]) -> list[RenderableType]:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("table", "by"):
        table.add_column(name, no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        layers = (row.live, row.after_partition_statistics, row.after_column_statistics, row.read, row.rows)
        star = " *" if row.mode == "recorded" else ""
        table.add_row(row.table + star, SKIPPING_OF[row.asked], *map(_figure, layers))
    for selection in document.selections:
        if selection.predicate == predicate:
            for reader, seen in selection.readers.items():
                if not seen.refused:
                    layers = (selection.live, None, seen.planned, seen.read, seen.rows)
                    table.add_row(selection.table, f"Iceberg, {reader}", *map(_figure, layers))
    title = Text(f"\nWHERE {predicate}: base files left by each layer of skipping", style="bold")
    legend = Text("* recorded answers; --hudi live queries again", style="yellow")
    return [title, table, *([legend] if any(row.mode == "recorded" for row in rows) else [])]


def _figure(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
