"""What recordings hold of tables, targets and upgrades in place, over the sources that are recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from lab.provision.checked_register import REGISTER, register
from lab.provision.live_or_recorded import NEWEST, TRANSLATED, archives_of, newest_of
from lab.provision.plan import DELTA_RS, ON_REQUEST, PAIMON, WITHOUT_LOG, Plan
from lab.provision.targets import BY_STANDALONE, TO_HUDI
from lab.recording.battery import by_way, demand_all_recorded, tables_with, unpack_kept
from lab.stack.cache import Cache
from lab.stack.versions import releases, stack
from spark_jobs.battery.folder import write
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from spark_jobs.recipes import RECIPES
from tests.of_each import of_each
from tests.whole_runs.run import Audit
from xtable.replay import (
    BATTERY_RECORDINGS,
    RECORDINGS,
    SOURCES,
    SUFFIX,
    Recording,
    checked,
    pack,
    recordings_of,
    unpacked,
)
from xtable.writer import DELTA, HUDI, STANDALONE, WRITERS, Way, ways
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import ICEBERG, SubjectId

# Some tables of the battery recorded alone: the others stay as they are.


def archive(root: Path, name: str, *, made_with: str | None = None) -> Path:
    folder = root / "unpacked" / name
    of_plain = ("plain/part/x.parquet", "plain.stages.json", "plain.rows.parquet", "plain.earlier/0123")
    for path in (*of_plain, "plainer.stages.json", "plainer.written.json", "plainer.earlier/4567"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    written = asdict(stack()) | ({"name": made_with} if made_with else {})
    (folder / "provenance.json").write_text(json.dumps({"stack": written}))
    pack(folder, root / f"{name}{SUFFIX}")
    return root / f"{name}{SUFFIX}"


def test_the_tables_that_are_kept_are_unpacked_and_no_other(tmp_path: Path) -> None:
    unpack_kept(archive(tmp_path, "sources"), tmp_path / "found", ["plainer"])
    found = {path.name for path in (tmp_path / "found").iterdir()}
    assert found == {"plainer.stages.json", "plainer.written.json", "plainer.earlier", "provenance.json"}
    assert tables_with(tmp_path / "found", "stages.json") == ["plainer"]


def test_a_recording_of_another_stack_takes_no_more_tables(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="recorded with the stack older: record the whole battery"):
        unpack_kept(archive(tmp_path, "sources", made_with="older"), tmp_path / "found", ["plainer"])


def test_tables_are_recorded_for_every_recorded_release(tmp_path: Path) -> None:
    one, other, *_ = releases()
    for name in ("sources", *(way.name for way in ways([one, other]))):
        archive(tmp_path, name)
    demand_all_recorded([one, other], tmp_path)
    with pytest.raises(Problem, match="recorded for all releases at once"):
        demand_all_recorded([one], tmp_path)


def test_a_table_whose_times_no_store_gives_is_recorded_over_a_mount() -> None:
    ways_of = by_way(["delta_plain", "edge_delta_same_second", "edge_delta_one_second"], "store")
    assert ways_of == {"store": ["delta_plain", "edge_delta_one_second"], "mount": ["edge_delta_same_second"]}


# Recorded folders of Parquet files are what Arrow writes; tables of Paimon and Iceberg are those of their entries.


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@of_each("name", FOLDERS)
def test_what_is_recorded_is_what_arrow_writes(tmp_path: Path, name: str) -> None:
    recorded = unpacked(Plan(source_format=WITHOUT_LOG).archives, Cache()) / SOURCES / name
    folder = tmp_path / name
    folder.mkdir()
    write(table := FOLDERS[name], folder)
    assert files(recorded) == files(folder / str(len(table.stages)))


@pytest.mark.parametrize(
    ("format", "tables"), [(PAIMON, PAIMON_TABLES), (ICEBERG, ICEBERG_TABLES)], ids=["paimon", "iceberg"]
)
def test_tables_are_recorded_as_their_entries_have_them(format: str, tables: Mapping[str, BatteryTable]) -> None:
    """Names of their files are drawn, so no bytes are compared: the library would write them in this way today."""
    recorded = checked(unpacked(Plan(source_format=format).archives, Cache()) / SOURCES)
    assert recorded["keys"] == {name: table.key for name, table in tables.items()}


def test_folders_are_recorded_at_addresses_of_this_disk() -> None:
    assert by_way(["delta_plain", "parquet_plain"], "store") == {"store": ["delta_plain"], "local": ["parquet_plain"]}


# The recorded targets but Iceberg: over the recorded sources, of every table that a run has XTable translate.

OF_HUDI = {name for name, table in (BATTERY | RECIPES).items() if table.format == "HUDI"}
ARCHIVES = [
    (writer.id, path.name.removesuffix(SUFFIX)) for writer in DELTA for path in archives_of(writer).glob(f"*{SUFFIX}")
]
REQUESTED = [(format, writer.id) for format in (WITHOUT_LOG, PAIMON, ICEBERG) for writer in DELTA]
TO_HUDI_BY_FORMAT = {
    "auto": TO_HUDI & BATTERY.keys(),
    **{format: TO_HUDI & ON_REQUEST[format].keys() for format in (PAIMON, DELTA_RS, ICEBERG)},
}


@pytest.mark.parametrize(("writer", "release"), ARCHIVES)
def test_delta_targets_are_recorded_over_the_recorded_sources(writer: str, release: str) -> None:
    """Else a recorded run holds the log of one table against the files of another."""
    archives, cache = archives_of(WRITERS[writer]), Cache()
    facts = checked(unpacked(archives, cache, release) / release)[TRANSLATED]
    assert facts.keys() == (OF_HUDI if writer != STANDALONE.id else BY_STANDALONE)
    battery = unpacked(BATTERY_RECORDINGS, cache, SOURCES) / SOURCES
    trees = {name: (battery if name in BATTERY else RECORDINGS / SOURCES) / name for name in facts}
    assert {name: newest_of(tree) for name, tree in trees.items()} == {
        name: noted[NEWEST] for name, noted in facts.items()
    }


@pytest.mark.parametrize(("source_format", "writer"), REQUESTED)
def test_tables_on_request_are_recorded_as_delta_over_the_recorded_sources(source_format: str, writer: str) -> None:
    archives, cache, release = recordings_of(source_format), Cache(), "0.4.0-incubating"
    facts = checked(unpacked(archives_of(WRITERS[writer], archives), cache, release) / release)[TRANSLATED]
    assert facts.keys() == ON_REQUEST[source_format].keys()
    sources = unpacked(archives, cache, SOURCES) / SOURCES
    assert {name: newest_of(sources / name) for name in facts} == {name: noted[NEWEST] for name, noted in facts.items()}


@pytest.mark.parametrize("source_format", TO_HUDI_BY_FORMAT)
def test_hudi_targets_are_recorded_over_the_recorded_sources(source_format: str) -> None:
    archives, cache, release = Plan(source_format=source_format).archives, Cache(), "0.4.0-incubating"
    facts = checked(unpacked(archives_of(HUDI, archives), cache, release) / release)[TRANSLATED]
    assert facts.keys() == TO_HUDI_BY_FORMAT[source_format]
    sources = unpacked(archives, cache, SOURCES) / SOURCES
    assert {name: newest_of(sources / name) for name in facts} == {name: noted[NEWEST] for name, noted in facts.items()}


# Upgrades in place on recordings: the findings about them are shown again, and nothing is left out in silence.

UPGRADES = [way for way in ways(releases()) if way.since]
IN_PLACE = ("--upgrade-from=0.2.0", "--xtable=0.4.0", "--readers=none")
ONE_TABLE = ("suites/bounds", "-k", "types_decimal_index and contain_values")
STALE = "suites/bounds/test_bounds.py::test_bounds_contain_values"


def test_what_an_earlier_release_wrote_is_still_there(audit: Audit) -> None:
    ran = audit(*IN_PLACE, *ONE_TABLE)
    assert (ran.status, ran.outcomes()[f"{STALE}[types_decimal_index-xtable]"]) == (0, "known"), ran.text


def test_a_release_alone_does_not_write_it(audit: Audit) -> None:
    ran = audit("--xtable=0.4.0", "--readers=none", *ONE_TABLE)
    assert (ran.status, ran.outcomes()[f"{STALE}[types_decimal_index-xtable]"]) == (0, "held"), ran.text


def test_tables_that_no_upgrade_is_recorded_of_are_left_out_by_a_word(audit: Audit) -> None:
    ran = audit("suites/bounds", *IN_PLACE, "-k", "types_decimal_i and contain_values")
    assert "those that findings name; the run audits no others" in " ".join(ran.text.split()), ran.text
    assert {SubjectId.parse(test.partition("[")[2]).dataset for test in ran.outcomes()} == {"types_decimal_index"}


@pytest.mark.parametrize("way", UPGRADES, ids=lambda way: way.name)
def test_every_table_that_a_finding_about_upgrades_names_is_recorded(way: Way) -> None:
    recording = Recording.open(
        way.release.version, unpacked(BATTERY_RECORDINGS, Cache()), way.since.version if way.since else None
    )
    named = {
        SubjectId.parse(table).dataset
        for entry in register(REGISTER)
        for where in entry.where
        if where.upgrade_from is not None
        for table in where.subjects
    }
    assert named <= set(recording.datasets)
