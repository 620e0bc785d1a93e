"""Faults of the manifest list: counts, lengths and sequence numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.audit.draft import Draft, Record
from tests.audit.fault import Fault
from tests.audit.tables import XTABLE
from xtable_audit.model.finding import Verdict

TABLES = {"typed": 3, XTABLE: 4, "native_iceberg": 4}
"""Files, all in one manifest."""
LENGTHS = {"manifest_lengths_are_exact": Verdict.COSMETIC}
NUMBERS = {"sequence_numbers_are_those_of_snapshots": Verdict.COSMETIC}


def counts(verdict: Verdict = Verdict.COSMETIC) -> dict[str, Verdict]:
    return {"manifest_counts_are_exact": verdict}


def listed(draft: Draft, change: Callable[[Record], None]) -> None:
    draft.change_manifests(lambda manifests: change(manifests[0]))


def one_more(record: Record, name: str) -> None:
    record[name] += 1


def one_less(record: Record, name: str) -> None:
    record[name] -= 1


def swap(record: Record, one: str, other: str) -> None:
    record[one], record[other] = record[other], record[one]


def numbered(draft: Draft, number: int) -> None:
    """Every file with its own sequence number."""

    def change(entries: list[Record]) -> None:
        for entry in entries:
            entry["sequence_number"] = number

    draft.change_entries(0, change)


def unnumbered(draft: Draft) -> None:
    """A file that was there before, without a sequence number."""
    draft.change_entries(0, lambda entries: entries[0].update(status=0, sequence_number=None))


def _of(table: str, files: int) -> Iterator[Fault]:
    every = tuple(range(files))
    for words, change, breaks in (
        ("rows added one too many", partial(one_more, name="added_rows_count"), counts(Verdict.UNSOUND)),
        (
            "rows added counted as existing",
            partial(swap, one="added_rows_count", other="existing_rows_count"),
            counts(),
        ),
        ("rows deleted one too many", partial(one_more, name="deleted_rows_count"), counts()),
        (
            "files added counted as existing",
            partial(swap, one="added_files_count", other="existing_files_count"),
            counts(),
        ),
        (
            "files added counted as deleted",
            partial(swap, one="added_files_count", other="deleted_files_count"),
            counts(Verdict.UNSOUND),
        ),
        ("length one byte too much", partial(one_more, name="manifest_length"), LENGTHS),
        ("length one byte too little", partial(one_less, name="manifest_length"), LENGTHS),
        ("manifest newer than its snapshot", partial(one_more, name="sequence_number"), NUMBERS),
        ("manifest newer than its oldest file", partial(one_more, name="min_sequence_number"), NUMBERS),
    ):
        yield Fault(words, table, partial(listed, change=change), breaks, every)
    yield Fault("files newer than their manifest", table, partial(numbered, number=9), NUMBERS, every)
    yield Fault("existing file without a sequence number", table, unnumbered, NUMBERS, every)


FAULTS = tuple(fault for table, files in TABLES.items() for fault in _of(table, files))
