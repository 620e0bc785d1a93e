"""Faults of how metadata.json is written, which PyIceberg reads in silence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from tests.audit.draft import Draft, Record, current_snapshot
from tests.audit.fault import XTABLE, Fault
from tests.audit.faults_of_snapshots import in_metadata
from xtable_audit.model.finding import Verdict

TABLES = ("typed", XTABLE, "native_iceberg")
TYPES = {"metadata_json_has_the_specified_types": Verdict.UNREADABLE}


def twice(verdict: Verdict) -> dict[str, Verdict]:
    return {"no_name_stands_twice_in_metadata_json": verdict}


def ids_of_text(metadata: Record) -> None:
    metadata["last-column-id"] = str(metadata["last-column-id"])
    for schema in metadata["schemas"]:
        schema["schema-id"] = str(schema["schema-id"])


def sequence_number_with_a_point(metadata: Record) -> None:
    metadata["last-sequence-number"] = float(metadata.get("last-sequence-number", 0))


CHANGES: dict[str, Callable[[Record], object]] = {
    "ids in quotes": ids_of_text,
    "last-column-id of 41 bits": lambda metadata: metadata.update({"last-column-id": 1 << 40}),
    "last-updated-ms of 301 digits": lambda metadata: metadata.update({"last-updated-ms": 10**300}),
    "snapshot of a time of 31 digits": lambda metadata: current_snapshot(metadata).update({"timestamp-ms": 10**30}),
    "property that is a number": lambda metadata: metadata["properties"].update({"owner": 7}),
    "no table-uuid": lambda metadata: metadata.pop("table-uuid"),
}


def before(name: str, value: Callable[[Record], object]) -> Callable[[Draft], None]:
    """The same name once more, at the beginning of the whole, with this value."""

    def spoil(draft: Draft) -> None:
        first = json.dumps({name: value(draft.metadata())})
        draft.change_text(lambda text: text.replace("{", first[:-1] + ",", 1))

    return spoil


def older(metadata: Record) -> object:
    return metadata["snapshots"][0]["snapshot-id"]


def current(metadata: Record) -> object:
    return metadata["current-snapshot-id"]


def comments(draft: Draft) -> None:
    before("comment", lambda _: 1)(draft)
    before("comment", lambda _: 2)(draft)


LAST = {"last_ids_are_the_highest": Verdict.UNSOUND}


def _of(table: str) -> Iterator[Fault]:
    for words, change in CHANGES.items():
        yield Fault(words, table, in_metadata(change), TYPES, ())
    one = {"last-column-id": 1}
    yield Fault("last-column-id of the first column", table, in_metadata(lambda m: m.update(one)), LAST, ())
    yield Fault(
        "last-partition-id before the first",
        table,
        in_metadata(lambda metadata: metadata.update({"last-partition-id": 999})),
        {"last_ids_are_the_highest": Verdict.COSMETIC},
        (),
    )
    yield Fault("schemas twice", table, before("schemas", lambda _: []), twice(Verdict.UNSOUND), ())
    yield Fault("its snapshot twice", table, before("current-snapshot-id", current), twice(Verdict.COSMETIC), ())
    yield Fault("twice what no reader reads", table, comments, twice(Verdict.COSMETIC), ())


FAULTS = (
    *(fault for table in TABLES for fault in _of(table)),
    Fault("last sequence number with a point", "typed", in_metadata(sequence_number_with_a_point), TYPES, ()),
    Fault("two current snapshots", "history", before("current-snapshot-id", older), twice(Verdict.UNSOUND), ()),
)
