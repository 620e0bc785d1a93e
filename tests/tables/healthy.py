"""Healthy tables: what real XTable releases wrote, native Iceberg, the control translator's, and one of every type."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from tests.tables.mirror import Mirror
from tests.tables.typed import PARTITION, as_an_engine_tells, keyed_rows, repeated_rows, write_typed_files
from xtable.replay import Recording, newest_recording
from xtable_audit.formats.iceberg.beside_data_files import read_beside
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.kept_results import Keep, KeptObjects
from xtable_audit.model.objects import Objects
from xtable_audit.model.sync import Kind, Sync
from xtable_audit.scan import LocalScanner, actual_metrics, live_files
from xtable_audit.subject.case import Case, Source, State
from xtable_audit.subject.table_rows import read_rows
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics

MONTH = "pickup_month"
PICKUP = "tpep_pickup_datetime"


@dataclass(frozen=True)
class Stage:
    """A sync of a table's history: where it left the metadata, and the source's files and rows at that time."""

    words: str
    kind: Kind
    metadata_location: str
    files: tuple[str, ...]
    rows: int
    failure: str | None = None


@dataclass(frozen=True)
class Table:
    """A table in a mirror. Hashable by its id."""

    id: str
    mirror: Mirror = field(compare=False)
    root: str = field(compare=False)
    """The folder that holds all its files, as an address."""
    metadata_location: str = field(compare=False)
    """Its metadata.json."""
    partition_by: tuple[str, ...]
    separates: tuple[str, ...]
    shown: pa.Table | None = field(default=None, compare=False)
    """The rows that the source's own engine shows."""
    stages: tuple[Stage, ...] = field(default=(), compare=False)
    spec: str = ""
    """The requested partition spec, where it is not the identity of `partition_by`."""

    @cached_property
    def case(self) -> Case:
        return judged(self, self.mirror, None)


@dataclass(frozen=True)
class InMemory(Keep):
    """What was made of objects, for later objects with the same content: a fault leaves most of a table as it was."""

    entries: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any | None:
        return self.entries.get(key)

    def put(self, key: str, entry: Any) -> None:
        self.entries[key] = entry


KEEP = InMemory(Path())


def judged(table: Table, mirror: Mirror, known: ActualMetrics | None) -> Case:
    """The table in `mirror`, against the base files of the healthy one.

    `known` is a truth to take measured files from, where no data file was touched.
    """
    objects = KeptObjects(mirror.objects.filesystem, keep=KEEP, code="")
    stored = read_stored_metrics(objects, table.metadata_location)
    actual = _remembered(stored, known) or actual_metrics(LocalScanner(objects), stored)
    healthy = table.mirror.objects
    data = stored.paths if mirror is table.mirror else table.case.stored.paths
    sizes = {path: healthy.size(path) or 0 for path in data}
    rows = None if table.shown is None else read_rows(objects, stored, live_files(objects, stored))
    columns = columns_in(healthy, table.stages[-1].files) if table.stages else None
    source = Source(table.partition_by, table.separates, sizes, table.spec, table.shown, columns)
    history = tuple(_state(table, stage, objects, sizes) for stage in table.stages)
    measure = partial(actual_metrics, LocalScanner(objects))
    return Case(table.id, stored, actual, source, history, rows, measure, read_beside(objects, stored))


def _state(table: Table, stage: Stage, objects: Objects, sizes: Mapping[str, int]) -> State:
    stored = read_stored_metrics(objects, stage.metadata_location)
    files = {path: size for path, size in sizes.items() if path in stage.files}
    sync = Sync(stage.kind, "0.4.0-incubating", stage.metadata_location, stage.failure, touched=())
    return State(
        sync, stage.words, stored, files, stage.rows, columns_in(table.mirror.objects, stage.files), stage.rows
    )


