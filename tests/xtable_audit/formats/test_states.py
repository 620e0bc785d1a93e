"""A source at a sync, by timelines and logs that are written here, up to where XTable synced, and by spoilt logs."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyarrow import fs
from pyiceberg.table.metadata import TableMetadata

from tests.of_each import of_each
from tests.tables.recorded import RecordedObjects, RecordedSync, folder_of, names, newest, stages, syncs
from tests.xtable_audit.affected.test_mutants import LONGEST, TABLES, mutant
from tools.pages.affected import recorded, recorded_sources
from xtable_audit.formats.check_support import Chosen
from xtable_audit.formats.delta.state import delta_state
from xtable_audit.formats.folder import TableFolder, place_of
from xtable_audit.formats.hudi.state import hudi_state
from xtable_audit.formats.iceberg.check.support import synced_of
from xtable_audit.formats.iceberg.format import TARGET as ICEBERG
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.named_source import read_rows, read_state
from xtable_audit.formats.source import SourceState, Undetermined
from xtable_audit.model.printable import printable
from xtable_audit.model.problem import Problem
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, Synced

DAYS = [f"202401{day:02}000000000" for day in range(1, 10)]
TABLE = "history_upsert"
NEWEST = {sync.release: sync for sync in syncs() if sync.table == TABLE and sync.kind in ("first", "incremental")}


def instant(day: int) -> str:
    return DAYS[day - 1]


def at(day: int, *, pending: tuple[int, ...] = ()) -> Synced:
    return Synced(_time(day), instant(day), tuple(_time(one) for one in pending))


def _time(day: int) -> datetime:
    return datetime(2024, 1, day, tzinfo=UTC)


def base(group: str, day: int) -> str:
    return f"{group}_0-1-0_{instant(day)}.parquet"


def hudi(root: Path, instants: Mapping[str, Mapping[str, Any]], *files: str) -> TableFolder:
    """A table with these instants, name to content, and these files."""
    (root / ".hoodie").mkdir(parents=True)
    (root / ".hoodie" / "hoodie.properties").write_text("hoodie.table.version=6\n")
    for name, content in instants.items():
        (root / ".hoodie" / name).write_text(json.dumps(content))
    for file in files:
        (root / file).write_bytes(b"x" * 7)
    return TableFolder.at(str(root))


def wrote(*paths: str, **replaced: list[str]) -> dict[str, Any]:
    return {
        "partitionToWriteStats": {"": [{"path": path, "numWrites": 1, "numDeletes": 0} for path in paths]},
        "partitionToReplaceFileIds": {"": replaced.get("replaced", [])},
    }


def names_in(state: SourceState, folder: TableFolder) -> set[str]:
    return {uri.removeprefix(f"{folder.root}/") for uri in state.files}


def stored_at(sync: RecordedSync, chosen: Chosen) -> StoredMetrics:
    objects = RecordedObjects(fs.LocalFileSystem(), root=folder_of(sync.release))
    return ICEBERG.read_chosen(objects, sync.location, chosen)


def snapshots(sync: RecordedSync) -> list[int]:
    metadata = iceberg_of(stored_at(sync, Chosen())).metadata
    return [one.snapshot_id for one in sorted(metadata.snapshots, key=lambda one: one.timestamp_ms)]


# A source at a sync, by timelines and logs that are written here.


def test_a_file_that_a_later_clean_has_deleted_was_live(tmp_path: Path) -> None:
    clean = {"partitionMetadata": {"": {"deletePathPatterns": [base("a", 1)]}}}
    instants = {
        f"{instant(2)}.commit": wrote(base("b", 2)),
        f"{instant(3)}.commit": wrote(base("a", 3)),
        f"{instant(4)}.clean": clean,
    }
    folder = hudi(tmp_path, instants, base("b", 2), base("a", 3))
    state = hudi_state(folder, at(2), ())
    assert (names_in(state, folder), state.later) == ({base("a", 1), base("b", 2)}, 1)
    assert state.files[folder.uri(base("a", 1))] is None


def test_a_file_group_that_is_replaced_later_was_live(tmp_path: Path) -> None:
    instants = {
        f"{instant(1)}.commit": wrote(base("a", 1)),
        f"{instant(2)}.replacecommit": wrote(base("b", 2), replaced=["a"]),
    }
    folder = hudi(tmp_path, instants, base("a", 1), base("b", 2))
    assert [names_in(hudi_state(folder, at(day), ()), folder) for day in (1, 2)] == [{base("a", 1)}, {base("b", 2)}]


def test_an_instant_that_was_in_flight_then_does_not_count(tmp_path: Path) -> None:
    instants = {f"{instant(day)}.commit": wrote(base("abc"[day - 1], day)) for day in (1, 2, 3)}
    folder = hudi(tmp_path, instants, *(base("abc"[day - 1], day) for day in (1, 2, 3)))
    state = hudi_state(folder, at(3, pending=(2,)), ())
    assert (names_in(state, folder), state.later) == ({base("a", 1), base("c", 3)}, 1)


def test_an_instant_whose_files_are_translated_counts(tmp_path: Path) -> None:
    """Whatever the table's property says of it."""
    instants = {f"{instant(day)}.commit": wrote(base("abc"[day - 1], day)) for day in (1, 2, 3)}
    folder = hudi(tmp_path, instants, *(base("abc"[day - 1], day) for day in (1, 2, 3)))
    assert hudi_state(folder, at(1, pending=(2,)), [base("b", 2)]).at == instant(2)
    assert len(hudi_state(folder, at(3, pending=(2,)), [base("b", 2)]).files) == 3


