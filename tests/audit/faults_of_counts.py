"""Faults of record, value, null and NaN counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.audit import mutate
from tests.audit.draft import Draft
from tests.audit.fault import Fault
from tests.audit.mutate import set_count
from tests.audit.tables import XTABLE
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Compare, IsNull, Predicate

PLACE = 1


def _smallest(column: str) -> Callable[[Draft], Predicate]:
    return lambda draft: Compare(column, "=", mutate.actual(draft, PLACE, column, "min"))


def _nulls(column: str) -> Callable[[Draft], Predicate]:
    return lambda draft: IsNull(column)


def _count(
    id: str,
    count: str,
    value: Callable[[dict[str, int]], int | None],
    verdict: Verdict,
    column: str,
    loses: Callable[[str], Callable[[Draft], Predicate]] | None = None,
    table: str = "typed",
) -> Fault:
    return Fault(
        f"{id} ({column})",
        table,
        partial(set_count(count, value), place=PLACE, column=column),
        {f"{count}_counts_are_exact": verdict},
        (PLACE,),
        column,
        loses(column) if loses else None,
    )


U, C = Verdict.UNSOUND, Verdict.COSMETIC


def _everywhere(table: str, some_null: str, no_null: str) -> tuple[Fault, ...]:
    return (
        _count("null count one too high", "null", lambda n: n["null_count"] + 1, C, some_null, table=table),
        _count("null count one too low", "null", lambda n: n["null_count"] - 1, C, some_null, table=table),
        _count("null count that of all values", "null", lambda n: n["value_count"], U, no_null, _smallest, table),
        _count("null count 0 where nulls are", "null", lambda n: 0, U, some_null, _nulls, table),
        _count("null count absent", "null", lambda n: None, C, some_null, table=table),
        _count("value count one too high", "value", lambda n: n["value_count"] + 1, C, no_null, table=table),
        _count("value count one too low", "value", lambda n: n["value_count"] - 1, C, no_null, table=table),
        _count("value count that of the nulls", "value", lambda n: n["null_count"], U, some_null, _smallest, table),
        _count("value count absent", "value", lambda n: None, C, no_null, table=table),
    )


def _record(id: str, table: str, value: Callable[[int], int], column: str) -> Fault:
    return Fault(
        f"record_count {id}",
        table,
        partial(mutate.set_field("record_count", value), place=PLACE),
        {"record_counts_are_exact": U},
        (PLACE,),
        loses=(lambda draft: IsNull(column, negated=True)) if id == "0" else None,
    )


FAULTS = (
    *_everywhere("typed", some_null="holey", no_null="int"),
    *_everywhere(XTABLE, some_null="passenger_count", no_null="VendorID"),
    *_everywhere("native_iceberg", some_null="passenger_count", no_null="VendorID"),
    _count("NaN count one too high", "nan", lambda n: n["nan_count"] + 1, C, "nan"),
    _count("NaN count 1 where none is", "nan", lambda n: 1, C, "double"),
    _count("NaN count that of all values", "nan", lambda n: n["value_count"], U, "nan", _smallest),
    _count("NaN count 0 where one is", "nan", lambda n: 0, U, "nan"),
    *(
        _record(id, table, value, column)
        for table, column in (("typed", "int"), (XTABLE, "VendorID"), ("native_iceberg", "VendorID"))
        for id, value in (
            ("0", lambda n: 0),
            ("one too high", lambda n: n + 1),
            ("one too low", lambda n: n - 1),
        )
    ),
)
