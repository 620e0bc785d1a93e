"""Faults of the partition spec and of partition tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit import mutate
from tests.audit.draft import Draft, Record
from tests.audit.fault import Fault
from tests.audit.tables import XTABLE
from tests.audit.typed import PARTITION
from xtable_audit.model.finding import Verdict
from xtable_audit.model.predicate import Compare, Predicate

TABLES = {
    "typed": (PARTITION, "string", 3, "zenith"),
    XTABLE: ("pickup_month", "store_and_fwd_flag", 4, "2023-99"),
    "native_iceberg": ("pickup_month", "store_and_fwd_flag", 4, "2023-99"),
}
"""Partition column, another column of its type, files, and a value that no file holds."""

SPEC = {"spec_is_the_configured_one": Verdict.LOOSE}
TUPLES = {"tuples_equal_every_row": Verdict.UNSOUND}
SUMMARIES = {"summaries_cover_every_tuple": Verdict.UNSOUND}


def _own(column: str, place: int) -> Callable[[Draft], Predicate]:
    return lambda draft: Compare(column, "=", mutate.actual(draft, place, column, "min"))


def _source(draft: Draft, column: str) -> None:
    mutate.set_spec(draft, lambda fields: [field | {"source-id": draft.leaf(column).field_id} for field in fields])


def _transform(draft: Draft, transform: str) -> None:
    mutate.set_spec(draft, lambda fields: [field | {"transform": transform} for field in fields])


def _twice(draft: Draft, column: str) -> None:
    def also(fields: list[Record]) -> list[Record]:
        more = {"name": "more", "source-id": draft.leaf(column).field_id, "field-id": 1777, "transform": "void"}
        return [*fields, more]

    mutate.set_spec(draft, also)


def _of(table: str, column: str, other: str, files: int, nowhere: str) -> Iterator[Fault]:
    every = tuple(range(files))
    yield Fault("spec forgotten", table, partial(mutate.set_spec, fields=lambda fields: []), SPEC, every)
    yield Fault("spec on another column", table, partial(_source, column=other), SPEC | TUPLES, every)
    yield Fault("spec truncates", table, partial(_transform, transform="truncate[64]"), SPEC, every)
    yield Fault("spec of one field more", table, partial(_twice, column=other), SPEC, every)
    yield Fault("spec of one manifest forgotten", table, partial(mutate.spec_of_manifest, place=0), SPEC, every)
    yield Fault(
        "tuples of two files swapped",
        table,
        partial(mutate.swap_tuples, one=0, other=1),
        TUPLES,
        (0, 1),
        column,
        _own(column, 0),
    )
    for words, changed in (
        ("starts late", {"lower_bound": "\U0010ffff".encode()}),
        ("ends early", {"upper_bound": b" "}),
        ("holds no values", {"lower_bound": None, "upper_bound": None}),
    ):
        yield Fault(
            f"summary {words}",
            table,
            partial(mutate.set_summary, place=0, **changed),
            SUMMARIES,
            every,
            column,
            _own(column, 0),
        )
    for words, value in (("null", None), ("of no file", nowhere)):
        yield Fault(
            f"tuple {words}",
            table,
            partial(mutate.set_tuple, place=1, value=value),
            TUPLES | SUMMARIES,
            (1,),
            column,
            _own(column, 1),
        )


FAULTS = tuple(fault for table, traits in TABLES.items() for fault in _of(table, *traits))