@pytest.mark.parametrize(
    ("day", "words"),
    {1: "the source's timeline is read from", 3: "the source's timeline does not have any more"}.items(),
)
def test_an_instant_that_the_timeline_does_not_have_is_undetermined(day: int, words: str, tmp_path: Path) -> None:
    instants = {f"{instant(2)}.commit": wrote(base("a", 2)), f"{instant(4)}.commit": wrote(base("a", 4))}
    with pytest.raises(Undetermined, match=words):
        hudi_state(hudi(tmp_path, instants), at(day), ())


def test_a_time_names_the_instant_where_no_identifier_does(tmp_path: Path) -> None:
    folder = hudi(tmp_path, {f"{instant(2)}.commit": wrote(base("a", 2))}, base("a", 2))
    assert hudi_state(folder, Synced(_time(2)), ()).at == instant(2)


def test_base_files_of_another_format_are_undetermined(tmp_path: Path) -> None:
    folder = hudi(tmp_path, {f"{instant(2)}.commit": {}})
    with (tmp_path / ".hoodie" / "hoodie.properties").open("a") as stream:
        stream.write("hoodie.table.base.file.format=ORC\n")
    with pytest.raises(Undetermined, match="base files of ORC"):
        hudi_state(folder, at(2), ())


# Delta


@pytest.fixture
def delta(tmp_path: Path) -> TableFolder:
    """Three versions, each of one file of its own."""
    for value in (1.0, 2.0, 3.0):
        write_deltalake(tmp_path / "t", pa.table({"x": [value]}), mode="overwrite")
    return TableFolder.at(str(tmp_path / "t"))


def version(number: int) -> Synced:
    return Synced(_time(1), str(number))


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_version_has_its_files(number: int, delta: TableFolder) -> None:
    told = DeltaTable(delta.root, version=number).file_uris()
    assert {place_of(uri) for uri in delta_state(delta, version(number), ()).files} == {place_of(uri) for uri in told}


def test_a_version_before_the_log_begins_is_undetermined(delta: TableFolder) -> None:
    DeltaTable(delta.root).create_checkpoint()
    for number in (0, 1):
        (Path(delta.root) / "_delta_log" / f"{number:020}.json").unlink()
    assert len(delta_state(delta, version(2), ()).files) == 1
    with pytest.raises(Undetermined, match="the source's log begins at version 2, after version 1"):
        delta_state(delta, version(1), ())


def times(folder: TableFolder, *told: int) -> None:
    """The commits say that they are of these times, in milliseconds."""
    for number, time in enumerate(told):
        file = Path(folder.root) / "_delta_log" / f"{number:020}.json"
        actions = [json.loads(line) for line in file.read_text().splitlines()]
        others = [one for one in actions if "commitInfo" not in one]
        file.write_text("\n".join(map(json.dumps, [{"commitInfo": {"timestamp": time}}, *others])))


