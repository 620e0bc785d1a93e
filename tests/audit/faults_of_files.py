"""Faults of the list of live files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tests.audit import mutate
from tests.audit.fault import Fault
from tests.audit.tables import XTABLE
from xtable_audit.model.finding import Verdict

TABLES = {"typed": 3, XTABLE: 4, "native_iceberg": 4}
TWICE = {"no_file_is_listed_twice": Verdict.DUPLICATE}
SIZE = {"sizes_are_exact": Verdict.FAILED_SILENTLY}


def _of(table: str, files: int) -> Iterator[Fault]:
    place = 1
    yield Fault(
        "a file dropped",
        table,
        partial(mutate.drop_file, place=place),
        {"no_file_is_missing": Verdict.UNSOUND},
        (),
    )
    yield Fault(
        "a stale file listed",
        table,
        partial(mutate.list_stale_file, place=place),
        {"no_file_is_stale": Verdict.STALE},
        (files,),
    )
    yield Fault(
        "an object deleted",
        table,
        partial(mutate.delete_object, place=place),
        {"every_file_exists": Verdict.UNREADABLE},
        (place,),
    )
    yield Fault("a file doubled", table, partial(mutate.double_file, place=place), TWICE, (place, files))
    yield Fault(
        "a file doubled across manifests",
        table,
        partial(mutate.double_across_manifests, place=place),
        TWICE,
        (place, files),
    )
    for words, by in (("one byte too large", 1), ("one byte too small", -1)):
        spoil = partial(mutate.set_field("file_size_in_bytes", by.__add__), place=place)
        yield Fault(f"a file {words}", table, spoil, SIZE, (place,))


FAULTS = tuple(fault for table, files in TABLES.items() for fault in _of(table, files))
