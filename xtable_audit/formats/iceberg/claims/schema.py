"""The table's schema against its earlier schemas and against its data files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.schema import Schema

from xtable_audit.claims.deviation import Deviation, deviation, file_name
from xtable_audit.claims.needs import READ, READABLE_FILES
from xtable_audit.formats.iceberg.claims.needs import COLUMNS, FILES_WITHOUT_IDS, OLDER_SCHEMAS, REQUIRED_COLUMNS
from xtable_audit.formats.iceberg.fields import PROPERTY as MAPPING
from xtable_audit.formats.iceberg.fields import held, misread, name_mapping, nodes
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.values.parquet import FileSchema, carries_ids

if TYPE_CHECKING:
    from pyiceberg.table.name_mapping import MappedField


@claim("no two columns have one field id", needs=COLUMNS, spec=rules.UNIQUE_IDS, breaks=Verdict.UNSOUND)
def field_ids_are_unique(case: Case) -> Iterator[Deviation]:
    first: dict[int, str] = {}
    for node in nodes(iceberg_of(case.stored).schema):
        other = first.setdefault(node.field_id, node.path)
        if other != node.path:
            yield Deviation(_every(case), f"id {node.field_id}, which is {other}'s", "an id of its own", node.path)


@claim(
    "a column keeps its field id, and no other column ever gets it",
    needs=(OLDER_SCHEMAS, READ),
    spec=rules.STABLE_IDS,
    breaks=Verdict.UNSOUND,
)
def field_ids_are_stable(case: Case) -> Iterator[Deviation]:
    """Over all schemas of the metadata, and over those that the syncs left. Readers find bounds by field id, in older
    files too.

    A dropped column may return with a new id. If the data files have ids, a column may be renamed.
    """
    by_id = any(schema is not None and carries_ids(schema) for schema in case.actual.schemas)
    reported: set[str] = set()
    for story in (_of_metadata(case), _of_syncs(case)):
        ids: dict[str, int] = {}
        paths: dict[int, str] = {}
        before: set[str] = set()
        for when, schema in story:
            now = {node.path: node.field_id for node in nodes(schema)}
            for path, id in now.items():
                known, other = ids.get(path, id), paths.get(id, path)
                kept = known == id or path not in before
                if path in reported or (kept and (other == path or by_id)):
                    continue
                reported.add(path)
                was = f"id {known}, as before" if not kept else f"an id of its own: that one was {other}'s"
                yield Deviation(_every(case), f"id {id} {when}", was, path)
            ids |= now
            paths = {id: path for path, id in now.items()} | paths
            before = set(now)


@claim(
    "columns of files without field ids are found by the name mapping",
    needs=FILES_WITHOUT_IDS,
    spec=rules.NAME_MAPPING,
    breaks=Verdict.UNSOUND,
)
def names_are_mapped(case: Case) -> Iterator[Deviation]:
    """UNREADABLE without a name mapping: readers refuse such files. They read a column missing from it as null."""
    from pyiceberg.table.name_mapping import parse_mapping_from_json  # late: a collection reads no metadata

    given = iceberg_of(case.stored).metadata.properties.get(MAPPING)
    mapping = None if given is None else parse_mapping_from_json(given)
    mapped = {} if mapping is None else dict(_mapped(mapping.root, ""))
    for schema, places in file_schemas(case):
        if carries_ids(schema):
            continue
        if mapping is None:
            saw = f"no {MAPPING}, and no field ids in {first_file(case, places)}"
            yield Deviation(places, saw, "either of them", verdict=Verdict.UNREADABLE)
            continue
        for node, _ in held(iceberg_of(case.stored).schema, schema):
            if mapped.get(node.path) != node.field_id:
                saw = f"mapped to {mapped.get(node.path, 'nothing')}, and no field ids in {first_file(case, places)}"
                yield Deviation(places, saw, f"mapped to {node.field_id}", node.path)


@claim(
    "each column's values are read as what the files hold",
    needs=READABLE_FILES,
    spec="Iceberg spec, Schema Evolution: type promotion; Appendix A: Parquet",
    breaks=Verdict.UNREADABLE,
)
def types_are_those_of_the_files(case: Case) -> Iterator[Deviation]:
    mapping = name_mapping(iceberg_of(case.stored).metadata, case.stored.metadata_location)
    for schema, places in file_schemas(case):
        for node, found in held(iceberg_of(case.stored).schema, FileSchema.of(schema, mapping).schema):
            verdict = misread(found, node.type)
            if verdict is not None:
                saw = f"{node.type} for {first_file(case, places)}"
                expected = f"a type that {found} is read as"
                yield Deviation(places, saw, expected, node.path, verdict, stored=str(node.type))


@claim("a required column has no nulls", needs=REQUIRED_COLUMNS, spec=rules.REQUIRED, breaks=Verdict.UNSOUND)
def required_columns_have_no_nulls(case: Case) -> Iterator[Deviation]:
    """Readers answer IS NULL without reading data, also for list and map elements that are unnested into rows.
    UNREADABLE for a file that lacks the column: readers refuse it.
    """
    for node in nodes(iceberg_of(case.stored).schema):
        if node.required and node.path in case.actual.columns:
            true, there = case.actual.columns[node.path], np.asarray(case.actual.held[node.path])
            nulls = np.asarray(pc.greater(true["null_count"], 0).fill_null(False))
            for wrong, verdict in ((nulls & there, None), (nulls & ~there, Verdict.UNREADABLE)):
                yield from deviation(
                    wrong,
                    saw=partial(_required, case),
                    expected=partial(_nulls, true),
                    column=node.path,
                    verdict=verdict,
                )
    for path, true in case.actual.inside.items():
        if path not in case.actual.columns or not _required_throughout(case, path):
            yield from deviation(
                pc.greater(true["null_count"], 0),
                saw=partial(_required, case),
                expected=partial(_nulls, true),
                column=path,
            )


def _required_throughout(case: Case, path: str) -> bool:
    """Whether the field and all its parents are required; it is then judged as a column."""
    return any(node.path == path and node.required for node in nodes(iceberg_of(case.stored).schema))


def _every(case: Case) -> tuple[int, ...]:
    return tuple(range(case.stored.files.num_rows))


def _of_metadata(case: Case) -> Iterator[tuple[str, Schema]]:
    """All schemas in the metadata, oldest first."""
    for schema in sorted(iceberg_of(case.stored).metadata.schemas, key=lambda s: s.schema_id):
        yield f"in schema {schema.schema_id}", schema


def _of_syncs(case: Case) -> Iterator[tuple[str, Schema]]:
    """The schema after each sync."""
    for state in case.history:
        if state.stored is not None:
            yield f"after {state.after} ({state.sync.kind})", iceberg_of(state.stored).schema


def file_schemas(case: Case) -> Iterator[tuple[pa.Schema, tuple[int, ...]]]:
    """Each distinct schema of the files, with the places of its files."""
    shared: dict[int, tuple[pa.Schema, list[int]]] = {}
    for place, schema in enumerate(case.actual.schemas):
        if schema is not None:
            shared.setdefault(id(schema), (schema, []))[1].append(place)
    alike: dict[bytes, tuple[pa.Schema, list[int]]] = {}
    for schema, places in shared.values():
        alike.setdefault(schema.serialize().to_pybytes(), (schema, []))[1].extend(places)
    for _, (schema, places) in sorted(alike.items()):
        yield schema, tuple(sorted(places))


def first_file(case: Case, places: tuple[int, ...]) -> str:
    """The least name of these files, whatever their order."""
    return min(file_name(case, place) for place in places)


def _mapped(fields: Sequence[MappedField], prefix: str) -> Iterator[tuple[str, int | None]]:
    """Path and id, for each name of each field."""
    for field in fields:
        for name in field.names:
            yield f"{prefix}{name}", field.field_id
            yield from _mapped(field.fields, f"{prefix}{name}.")


def _required(case: Case, place: int) -> str:
    return f"required, for {file_name(case, place)}"


def _nulls(true: pa.Table, place: int) -> str:
    return f"optional: {true['null_count'][place]} of its {true['value_count'][place]} values are null"
