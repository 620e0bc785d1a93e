"""Faults of metadata.json: how it is written, and the schema in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pyarrow as pa

from tests.tables.draft import XTABLE, Draft, Fault, Record, current_snapshot
from tests.xtable_audit.claims.faults_of_snapshots import in_metadata
from xtable_audit.formats.iceberg.fields import PROPERTY as MAPPING
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case

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


# Faults of the schema: of ids, of the name mapping, of types and of nullability.

UNIQUE = {"field_ids_are_unique": Verdict.UNSOUND}
REQUIRED = {"required_columns_have_no_nulls": Verdict.UNSOUND}


def mapped(verdict: Verdict = Verdict.UNSOUND) -> dict[str, Verdict]:
    return {"names_are_mapped": verdict}


def types(verdict: Verdict) -> dict[str, Verdict]:
    return {"types_are_those_of_the_files": verdict}


def change_column(draft: Draft, column: str, **changed: object) -> None:
    """Another id, type or nullability of a top-level column, in every schema."""

    def change(metadata: Record) -> None:
        for schema in metadata["schemas"]:
            for field in schema["fields"]:
                if field["name"] == column:
                    field.update(changed)

    draft.change_metadata(change)
    draft.headers_follow()


def change_mapping(draft: Draft, change: Callable[[list[Record]], list[Record]]) -> None:
    def changed(metadata: Record) -> None:
        properties = metadata["properties"]
        properties[MAPPING] = json.dumps(change(json.loads(properties[MAPPING])))

    draft.change_metadata(changed)


def without_mapping(draft: Draft) -> None:
    draft.change_metadata(lambda metadata: metadata["properties"].pop(MAPPING))


def without(fields: list[Record], name: str) -> list[Record]:
    return [field for field in fields if name not in field["names"]]


def with_id(fields: list[Record], name: str, id: int) -> list[Record]:
    return [field | {"field-id": id} if name in field["names"] else field for field in fields]


def without_child(fields: list[Record], parent: str, name: str) -> list[Record]:
    return [f | {"fields": without(f["fields"], name)} if parent in f["names"] else f for f in fields]


def id_of_another(draft: Draft) -> None:
    """A struct, which has no bounds of its own, with the id of the first column."""
    id = draft.leaf("int").field_id
    change_column(draft, "place", id=id)
    change_mapping(draft, partial(with_id, name="place", id=id))


def held_as(column: str, kind: pa.DataType, place: int = 1) -> Callable[[Draft], None]:
    """A file that holds the same values in another type."""

    def changed(case: Case) -> Case:
        schemas = list(case.actual.schemas)
        schema = schemas[place]
        assert schema is not None
        schemas[place] = schema.set(schema.get_field_index(column), pa.field(column, kind))
        return replace(case, actual=replace(case.actual, schemas=tuple(schemas)))

    return lambda draft: draft.changes.append(changed)


MISREAD = {
    "decimal4": (pa.decimal128(7, 3), Verdict.UNSOUND),
    "decimal8": (pa.decimal128(18, 4), Verdict.UNREADABLE),
    "int": (pa.int64(), Verdict.UNREADABLE),
    "long": (pa.uint32(), Verdict.UNSOUND),
    "float": (pa.float64(), Verdict.UNREADABLE),
    "double": (pa.int64(), Verdict.UNREADABLE),
    "boolean": (pa.int32(), Verdict.UNREADABLE),
    "date": (pa.timestamp("us"), Verdict.UNREADABLE),
    "time": (pa.int64(), Verdict.UNREADABLE),
    "timestamp": (pa.timestamp("us", tz="UTC"), Verdict.UNSOUND),
    "timestamptz": (pa.timestamp("us"), Verdict.UNSOUND),
    "string": (pa.int32(), Verdict.UNREADABLE),
    "binary": (pa.binary(3), Verdict.UNREADABLE),
    "fixed": (pa.binary(5), Verdict.UNREADABLE),
    "place": (pa.string(), Verdict.UNREADABLE),
}
"""Column of the typed table, and a type that is read as something else, or as nothing."""


def _of_mapping(table: str, column: str, files: int) -> Iterator[Fault]:
    every = tuple(range(files))
    yield Fault("no name mapping", table, without_mapping, mapped(Verdict.UNREADABLE), every)
    left_out = partial(change_mapping, change=partial(without, name=column))
    yield Fault(f"{column} left out of the name mapping", table, left_out, mapped(), every, column)
    other = partial(change_mapping, change=partial(with_id, name=column, id=99))
    yield Fault(f"{column} mapped to another id", table, other, mapped(), every, column)


def demand(draft: Draft, column: str, change: Callable[[Record], object]) -> None:
    """Changes the type of a column in every schema, and has its nulls counted again."""

    def changed(metadata: Record) -> None:
        for schema in metadata["schemas"]:
            for field in schema["fields"]:
                if field["name"] == column:
                    change(field["type"])

    draft.change_metadata(changed)
    draft.values_changed = True


DEMANDS: dict[str, tuple[str, Callable[[Record], object]]] = {
    "tags": ("tags.element", lambda kind: kind.update({"element-required": True})),
    "sizes": ("sizes.value", lambda kind: kind.update({"value-required": True})),
    "stops": ("stops.element.x", lambda kind: kind["element"]["fields"][0].update(required=True)),
    "spot": ("spot.x", lambda kind: kind["fields"][0].update(required=True)),
}
"""Column of the spread table, the field inside it that is null in the second file, and how it is made required."""


SCHEMA_FAULTS = (
    *_of_mapping("typed", "int", 3),
    *_of_mapping(XTABLE, "VendorID", 4),
    Fault(
        "a struct's field left out of the name mapping",
        "typed",
        partial(change_mapping, change=partial(without_child, parent="place", name="city")),
        mapped(),
        (0, 1, 2),
        "place.city",
    ),
    Fault("a column with the id of another", "typed", id_of_another, UNIQUE | types(Verdict.UNREADABLE), (0, 1, 2)),
    *(
        Fault(f"{column} held as {kind}", "typed", held_as(column, kind), types(verdict), (1,), column)
        for column, (kind, verdict) in MISREAD.items()
    ),
    Fault(
        "a struct's int held as long",
        "typed",
        held_as("place", pa.struct([("city", pa.string()), ("zip", pa.int64())])),
        types(Verdict.UNREADABLE),
        (1,),
        "place.zip",
    ),
    *(
        Fault(
            f"{column} required",
            table,
            partial(change_column, column=column, required=True),
            REQUIRED,
            (0, 1, 2),
            column,
        )
        for table, column in (("typed", "holey"), (XTABLE, "passenger_count"))
    ),
    *(
        Fault(f"{path} required", "spread", partial(demand, column=column, change=change), REQUIRED, (1,), path)
        for column, (path, change) in DEMANDS.items()
    ),
)
