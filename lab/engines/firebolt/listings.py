"""What Firebolt says of an Iceberg scan: the bounds of each file as it decoded them, and the files that it plans."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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


LISTING, SCAN = "list_iceberg_files(", "read_from_s3("
"""Labels of the two table functions in a plan over Iceberg, in this order."""
HANDS_ON = frozenset({"MaybeCache", "Projection", "Shuffle", "Window"})
"""Operators that output as many rows as they receive."""


class UnknownPlan(Exception):
    """A plan of unknown shape, described in one sentence. Says nothing about the table."""


@dataclass(frozen=True)
class QueryPlan:
    """What one query read, by its own plan. Delete files, if any, count as files."""

    live: int
    planned_count: int
    scanned: int
    returned: int


@dataclass(frozen=True)
class _Operator:
    id: int
    kind: str
    label: str
    metrics: dict[str, Any]
    inputs: tuple[int, ...]

    @property
    def executed(self) -> bool:
        return not self.metrics.get("nothing_executed")

    @property
    def rows(self) -> int:
        """Number of output rows. Raises UnknownPlan if the operator did not run or does not report it."""
        rows = self.metrics.get("output_cardinality")
        if not self.executed:
            raise UnknownPlan(f"{self} did not run, so its rows came from a cache")
        if not isinstance(rows, int) or isinstance(rows, bool) or rows < 0:
            raise UnknownPlan(f"{self} has no output_cardinality")
        return rows

    def __str__(self) -> str:
        return f"operator {self.id} ({self.kind})"


def read_plan(text: str, filtered: bool) -> QueryPlan:
    """The numbers of the one plan in `text`, EXPLAIN's output. `filtered`: the query has a predicate.

    Raises UnknownPlan.
    """
    operators = _operators(_analyzed(text))
    listing, scan = _table_function(operators, LISTING), _table_function(operators, SCAN)
    between = list(_consumers(operators, listing, lambda one: one is scan))
    above = list(_consumers(operators, scan, lambda one: one.kind.startswith("Aggregate")))
    if filtered and not any(one.kind == "Filter" for one in above):
        raise UnknownPlan(f"no filter stands above {scan}, so its rows may be those after the predicate")
    planned_count = _handed_on(listing, between)
    if scan.executed or planned_count:
        plan = QueryPlan(listing.rows, planned_count, scan.rows, _handed_on(scan, above))
    else:
        plan = QueryPlan(listing.rows, 0, 0, 0)
    if plan.planned_count > plan.live or plan.returned > plan.scanned:
        raise UnknownPlan(f"a filter gave more rows than it took in: {plan}")
    return plan


def _analyzed(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        raise UnknownPlan("it is not JSON") from None
    plans = document if isinstance(document, list) else [document]
    analyzed = [plan for plan in plans if isinstance(plan, dict) and plan.get("explain_type") == "analyze"]
    if len(analyzed) != 1:
        raise UnknownPlan(f"it holds {len(analyzed)} plans of explain_type analyze, not one")
    if analyzed[0].get("version") != 1:
        raise UnknownPlan(f"it is of version {analyzed[0].get('version')!r}, and version 1 is the known one")
    return analyzed[0]


def _operators(plan: dict[str, Any]) -> dict[int, _Operator]:
    try:
        operators = [_operator(one) for one in plan["operators"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise UnknownPlan(f"its operators are not as documented: {type(error).__name__} {error}") from None
    by_id = {one.id: one for one in operators}
    if len(by_id) != len(operators) or any(to not in by_id for one in operators for to in one.inputs):
        raise UnknownPlan("its operators name each other by ids that are missing or not unique")
    return by_id


def _operator(operator: dict[str, Any]) -> _Operator:
    notes = operator["annotations"]
    return _Operator(
        operator["operator_id"],
        str(operator["operator_type"]),
        str(notes.get("label", "")).lower(),
        dict(notes.get("execution_metrics") or {}),
        tuple(operator.get("input_ids") or ()),
    )


def _table_function(operators: dict[int, _Operator], name: str) -> _Operator:
    found = [one for one in operators.values() if one.kind == "TableFuncScan" and name in one.label]
    if len(found) != 1:
        raise UnknownPlan(f"it has {len(found)} operators that call {name[:-1]}, not one")
    return found[0]


def _consumers(
    operators: dict[int, _Operator], start: _Operator, end: Callable[[_Operator], bool]
) -> Iterator[_Operator]:
    """The operators from the one above `start` up to the `end`, which is excluded."""
    here = start
    for _ in operators:
        above = [one for one in operators.values() if here.id in one.inputs]
        if len(above) != 1:
            raise UnknownPlan(f"{here} has {len(above)} consumers, not one")
        here = above[0]
        if end(here):
            return
        if here.kind != "Filter" and here.kind not in HANDS_ON:
            raise UnknownPlan(f"{here} stands above {start}, and is neither a filter nor known to hand on its rows")
        yield here
    raise UnknownPlan(f"the operators above {start} go round in a circle")


def _handed_on(source: _Operator, above: list[_Operator]) -> int:
    """The source's rows that remain after the operators above it. Only filters may drop rows."""
    rows = source.rows
    for one in above:
        if not one.executed and rows == 0:
            continue
        if one.kind == "Filter":
            rows = one.rows
        elif one.executed and one.rows != rows:
            raise UnknownPlan(f"{one} took in {rows} rows and gave {one.rows}")
    return rows