NOON = int(datetime(2024, 1, 1, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(("seconds", "number"), [(0, 0), (11, 1), (22, 2)])
def test_a_time_names_the_version_that_was_written_then(seconds: int, number: int, delta: TableFolder) -> None:
    times(delta, NOON - 200, NOON + 10_500, NOON + 21_000)
    synced = Synced(datetime.fromtimestamp(NOON / 1000 + seconds, UTC))
    assert delta_state(delta, synced, ()).at == str(number)


@pytest.mark.parametrize("told", [(0, 400, 60_000), (-400_000, -300_000, 90_000)], ids=["of two", "of none"])
def test_a_time_that_may_be_of_another_version_is_undetermined(told: tuple[int, ...], delta: TableFolder) -> None:
    times(delta, *(NOON + one for one in told))
    with pytest.raises(Undetermined, match="not which that is"):
        delta_state(delta, Synced(datetime.fromtimestamp(NOON / 1000, UTC)), ())


OUTSIDE = {
    "a data file": {"path": "file:///etc/passwd"},
    "a data file above": {"path": "a/../../passwd"},
    "a deletion vector": {
        "path": "x.parquet",
        "deletionVector": {"storageType": "p", "pathOrInlineDv": "file:///etc/passwd", "cardinality": 1},
    },
}


@pytest.mark.parametrize("add", OUTSIDE.values(), ids=OUTSIDE)
def test_rows_are_not_read_from_outside_the_table(add: dict[str, Any], delta: TableFolder) -> None:
    action = {"add": {"size": 1, "partitionValues": {}, "dataChange": True, "modificationTime": 0} | add}
    (Path(delta.root) / "_delta_log" / f"{3:020}.json").write_text(json.dumps(action))
    with pytest.raises(Undetermined, match="outside its folder"):
        read_rows(delta, delta_state(delta, version(3), ()))


# Up to where XTable has synced, by the snapshot that is judged.


@pytest.mark.parametrize("place", range(len(stages(TABLE))))
def test_an_older_snapshot_says_its_own_instant(place: int) -> None:
    sync = NEWEST["0.4.0-incubating"]
    stored = stored_at(sync, Chosen(snapshot=snapshots(sync)[place]))
    synced, folder = synced_of(iceberg_of(stored).metadata), TableFolder.at(str(recorded_sources() / TABLE))
    assert synced is not None
    assert names(hudi_state(folder, synced, ()), TABLE) == {*stages(TABLE)[place]["base_files"]}


@pytest.mark.parametrize(("place", "told"), [(0, False), (-1, True)])
def test_before_0_3_the_newest_snapshot_alone_is_told(place: int, told: bool) -> None:
    sync = NEWEST["0.2.0-incubating"]
    stored = stored_at(sync, Chosen(snapshot=snapshots(sync)[place]))
    assert (synced_of(iceberg_of(stored).metadata) is not None) == told


def saying(property: str) -> TableMetadata:
    metadata = iceberg_of(stored_at(NEWEST["0.2.0-incubating"], Chosen())).metadata
    return metadata.model_copy(update={"properties": {PROPERTY: property}})


@pytest.mark.parametrize(
    "property",
    ["", "{", "[]", "{}", "null", '{"lastInstantSynced": 5}', '{"lastInstantSynced": "today"}', "[" * 100_000],
    ids=["empty", "broken", "a list", "nothing", "null", "a number", "no time", "deep"],
)
def test_what_is_no_time_says_nothing(property: str) -> None:
    assert synced_of(saying(property)) is None


def test_instants_in_flight_are_told() -> None:
    told = {
        "lastInstantSynced": "2026-11-22T15:44:26.112Z",
        "instantsToConsiderForNextSync": ["2026-11-22T15:44:25.167Z"],
    }
    synced = synced_of(saying(json.dumps(told)))
    assert synced is not None
    assert [f"{one:%S.%f}" for one in (synced.time, *synced.pending)] == ["26.112000", "25.167000"]


# Sources of strangers: whatever their logs hold, a state is read, or one sentence says why not.

OF_LOGS = ("_delta_log/*.json", ".hoodie/*", ".hoodie/timeline/*")


@pytest.mark.parametrize("table", TABLES)
@of_each("seed", range(25), ids=lambda seed: f"mutant {seed}")
def test_a_mutant_is_told_or_refused_in_a_sentence(table: str, seed: int, tmp_path: Path) -> None:
    draw, root = random.Random(f"{table} {seed}"), tmp_path / str(seed) / table
    shutil.copytree(recorded_sources() / table, root)
    files = sorted(file for pattern in OF_LOGS for file in root.glob(pattern) if file.is_file())
    for file in draw.sample(files, min(len(files), draw.randint(1, 3))):
        file.write_bytes(mutant(file, draw))
    synced = Synced(datetime(2026, 11, 22, tzinfo=UTC), newest(table).at)
    try:
        told = read_state(recorded()[table].format.lower(), TableFolder.at(str(root)), synced, ())
    except (Problem, Undetermined) as error:
        said = printable(str(error))
        assert (0 < len(said) <= LONGEST, "\n" in said) == (True, False)
    else:
        assert isinstance(told, SourceState)
        assert isinstance(sum(size or 0 for size in told.files.values()), int)