def columns_in(objects: Objects, files: Sequence[str]) -> tuple[str, ...]:
    """The columns of these files, and the fields of their structs, as their engine would show them."""
    found: dict[str, None] = {}
    for file in files:
        with objects.open(file) as stream:
            for field in pq.read_schema(stream):
                inside = field.type if pa.types.is_struct(field.type) else ()
                found |= dict.fromkeys([field.name, *(f"{field.name}.{child.name}" for child in inside)])
    return tuple(found)


def _remembered(stored: StoredMetrics, known: ActualMetrics | None) -> ActualMetrics | None:
    """The known truth in the evidence's order; None where it does not cover every file and column."""
    measured = known.files["path"].to_pylist() if known else []
    columns = {leaf.path: leaf.arrow for leaf in stored.leaves}
    if known is None or not set(stored.paths) <= set(measured) or set(columns) - set(known.columns):
        return None
    return known.take([measured.index(path) for path in stored.paths])


def recorded(mirror: Mirror, dataset: str, release: str | None) -> Table:
    """A recorded table: what `release` wrote, or Spark itself for None."""
    recording = Recording.open(release)
    for key, file in recording.objects(dataset):
        target = mirror.file(f"s3://{recording.bucket}/{key}")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    root = f"s3://{recording.bucket}/{recording.prefix(dataset)}"
    newest = max(mirror.file(f"{root}/metadata").glob("v*.metadata.json"), key=lambda p: int(p.name[1:].split(".")[0]))
    partition_by, separates = LAYOUTS[dataset]
    id = f"{dataset}-{release}" if release else dataset
    return Table(id, mirror, root, f"{root}/metadata/{newest.name}", partition_by, separates)


LAYOUTS = {
    "native_iceberg": ((MONTH,), (MONTH, PICKUP)),
    "good_layout": ((MONTH,), (MONTH, PICKUP)),
    "bad_layout": (("layout_bucket",), (MONTH, PICKUP)),
}


def control(
    mirror: Mirror, id: str, files: list[str], partition_by: tuple[str, ...], separates: tuple[str, ...]
) -> Table:
    """`files` through PyIceberg's `add_files`, as the control translator does it; they lie under the table's root."""
    root = mirror.uri(id)
    mirror.file(f"{root}/metadata").mkdir(parents=True, exist_ok=True)
    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=root, **mirror.pyiceberg)
    catalog.create_namespace("tests")
    schema = pq.read_schema(mirror.file(files[0]))
    table = catalog.create_table(f"tests.{id}", schema=schema, location=root)
    with table.update_spec() as spec:
        for column in partition_by:
            spec.add_field(column, IdentityTransform(), column)
    table.add_files(files)
    catalog.close()
    return Table(id, mirror, root, table.metadata_location, partition_by, separates)


def controlled(mirror: Mirror, dataset: str) -> Table:
    """The control translator's table over the recorded Hudi files of a dataset, copied under a root of its own."""
    id, files = f"{dataset}-control", []
    for key, file in Recording.open(newest_recording()).objects(dataset):
        if file.suffix == ".parquet":
            uri = mirror.uri(f"{id}/data/{key.partition(f'{dataset}/')[2]}")
            mirror.file(uri).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, mirror.file(uri))
            files.append(uri)
    return control(mirror, id, sorted(files), *LAYOUTS[dataset])


def typed(mirror: Mirror, id: str = "typed") -> Table:
    """A table of every type, one file a region."""
    files = write_typed_files(mirror, id)
    return control(mirror, id, files, (PARTITION,), ("int", PARTITION))


def shown(mirror: Mirror, id: str, *, keyed: bool) -> Table:
    """The same with the rows that its source shows: each file's first row stands in it twice. `keyed`: with record keys
    and commit times.
    """
    files = write_typed_files(mirror, id, rows_of=keyed_rows if keyed else repeated_rows)
    rows = pa.concat_tables(pq.read_table(mirror.file(file)) for file in reversed(files))
    return replace(control(mirror, id, files, (PARTITION,), ("int", PARTITION)), shown=as_an_engine_tells(rows))
