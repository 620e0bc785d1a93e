"""Values of the battery's tables, written as short texts."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
EMOJI = "\U0001f600"
"""Sorts after U+FFFF by code point and in UTF-8, but before it in UTF-16, Java's order."""


def days(*texts: str) -> list[date]:
    return [date.fromisoformat(text) for text in texts]


def moments(*texts: str) -> list[datetime]:
    return [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in texts]


def decimals(*texts: str | None) -> list[Decimal | None]:
    return [None if text is None else Decimal(text) for text in texts]
