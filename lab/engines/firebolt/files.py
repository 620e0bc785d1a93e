"""Firebolt's `LIST_ICEBERG_FILES`: the bounds of each file as the engine decoded them, typed as the column itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Bounds = dict[str, dict[str, tuple[Any, Any]]]
"""File as `s3://bucket/key` -> column -> (min, max), each None if Firebolt has no bound."""

BUCKET, KEY = "file_bucket", "file_name"
LOWER, UPPER = "min_", "max_"


class UnknownListing(Exception):
    """A listing of unknown shape, described in one sentence. Says nothing about the table."""


class ListingSession(Protocol):
    """The part of `lab.engines.firebolt.reader.Session` that reads a listing."""

    def columns(self, table: str) -> Mapping[str, str]: ...
    def rows(self, sql: str) -> list[list[Any]]: ...


def read_files(session: ListingSession, listing: str) -> Bounds:
    """The bounds of each file that the table function `listing` returns. Raises UnknownListing."""
    known = session.columns(listing)
    missing = [name for name in (BUCKET, KEY) if name not in known]
    if missing:
        raise UnknownListing(f"LIST_ICEBERG_FILES gives no {' and no '.join(missing)}, only {', '.join(known)}")
    bounded = [name.removeprefix(LOWER) for name in known if name.startswith(LOWER)]
    bounded = [name for name in bounded if UPPER + name in known]
    if not bounded:
        raise UnknownListing(f"LIST_ICEBERG_FILES gives no bounds, only {', '.join(known)}")
    wanted = [BUCKET, KEY, *(side + name for name in bounded for side in (LOWER, UPPER))]
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in wanted)
    found: Bounds = {}
    for bucket, key, *values in session.rows(f"SELECT {quoted} FROM {listing}"):
        path = _path(str(bucket), str(key))
        if path in found:
            raise UnknownListing(f"LIST_ICEBERG_FILES gives {path} twice")
        pairs = zip(values[::2], values[1::2], strict=True)
        found[path] = dict(zip(bounded, pairs, strict=True))
    return found


def _path(bucket: str, key: str) -> str:
    return key if "://" in key else f"s3://{bucket}/{key.lstrip('/')}"
