"""Faults of the partition spec, and of partition tuples: of values as they are, and of transforms of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from pyiceberg.schema import make_compatible_name

from tests.tables.draft import XTABLE, Draft, Fault, Record
from tests.tables.healthy_by_pyiceberg import SPREAD
from tests.tables.typed import PARTITION
from tests.xtable_audit.claims import mutate
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
TABLE = "spread"
EVERY = (0, 1, 2)


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


OF_FIELDS = tuple(fault for table, traits in TABLES.items() for fault in _of(table, *traits))


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


OF_TRANSFORMS = (
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


FAULTS = (*OF_FIELDS, *OF_TRANSFORMS)
