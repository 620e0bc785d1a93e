"""Faults of a history: of single syncs. In the state that is judged, the file of the last sync comes first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import pyarrow as pa

from tests.tables.draft import Draft, Fault
from tests.tables.healthy_by_pyiceberg import FAILED, FIRST, FULL, IDLE, LATER, SECOND, STATE, THIRD
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.model.finding import Verdict
from xtable_audit.model.sync import Touch
from xtable_audit.subject.case import Case, State
from xtable_audit.table.stored_metrics import StoredMetrics

TABLE = "history"
MISSING = {"no_file_is_missing_after_a_sync": Verdict.UNSOUND}
STALE = {"no_file_is_stale_after_a_sync": Verdict.STALE}
TWICE = {"no_file_is_listed_twice_after_a_sync": Verdict.DUPLICATE}
ROWS = {"rows_are_as_many_after_a_sync": Verdict.STALE}
SNAPSHOT = {"rows_are_those_of_the_snapshot_view": Verdict.STALE}
NOTHING_LEFT = {"success_leaves_a_table": Verdict.FAILED_SILENTLY}
INSTANT = {"last_instant_never_goes_back": Verdict.FAILED_SILENTLY}
MOVED = "2024-01-01T12:00:00Z"
KEPT = {"failure_keeps_the_last_instant": Verdict.FAILED_SILENTLY}
SOURCE = {"sync_leaves_the_source_as_it_was": Verdict.UNSOUND}
UNMOVED = {"last_commit_moves_on_with_the_files": Verdict.FAILED_SILENTLY}
UNREADABLE_STEPS = {"snapshots_descend_from_those_before": Verdict.UNREADABLE}
OTHER_TABLE = {"uuid_stays_the_same": Verdict.UNREADABLE}
BEFORE = "2024-01-01T00:00:00.500Z"
IDS = {"field_ids_are_stable": Verdict.UNSOUND}


def after_failure(verdict: Verdict = Verdict.FAILED_SILENTLY) -> dict[str, Verdict]:
    return {"failure_leaves_the_table_as_it_was": verdict}


def idle(verdict: Verdict = Verdict.FAILED_SILENTLY) -> dict[str, Verdict]:
    return {"idle_sync_changes_nothing": verdict}


def full(verdict: Verdict = Verdict.FAILED_SILENTLY) -> dict[str, Verdict]:
    return {"incremental_equals_full": verdict}


def state(number: int, change: Callable[[State], State]) -> Callable[[Draft], None]:
    """Another state at this place of the history."""

    def changed(case: Case) -> Case:
        history = list(case.history)
        history[number] = change(history[number])
        return replace(case, history=tuple(history))

    return lambda draft: draft.changes.append(changed)


def leaving(number: int, change: Callable[[StoredMetrics], StoredMetrics]) -> Callable[[Draft], None]:
    """The same sync, leaving other metadata."""

    def changed(one: State) -> State:
        assert one.stored is not None
        return replace(one, stored=change(one.stored))

    return state(number, changed)


def failing(one: State, words: str | None) -> State:
    """The same, but the sync failed in these words, or came through."""
    return replace(one, sync=replace(one.sync, failure=words))


def listing(stored: StoredMetrics, places: Sequence[int]) -> StoredMetrics:
    """Of its files these, in this order."""
    rows = pa.array(places, pa.int64())

    def those(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
        return {name: table.take(rows) for name, table in tables.items()}

    own = stored.partitioning
    return replace(
        stored,
        files=stored.files.take(rows),
        partitionings=(replace(own, tuples=own.tuples.take(rows), summaries=those(own.summaries)), *stored.older),
        columns=those(stored.columns),
        column_sizes={name: sizes.take(rows) for name, sizes in stored.column_sizes.items()},
    )


def elsewhere(stored: StoredMetrics) -> StoredMetrics:
    """In a metadata.json of its own."""
    return replace(stored, metadata_location=stored.metadata_location.replace(".metadata.json", "-again.metadata.json"))


def with_metric(stored: StoredMetrics, column: str, name: str, place: int, value: Any) -> StoredMetrics:
    """Another bound or count of one file's column."""
    table = stored.columns[column]
    values = table[name].to_pylist()
    values[place] = value
    other = table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))
    return elsewhere(replace(stored, columns={**stored.columns, column: other}))


def of_file(stored: StoredMetrics, name: str, place: int, value: Any) -> StoredMetrics:
    """Another size or count of one file."""
    values = stored.files[name].to_pylist()
    values[place] = value
    position = stored.files.column_names.index(name)
    return elsewhere(replace(stored, files=stored.files.set_column(position, name, pa.array(values))))


