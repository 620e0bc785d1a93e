"""Asks one reader, and tells by its requests where the answer came from."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from lab.store.log import Request, RequestLog
from tools.shortcuts.questions import truth
from tools.shortcuts.tables import HealthyTable
from xtable_audit.readers.aggregate import Aggregate, Aggregating, NotOffered
from xtable_audit.readers.reader import Refusal

TAIL = 131_072
"""Bytes at the end of a file that a reader may fetch at once to have the footer, which has a few thousand here."""


class AnsweredFrom(StrEnum):
    """Where an answer comes from, by what was fetched of the data files."""

    METADATA = "metadata"
    FOOTERS = "footers"
    VALUES = "values"
    NOT_OFFERED = "not offered"
    REFUSED = "refused"


@dataclass(frozen=True)
class AggregateAnswer:
    """One question to one reader. `right` is None where there is no answer."""

    asked: Aggregate
    source: AnsweredFrom
    right: bool | None
    words: str = ""
    """The value, or why there is none."""


class Named(Aggregating, Protocol):
    @property
    def version(self) -> str: ...


def ask(
    reader: Named, log: RequestLog, table: HealthyTable, asked: Sequence[Aggregate], shortcut: bool = True
) -> list[AggregateAnswer]:
    """Raises Problem if the engine is gone."""
    _ = reader.version  # loaded, outside of what is watched
    with log.windows() as cut:
        said = [(one, cut(), *_said(reader, table.location, one, shortcut)) for one in asked]
    return [
        AggregateAnswer(
            one, refused or source_of(requests, table.sizes), _is_right(table, one, value, refused), str(value)
        )
        for one, requests, value, refused in said
    ]


def _said(reader: Named, location: str, one: Aggregate, shortcut: bool) -> tuple[Any, AnsweredFrom | None]:
    try:
        return reader.aggregate(location, one, shortcut), None
    except NotOffered:
        return "", AnsweredFrom.NOT_OFFERED
    except Refusal as refused:
        return refused, AnsweredFrom.REFUSED


def source_of(requests: Sequence[Request], sizes: Mapping[str, int]) -> AnsweredFrom:
    """What of the data files (key -> size in bytes) was fetched: nothing, their ends alone, or more."""
    fetched = [one for one in requests if one.method == "GET" and one.key in sizes]
    if not fetched:
        return AnsweredFrom.METADATA
    ends_alone = all(_first_byte(one.range, sizes[one.key]) >= sizes[one.key] - TAIL for one in fetched)
    return AnsweredFrom.FOOTERS if ends_alone else AnsweredFrom.VALUES


def _first_byte(range_: str | None, size: int) -> int:
    """Of `bytes=100-199`, of `bytes=-8`, and of no range."""
    from_end = re.fullmatch(r"bytes=-(\d+)", range_ or "")
    from_start = re.match(r"bytes=(\d+)-", range_ or "")
    return size - int(from_end[1]) if from_end else int(from_start[1]) if from_start else 0


def _is_right(table: HealthyTable, one: Aggregate, value: Any, refused: AnsweredFrom | None) -> bool | None:
    return None if refused else _plain(value) == _plain(truth(table.rows, one))


def _plain(value: Any) -> Any:
    """Engines return a date as text, and a moment with a zone or as text."""
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds")
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d.*", value):
        return dt.datetime.fromisoformat(value).replace(tzinfo=None).isoformat(" ", "microseconds")
    return int(value) if isinstance(value, str) and value.isdigit() else value
