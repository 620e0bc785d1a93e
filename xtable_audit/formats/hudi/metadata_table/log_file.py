"""Log files of Hudi, whose blocks hold HFiles in the metadata table (Hudi spec, Log File Format)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xtable_audit.formats.hudi.metadata_table.cursor import Cursor

MAGIC = b"#HUDI#"
COMMAND, DELETE, CORRUPT, AVRO, HFILE = range(5)
"""Kinds of blocks, by their places in HoodieLogBlockType."""
INSTANT, TARGET, SCHEMA = range(3)
"""Keys of a block's header, by their places in HeaderMetadataType."""
MOST = 64
"""Entries of a header."""


@dataclass(frozen=True)
class LogBlock:
    kind: int
    instant: str
    """Of the write that left it."""
    target: str
    """The instant that a command to roll back is about."""
    schema: str
    content: bytes


def blocks_in(content: bytes) -> Iterator[LogBlock]:
    """The blocks, in order. Raises ValueError for what is no log file, or is cut off."""
    cursor = Cursor(content)
    while not cursor.is_done:
        if cursor.take(len(MAGIC)) != MAGIC:
            raise ValueError("a block does not begin as those of a log file")
        block = Cursor(cursor.take(cursor.unpack("q")))
        version = block.unpack("i")
        if version != 1:
            raise ValueError(f"a block is of version {version}, which is not read")
        kind = block.unpack("i")
        header = _header(block)
        yield LogBlock(
            kind, header.get(INSTANT, ""), header.get(TARGET, ""), header.get(SCHEMA, ""), block.take(block.unpack("q"))
        )


def _header(block: Cursor) -> dict[int, str]:
    entries = block.unpack("i")
    if not 0 <= entries <= MOST:
        raise ValueError(f"a header has {entries} entries")
    return {block.unpack("i"): block.take(block.unpack("i")).decode("utf-8") for _ in range(entries)}