def partitioned(stored: StoredMetrics, **changed: Any) -> StoredMetrics:
    """Other tuples or summaries under its current spec."""
    return replace(stored, partitionings=(replace(stored.partitioning, **changed), *stored.older))


def tuple_of(stored: StoredMetrics, place: int, value: Any) -> StoredMetrics:
    """Another partition tuple of one file."""
    (name,) = stored.partition.column_names
    values = stored.partition[name].to_pylist()
    values[place] = value
    return elsewhere(partitioned(stored, tuples=pa.table({name: pa.array(values)})))


def metadata(stored: StoredMetrics, **changed: Any) -> StoredMetrics:
    return elsewhere(updated(stored, **changed))


def updated(stored: StoredMetrics, **changed: Any) -> StoredMetrics:
    """Other fields of its metadata.json."""
    native = iceberg_of(stored)
    native = replace(native, metadata=native.metadata.model_copy(update=changed))
    return replace(stored, native=native)


def instant(stored: StoredMetrics, last: str | None) -> StoredMetrics:
    state = {} if last is None else {STATE: json.dumps({"lastInstantSynced": last})}
    others = {name: value for name, value in iceberg_of(stored).metadata.properties.items() if name != STATE}
    return updated(stored, properties=others | state)


def parentless(stored: StoredMetrics) -> StoredMetrics:
    """The current snapshot without a parent."""
    current = iceberg_of(stored).metadata.current_snapshot_id
    snapshots = [
        one.model_copy(update={"parent_snapshot_id": None}) if one.snapshot_id == current else one
        for one in iceberg_of(stored).metadata.snapshots
    ]
    return metadata(stored, snapshots=snapshots)


def column(stored: StoredMetrics, number: int, **changed: Any) -> StoredMetrics:
    """Another name or id of a column."""
    fields = list(iceberg_of(stored).schema.fields)
    fields[number] = fields[number].model_copy(update=changed)
    schema = iceberg_of(stored).schema.model_copy(update={"fields": tuple(fields)})
    others = [one for one in iceberg_of(stored).metadata.schemas if one.schema_id != schema.schema_id]
    return metadata(stored, schemas=[*others, schema])


def _fault(
    id: str,
    spoil: Callable[[Draft], None],
    breaks: Mapping[str, Verdict],
    places: tuple[int, ...] = (),
    column: str | None = None,
) -> Fault:
    return Fault(id, TABLE, spoil, breaks, places, column)


def touching(number: int, *touched: str) -> Callable[[Draft], None]:
    """The sync did this to its source."""
    return state(number, lambda one: replace(one, sync=replace(one.sync, touched=tuple(map(Touch.parse, touched)))))


