"""What a check of a user's own table compared, and what it left out."""

from __future__ import annotations

from collections.abc import Iterator

from xtable_audit.model.figures import in_bytes, many
from xtable_audit.model.own_table import OwnTable


def coverage(table: OwnTable) -> Iterator[str]:
    """One sentence each."""
    if table.read is None:
        yield f"Compared: the metadata of {many(table.files, 'file')}, and no value."
    else:
        files = many(table.files, "file")
        of = files if table.read >= table.files else f"{table.read:,} of {files}"
        columns = many(len(table.only_columns) or table.columns, "column")
        size = f"{many(table.rows_read or 0, 'row')}, {in_bytes(table.bytes_read or 0)}"
        yield f"Compared: the metadata of {of} with the values of {columns} ({size})."
    for one in table.left_out:
        yield f"Left out: {one}."
