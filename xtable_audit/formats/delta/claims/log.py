"""What Delta's log says of each live file, in the form that its protocol has: paths, statistics, partition values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from xtable_audit.claims.deviation import FALSE, Deviation, deviation, undecodable
from xtable_audit.claims.needs import LIVE_FILES, PARTITION_TUPLES
from xtable_audit.formats.delta.claims import protocol
from xtable_audit.formats.delta.table import LogFault, delta_of
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.fingerprint import example
from xtable_audit.subject.case import Case

PATH = re.compile(r"(?:[\w.!~*'()@&=+$,;/:-]|[^\x00-\xa0]|%[0-9A-Fa-f]{2})+", re.ASCII)
"""Of a path, the characters of RFC 2396 and those beyond ASCII, which Java's URIs have too."""
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")


def _with_statistics(case: Case) -> int:
    adds = delta_of(case.stored).adds
    return sum(bool(adds[path].stats or adds[path].stats_parsed) for path in case.stored.paths)


STATISTICS = Need[Case]("a live file with statistics", _with_statistics)


@claim(
    "every path in the log is a URI that leads to its file",
    needs=LIVE_FILES,
    spec=protocol.PATH,
    breaks=Verdict.UNREADABLE,
)
def paths_are_uris(case: Case) -> Iterator[Deviation]:
    """A blank fails in Java's URI. What follows a `#` or `?` is no part of the path, and a colon in the first name ends
    a scheme.
    """
    adds = delta_of(case.stored).adds
    paths = [adds[path].path for path in case.stored.paths]
    yield from deviation(
        np.array([not _is_a_uri(path) for path in paths], dtype=bool),
        saw=lambda i: f"path {paths[i]!r}",
        expected=lambda i: "a URI, with every other character encoded",
    )


def _is_a_uri(path: str) -> bool:
    named = SCHEME.match(path) is not None or path.startswith("/") or ":" not in path.partition("/")[0]
    return named and PATH.fullmatch(path) is not None


@claim(
    "the statistics of every file are JSON of the protocol's form",
    needs=STATISTICS,
    spec=protocol.STATISTICS,
    breaks=Verdict.UNREADABLE,
)
def logged_statistics_can_be_read(case: Case) -> Iterator[Deviation]:
    yield from _of_faults(case, of_columns=False)


@claim("every null count is a number", needs=STATISTICS, spec=protocol.NULLS, breaks=Verdict.UNREADABLE)
def null_counts_are_numbers(case: Case) -> Iterator[Deviation]:
    """delta-rs 1.6, and Polars 2.1 by it, skip no file of the table, and cannot open it where it has a boolean column,
    too (`types_maps_plain`); DuckDB and Spark read it. Of a negative one Polars 2.1 reads no row: it fails (tried).
    """
    yield from _of_faults(case, of_columns=True)


def _of_faults(case: Case, *, of_columns: bool) -> Iterator[Deviation]:
    alike: dict[str | None, dict[int, LogFault]] = defaultdict(dict)
    for one in delta_of(case.stored).faults:
        if (one.column is not None) == of_columns:
            alike[one.column] |= dict.fromkeys(case.stored.rows.get(one.path, ()), one)
    for column, faults in alike.items():
        if faults:
            saw, expected = example((one.saw, one.expected) for one in faults.values())
            yield Deviation(tuple(sorted(faults)), saw, expected, column, kind=FALSE)


@claim(
    "every partition value is a text of its column's type",
    needs=PARTITION_TUPLES,
    spec=protocol.PARTITION_TEXTS,
    breaks=Verdict.UNREADABLE,
)
def partition_values_are_of_their_type(case: Case) -> Iterator[Deviation]:
    """delta-rs 1.6 and Polars 2.1 return no row of the table (tried), and DuckDB neither."""
    yield from undecodable(case, case.stored.partitioning.undecodable, "text")