FAULTS = (
    _fault("second sync deletes a file of its source", touching(SECOND, "deleted part=a/1.parquet"), SOURCE),
    _fault(
        "idle sync changes the source's timeline",
        touching(IDLE, "added .hoodie/2.commit", "changed .hoodie/hoodie.properties"),
        SOURCE,
    ),
    _fault(
        "full sync leaves an object in its source",
        touching(FULL, "added .hoodie/.temp/1"),
        {"sync_leaves_the_source_as_it_was": Verdict.COSMETIC},
    ),
    _fault("first sync lists no file", leaving(FIRST, partial(listing, places=[])), MISSING | ROWS),
    _fault(
        "second sync keeps a file that is replaced",
        state(SECOND, lambda one: replace(one, base_files=dict(list(one.base_files.items())[1:]))),
        STALE,
        (1,),
    ),
    _fault("first sync lists a file twice", leaving(FIRST, partial(listing, places=[0, 0])), TWICE | ROWS, (2,)),
    _fault("second sync shows rows that are deleted", state(SECOND, lambda one: replace(one, rows=7)), ROWS),
    _fault("second sync lacks rows of log files", state(SECOND, lambda one: replace(one, snapshot_rows=7)), SNAPSHOT),
    _fault("first sync leaves nothing", state(FIRST, lambda one: replace(one, stored=None)), NOTHING_LEFT),
    _fault("first sync fails and leaves a table", state(FIRST, lambda one: failing(one, "no")), after_failure()),
    _fault(
        "failed sync leaves nothing",
        state(FAILED, lambda one: replace(one, stored=None)),
        after_failure(Verdict.UNREADABLE),
    ),
    _fault(
        "failed sync drops a file",
        leaving(FAILED, lambda stored: listing(stored, [0])),
        after_failure(Verdict.UNSOUND),
        (2,),
    ),
    _fault(
        "failed sync drops a bound",
        leaving(FAILED, partial(with_metric, column="int", name="lower", place=1, value=None)),
        after_failure(),
        (2,),
        "int",
    ),
    _fault("idle sync drops a file", leaving(IDLE, partial(listing, places=[0, 2])), idle(Verdict.UNSOUND), (1,)),
    _fault(
        "idle sync doubles a file", leaving(IDLE, partial(listing, places=[0, 1, 2, 2])), idle(Verdict.DUPLICATE), (2,)
    ),
    _fault(
        "idle sync changes a bound",
        leaving(IDLE, partial(with_metric, column="date", name="upper", place=2, value=None)),
        idle(),
        (2,),
        "date",
    ),
    _fault(
        "idle sync changes a count",
        leaving(IDLE, partial(with_metric, column="holey", name="null_count", place=0, value=0)),
        idle(),
        (0,),
        "holey",
    ),
    _fault(
        "idle sync adds a snapshot",
        leaving(IDLE, partial(metadata, current_snapshot_id=77)),
        idle(Verdict.COSMETIC) | UNREADABLE_STEPS,
    ),
    _fault("idle sync changes the schema", leaving(IDLE, partial(metadata, current_schema_id=0)), idle()),
    _fault("idle sync changes the spec", leaving(IDLE, partial(metadata, default_spec_id=0)), idle()),
    _fault(
        "full sync drops a file",
        leaving(FULL, partial(listing, places=[0, 1])),
        full(Verdict.UNSOUND) | MISSING | ROWS,
        (2,),
    ),
    _fault(
        "full sync writes another bound",
        leaving(FULL, partial(with_metric, column="double", name="lower", place=1, value=-1e9)),
        full(),
        (1,),
        "double",
    ),
    _fault(
        "full sync writes another record count",
        leaving(FULL, partial(of_file, name="record_count", place=1, value=0)),
        full(),
        (1,),
    ),
    _fault(
        "full sync writes another size", leaving(FULL, partial(of_file, name="size", place=1, value=1)), full(), (1,)
    ),
    _fault("full sync writes another tuple", leaving(FULL, partial(tuple_of, place=1, value=None)), full(), (1,)),
    _fault("last instant goes back", leaving(THIRD, partial(instant, last="2024-01-01T00:00:00.499Z")), INSTANT),
    _fault("failed sync moves the last instant", leaving(FAILED, partial(instant, last=MOVED)), KEPT),
    _fault("third sync moves on without its instant", leaving(THIRD, partial(instant, last=BEFORE)), UNMOVED),
    _fault("third sync has no parent", leaving(THIRD, parentless), UNREADABLE_STEPS),
    _fault("third sync makes another table", leaving(THIRD, partial(metadata, table_uuid=UUID(int=7))), OTHER_TABLE),
    _fault("last instant is gone", leaving(SECOND, partial(instant, last=None)), INSTANT),
    _fault(
        "a column gets another id",
        leaving(FIRST, partial(column, number=0, field_id=77)),
        IDS | {"names_are_mapped_after_a_sync": Verdict.UNSOUND},
        (0, 1, 2),
        "int",
    ),
    _fault(
        "a column gets the id of one that is gone",
        leaving(FIRST, partial(column, number=0, name="former")),
        IDS | {"no_column_is_left_over_after_a_sync": Verdict.STALE},
        (0, 1, 2),
    ),
    _fault(
        "the source has dropped a column",
        lambda draft: draft.changes.append(partial(_dropped, names={"long"})),
        {"no_column_is_left_over": Verdict.STALE},
        (0, 1, 2),
        "long",
    ),
    _fault(
        "the source has dropped a field of a struct",
        lambda draft: draft.changes.append(partial(_dropped, names={"place.zip"})),
        {"no_column_is_left_over": Verdict.STALE},
        (0, 1, 2),
        "place.zip",
    ),
    _fault(
        "a column that older files lack is required",
        lambda draft: draft.changes.append(_required),
        {"required_columns_have_no_nulls": Verdict.UNREADABLE} | full(),
        (1, 2),
        None,
    ),
)


def _dropped(case: Case, names: Set[str]) -> Case:
    """The source has no such columns in the last state."""
    columns = tuple(path for path in case.source.columns or () if path not in names)
    return replace(case, source=replace(case.source, columns=columns))


def _required(case: Case) -> Case:
    number = next(n for n, field in enumerate(iceberg_of(case.stored).schema.fields) if field.name == LATER)
    return replace(
        case,
        stored=replace(column(case.stored, number, required=True), metadata_location=case.stored.metadata_location),
    )
