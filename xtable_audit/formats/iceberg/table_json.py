"""Parses metadata.json, which comes from a stranger, with bounded memory and depth."""

from __future__ import annotations

import json
from typing import Any

from xtable_audit.formats.iceberg.as_written import AsWritten, as_written
from xtable_audit.formats.iceberg.inflate import Bomb, Members, most_members, ungzipped
from xtable_audit.formats.iceberg.names_twice import Names
from xtable_audit.model.objects import Objects, too_large

GZIP = b"\x1f\x8b"
BYTES_A_VALUE = 16
"""Least average size of a value in a metadata.json near the limit. Python takes up to 100 bytes for each."""


def read_table_json(objects: Objects, uri: str) -> tuple[str, Any, AsWritten]:
    """The text, what it says, and what is wrong with how it is written.

    A gzipped one is inflated (Iceberg, write.metadata.compression-codec).

    Raises Malformed if there is no file, TooLarge by the object's limits, ValueError if it is no JSON.
    """
    content, limit = objects.read(uri), objects.limits.metadata
    if content.startswith(GZIP):
        try:
            content = ungzipped(content, limit)
        except Bomb:
            raise too_large(uri, "inflates to more bytes than it may have", limit) from None
        except Members:
            raise too_large(uri, "has more gzip members than it may have", most_members(limit)) from None
    if (values := content.count(b",") + content.count(b"[") + content.count(b"{")) > limit // BYTES_A_VALUE:
        raise too_large(uri, f"holds about {values:,} values", limit // BYTES_A_VALUE)
    text, names = content.decode("utf-8"), Names()
    try:
        raw = json.loads(text, object_pairs_hook=names, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return text, raw, as_written(raw, names)


def _refuse(constant: str) -> None:
    """NaN and infinities, which Python takes for JSON."""
    raise ValueError(f"{constant} is no JSON")
