"""Faults of tuples that are transforms of values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pyiceberg.schema import make_compatible_name

from tests.audit import mutate
from tests.audit.draft import Draft, Record
from tests.audit.fault import Fault
from tests.audit.faults_of_partition import SPEC, SUMMARIES, TUPLES
from tests.audit.healthy_spread import SPREAD
from xtable_audit.model.predicate import Compare

TABLE = "spread"
EVERY = (0, 1, 2)


def tuple_of(draft: Draft, place: int, field: str, other: int) -> None:
    """The tuple of another file, in one field."""
    value = draft.table.case.stored.partition[field][other].as_py()
    draft.change_file(place, lambda file: file["partition"].update({make_compatible_name(field): value}))


def set_tuple(draft: Draft, place: int, field: str, value: object) -> None:
    draft.change_file(place, lambda file: file["partition"].update({make_compatible_name(field): value}))


def transform(draft: Draft, field: str, other: str) -> None:
    """Another transform of one field, the tuples as they were."""

    def change(fields: list[Record]) -> list[Record]:
        return [one | {"transform": other} if one["name"] == field else one for one in fields]

    mutate.set_spec(draft, change)
    draft.values_changed = True  # buckets are counted again


def _each() -> Iterator[Fault]:
    for field, (column, words) in SPREAD.items():
        if words == "void":
            continue
        loses = (lambda draft: Compare("place.city", "=", "city 1")) if words == "identity" else None
        place = 1
        spoil = partial(tuple_of, place=place, field=field, other=2)
        yield Fault(f"tuple of {words}({column}) another file's", TABLE, spoil, TUPLES, (place,), column, loses)
        null = partial(set_tuple, place=place, field=field, value=None)
        yield Fault(f"tuple of {words}({column}) null", TABLE, null, TUPLES | SUMMARIES, (place,))


FAULTS = (
    *_each(),
    Fault(
        "tuple of void not null", TABLE, partial(set_tuple, place=1, field="nothing", value=3), TUPLES | SUMMARIES, (1,)
    ),
    *(
        Fault(f"{field} described as {other}", TABLE, partial(transform, field=field, other=other), breaks, EVERY)
        for field, other, breaks in (
            ("bucket", "bucket[7]", SPEC | TUPLES),
            ("tens", "truncate[20]", SPEC | TUPLES),
            ("month", "year", SPEC | TUPLES),
            ("year", "hour", SPEC | TUPLES),
        )
    ),
)
