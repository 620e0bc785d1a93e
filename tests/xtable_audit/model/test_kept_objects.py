"""What is kept of a table's files holds for the same files alone, and for the same question and code."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs
from pyiceberg.transforms import BucketTransform, TruncateTransform
from pyiceberg.types import DecimalType, FixedType

from tests.tables.healthy import PICKUP, judged
from tests.tables.mirror import Mirror
from tests.xtable_audit.claims import mutate
from tests.xtable_audit.conftest import DraftOf, TableOf
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.kept_results import DAY, PART, SWEPT, UNUSED, Keep, KeptObjects
from xtable_audit.model.objects import Objects
from xtable_audit.model.predicate import Compare, Predicate
from xtable_audit.planning.planners import judges, kept_plans
from xtable_audit.scan import LocalScanner, actual_metrics, live_files
from xtable_audit.subject.table_rows import Rows, read_rows
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import ActualMetrics

ONE, OTHER, LATER = "s3://b/one", "s3://b/other", "s3://b/later"


class Runs:
    """Runs over the same bucket, each in a process of its own, and how often they worked."""

    def __init__(self, folder: Path) -> None:
        self.bucket = folder / "root" / "b"
        self.bucket.mkdir(parents=True)
        self.keep = Keep(folder / "kept")
        self.worked = 0
        self.put(ONE, b"1")
        self.put(OTHER, b"2")

    def put(self, uri: str, content: bytes) -> None:
        (self.bucket / uri.rpartition("/")[2]).write_bytes(content)

    def objects(self, *, code: str = "c", anew: bool = False) -> KeptObjects:
        filesystem = fs.SubTreeFileSystem(str(self.bucket.parent), fs.LocalFileSystem())
        return KeptObjects(filesystem, keep=Keep(self.keep.folder, anew), code=code)

    def run(self, given: str = "g", *, code: str = "c", anew: bool = False, sure: bool = True) -> list[int | None]:
        def work(objects: Objects) -> list[int | None]:
            self.worked += 1
            return [int(objects.read(ONE)), int(objects.read(OTHER)), objects.size(LATER)]

        return self.objects(code=code, anew=anew).kept("sum", lambda: given, [ONE], work, lambda _: sure)

    @property
    def entries(self) -> list[Path]:
        return [path for path in self.keep.folder.glob("*/*") if path.is_file()]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    runs = Runs(tmp_path)
    assert runs.run() == [1, 2, None]
    return runs


def test_the_second_run_over_the_same_objects_takes_what_the_first_kept(runs: Runs) -> None:
    assert (runs.run(), runs.worked) == ([1, 2, None], 1)


@pytest.mark.parametrize(
    ("uri", "after"),
    [(ONE, [9, 2, None]), (OTHER, [1, 9, None]), (LATER, [1, 2, 1])],
    ids=["an object of the key", "one that the work opened", "one that was not there"],
)
def test_another_byte_is_another_result(runs: Runs, uri: str, after: list[int | None]) -> None:
    runs.put(uri, b"9")
    assert (runs.run(), runs.worked) == (after, 2)


def test_the_same_bytes_at_another_time_are_the_same(runs: Runs) -> None:
    runs.put(OTHER, b"9")
    runs.run()
    runs.put(OTHER, b"2")
    runs.run()
    assert (runs.run(), runs.worked) == ([1, 2, None], 3)


@pytest.mark.parametrize("again", [{"given": "h"}, {"code": "d"}, {"anew": True}])
def test_another_question_or_other_code_works_again(runs: Runs, again: dict[str, object]) -> None:
    runs.run(**again)  # type: ignore[arg-type]
    assert runs.worked == 2


def test_a_result_that_the_store_may_have_decided_is_not_kept(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.run(sure=False)
    assert (runs.entries, runs.run(), runs.worked) == ([], [1, 2, None], 2)


def test_what_raises_is_not_kept(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    runs.put(OTHER, b"no number")
    with pytest.raises(ValueError, match="no number"):
        runs.run()
    assert runs.entries == []


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[:-1], lambda content: content[:-1] + b"\0", lambda content: b""],
    ids=["cut short", "another byte", "empty"],
)
def test_a_damaged_entry_is_not_believed(runs: Runs, damage: Callable[[bytes], bytes]) -> None:
    [entry] = runs.entries
    entry.write_bytes(damage(entry.read_bytes()))
    assert (runs.run(), runs.run(), runs.worked) == ([1, 2, None], [1, 2, None], 2)


def test_what_a_killed_run_was_writing_is_no_entry(runs: Runs) -> None:
    [entry] = runs.entries
    entry.rename(entry.with_name(f"tmp{PART}"))
    assert (runs.run(), runs.worked) == ([1, 2, None], 2)


def test_what_no_run_took_for_long_is_removed(runs: Runs) -> None:
    [old] = runs.entries
    runs.run("h")
    os.utime(old, (0, time.time() - UNUSED - 1))
    runs.keep.sweep()
    [left] = runs.entries
    assert left != old


def test_entries_are_looked_at_once_a_day(runs: Runs) -> None:
    runs.keep.sweep()
    [entry] = runs.entries
    os.utime(entry, (0, time.time() - UNUSED - 1))
    runs.keep.sweep()
    assert runs.entries == [entry]
    os.utime(runs.keep.folder / SWEPT, (0, time.time() - DAY - 1))
    runs.keep.sweep()
    assert runs.entries == []


def test_types_of_parameters_survive_in_another_process() -> None:
    """PyIceberg keeps one instance of each type."""
    types = [DecimalType(9, 2), DecimalType(18, 4), FixedType(3), BucketTransform(4), TruncateTransform(7)]
    script = "import pickle, sys; print(pickle.loads(bytes.fromhex(sys.argv[1])))"
    command = [sys.executable, "-c", script, pickle.dumps(types).hex()]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert told == repr(types)


def kept_in(folder: Path, mirror: Mirror) -> KeptObjects:
    return KeptObjects(mirror.objects.filesystem, keep=Keep(folder), code="c")


@pytest.mark.parametrize("id", ["good_layout-0.4.0-incubating", "typed", "deleted"])
def test_a_table_is_the_same_from_what_is_kept(table_of: TableOf, tmp_path: Path, id: str) -> None:
    """Stored metrics, actual values and rows."""
    table, seen = table_of(id), list[tuple[StoredMetrics, ActualMetrics, Rows]]()
    for _ in range(2):
        objects = kept_in(tmp_path, table.mirror)
        stored = read_stored_metrics(objects, table.metadata_location)
        files = live_files(objects, stored)
        seen.append((stored, actual_metrics(LocalScanner(objects), stored), read_rows(objects, stored, files)))
    (first, second), taken = seen, objects.taken
    assert dict(taken) == {"stored metrics": 1, "measured": 1, "rows": 1}
    assert iceberg_of(first[0]).metadata.model_dump_json() == iceberg_of(second[0]).metadata.model_dump_json()
    assert [(spec.id, spec.spec, repr(spec.tuples.to_pydict())) for spec in first[0].partitionings] == [
        (spec.id, spec.spec, repr(spec.tuples.to_pydict())) for spec in second[0].partitionings
    ]
    assert [told(part) for part in (*first,)] == [told(part) for part in (*second,)]


def told(part: StoredMetrics | ActualMetrics | Rows) -> list[str]:
    """All its values. NaN equals NaN here."""
    tables = [part.values] if isinstance(part, Rows) else [part.files, *part.columns.values()]
    return [repr(table.to_pydict()) for table in tables]


def test_another_bound_in_a_manifest_is_planned_again(draft_of: DraftOf, tmp_path: Path) -> None:
    """One byte of a manifest, which metadata.json names as before."""
    draft = draft_of("good_layout-0.4.0-incubating")
    value = mutate.actual(draft, 2, PICKUP, "max")
    predicate = Compare(PICKUP, "=", value)

    def planned() -> tuple[Set[str] | None, int]:
        objects = kept_in(tmp_path, draft.mirror)
        stored = read_stored_metrics(objects, draft.table.metadata_location)
        plan = kept_plans(objects, stored, judges(stored), "judge")
        [kept] = plan(draft.table.metadata_location, [predicate])
        return kept, objects.taken["planned"]

    first, again = planned(), planned()
    mutate.lower_upper(draft, 2, PICKUP)
    after = planned()
    assert first == ({draft.path(2)}, 0)
    assert again == ({draft.path(2)}, 1)
    assert after == (set(), 0)


def test_another_planner_or_predicate_is_asked(table_of: TableOf, tmp_path: Path) -> None:
    table, asked = table_of("good_layout-0.4.0-incubating"), []
    stored = judged(table, table.mirror, None).stored

    def planner(_: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        asked.append(predicates)
        kept: list[Set[str] | None] = [None, frozenset(stored.paths[:1]), frozenset({"s3://elsewhere"}), frozenset()]
        return kept[: len(predicates)]

    one = Compare(PICKUP, "=", 1)
    for identity, predicates in (("a", [one] * 4), ("b", [one] * 4), ("a", [one]), ("a", [one] * 4)):
        plan = kept_plans(kept_in(tmp_path, table.mirror), stored, planner, identity)
        kept = plan(table.metadata_location, predicates)
    assert len(asked) == 3
    assert kept == [None, {stored.paths[0]}, {"s3://elsewhere"}, set()]


def test_plans_of_metadata_that_says_the_same_are_shared_whatever_its_bytes(table_of: TableOf, tmp_path: Path) -> None:
    """As by another sync of the same source, whose entries come in another order."""
    table, asked = table_of("good_layout-0.4.0-incubating"), []
    stored = judged(table, table.mirror, None).stored
    reordered = replace(stored, files=stored.files.take(pa.array(range(stored.files.num_rows))[::-1]))

    def planner(location: str, predicates: Sequence[Predicate]) -> list[Set[str] | None]:
        asked.append(location)
        return [frozenset(stored.paths[:2]) for _ in predicates]

    for metadata, said in ((stored, "one"), (reordered, "one"), (stored, "other")):
        plan = kept_plans(kept_in(tmp_path, table.mirror), metadata, planner, "a", said)
        assert plan(f"s3://b/{len(asked)}", [Compare(PICKUP, "=", 1)]) == [set(stored.paths[:2])]
    assert asked == ["s3://b/0", "s3://b/1"]
