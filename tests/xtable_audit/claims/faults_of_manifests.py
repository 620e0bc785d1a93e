"""Faults of the manifest list: counts, lengths and sequence numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.tables import deletes
from tests.tables.draft import XTABLE, Draft, Fault, Record, change_header, header_of, read_records, write_records
from xtable_audit.model.finding import Verdict

TABLES = {"typed": 3, XTABLE: 4, "native_iceberg": 4}
"""Files, all in one manifest."""
LENGTHS = {"manifest_lengths_are_exact": Verdict.COSMETIC}
MISSING = {"no_file_is_missing": Verdict.UNSOUND}
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


def tuple_ids(draft: Draft, ids: Callable[[int], int]) -> None:
    """Other field ids of the partition tuples, in the schema of the manifest itself."""

    def change(schema: Record) -> None:
        [file] = [field for field in schema["fields"] if field["name"] == "data_file"]
        [tuples] = [field for field in file["type"]["fields"] if field["name"] == "partition"]
        for field in tuples["type"]["fields"]:
            field["field-id"] = ids(field["field-id"])

    deletes.rewrite(draft.mirror.file(draft.manifest_of(0)), change, lambda record: None, version=2)
    draft.change_manifests(draft.count_manifests)


def header(draft: Draft, name: str, change: Callable[[Any], Any]) -> None:
    """Another value in the manifest's header; None for none."""
    file = draft.mirror.file(draft.manifest_of(0))
    told = change(json.loads(header_of(file)[name]))
    change_header(file, {name: None if told is None else json.dumps(told)})
    draft.change_manifests(draft.count_manifests)


def of_its_first(name: str, value: object) -> Callable[[list[Record]], list[Record]]:
    return lambda fields: [fields[0] | {name: value}, *fields[1:]]


def renamed(schema: Record) -> Record:
    return schema | {"fields": [schema["fields"][0] | {"name": "another"}, *schema["fields"][1:]]}


def told(verdict: Verdict) -> dict[str, Verdict]:
    return {"headers_are_those_of_the_table": verdict}


def _of_headers(table: str, every: tuple[int, ...]) -> Iterator[Fault]:
    ids = {"tuples_have_the_ids_of_the_spec": Verdict.UNSOUND}
    yield Fault("tuples of other field ids", table, partial(tuple_ids, ids=lambda id: id + 9), ids, every)
    for words, name, change, verdict in (
        ("a spec of another column", "partition-spec", of_its_first("source-id", 2), Verdict.UNSOUND),
        ("a spec of another transform", "partition-spec", of_its_first("transform", "void"), Verdict.UNSOUND),
        ("no spec", "partition-spec", lambda spec: None, Verdict.UNREADABLE),
        ("a spec that is a word", "partition-spec", lambda spec: "word", Verdict.UNREADABLE),
        ("another spec id", "partition-spec-id", lambda id: 7, Verdict.COSMETIC),
        ("no schema", "schema", lambda schema: None, Verdict.UNREADABLE),
        ("a schema with another column", "schema", renamed, Verdict.UNREADABLE),
    ):
        yield Fault(f"header with {words}", table, partial(header, name=name, change=change), told(verdict), every)


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
    yield from _of_headers(table, every)


def fewer(draft: Draft) -> None:
    """A manifest of a block an entry, cut where a block ends: whole by itself, one entry short."""
    file = draft.mirror.file(draft.manifest_of(0))
    write_records(file, read_records(file)[:-1], sync_interval=1)


def _of_other_counts() -> Iterator[Fault]:
    """Numbers of entries that the manifest list does not promise: readers plan by either. All of a table of three."""
    every = (0, 1, 2)
    short = counts(Verdict.UNSOUND) | LENGTHS | MISSING | {"changes_are_those_of_the_manifests": Verdict.COSMETIC}
    short |= {"totals_are_those_of_the_manifests": Verdict.UNSOUND}
    yield Fault("last entry gone, which is still promised", "typed", fewer, short, every[:-1])
    for words, number, verdict in (
        ("fewer files promised than there are", 1, Verdict.COSMETIC),
        ("no file promised", 0, Verdict.UNSOUND),
        ("more files promised than there are", 9, Verdict.UNSOUND),
    ):
        change = partial(promise, number=number)
        yield Fault(words, "typed", partial(listed, change=change), counts(verdict), every)


def promise(record: Record, number: int) -> None:
    record["added_files_count"] = number


FAULTS = (*(fault for table, files in TABLES.items() for fault in _of(table, files)), *_of_other_counts())
