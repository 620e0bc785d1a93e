"""Tables by several releases of Hudi, and the laboratory's entries: what needs no Spark."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from lab.subjects.hudi_tables import DRAWN_ON, EXAMPLES, LAYERED
from spark_jobs.battery import newer
from spark_jobs.battery import table as table_module
from spark_jobs.battery.indexed import RECORDS, bound, indexes
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.late import complete_late
from spark_jobs.battery.skipping.healthy import INDEXED
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.stages import keep
from spark_jobs.battery.table import BatteryTable, Write
from spark_jobs.battery.tables import BATTERY
from spark_jobs.battery.timeline import completed
from spark_jobs.launch import SHIPS
from tests.of_each import of_each
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.model.problem import Problem


def lay(table: Path, *names: str) -> Path:
    for name in names:
        path = table / ".hoodie" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return table


BEGAN = ("20240101000001000", "20240101000002000")
"""Instants, which complete in the next minute."""
VERSION_6 = (
    f"{BEGAN[0]}.commit.requested",
    f"{BEGAN[0]}.inflight",
    f"{BEGAN[0]}.commit",
    f"{BEGAN[1]}.deltacommit.inflight",
    f"{BEGAN[1]}.deltacommit",
    "metadata/20240101000009000.commit",
)
VERSION_8 = (
    f"timeline/{BEGAN[0]}.commit.requested",
    f"timeline/{BEGAN[0]}.inflight",
    f"timeline/{BEGAN[0]}_20240101000101000.commit",
    f"timeline/{BEGAN[1]}.deltacommit.inflight",
    f"timeline/{BEGAN[1]}_20240101000102000.deltacommit",
)


@pytest.mark.parametrize("names", [VERSION_6, VERSION_8], ids=["version_6", "version_8"])
def test_the_completed_instants_are_those_of_either_layout(names: tuple[str, ...], tmp_path: Path) -> None:
    assert completed(lay(tmp_path, *names)) == {*BEGAN}


def test_what_is_in_flight_is_not_completed(tmp_path: Path) -> None:
    assert completed(lay(tmp_path, *VERSION_8[:2])) == set()


def test_an_unseen_instant_of_version_8_has_begun_and_not_completed(tmp_path: Path) -> None:
    table = lay(tmp_path / "table", *VERSION_8)
    keep(table, tmp_path / "1", unseen={BEGAN[0]})
    kept = {path.name for path in (tmp_path / "1").rglob("*") if path.is_file()}
    assert kept == {name.removeprefix("timeline/") for name in (*VERSION_8[:2], *VERSION_8[3:])}


FIRST, LATE, OTHER, NEXT = (
    f"timeline/{begun}_{done}.commit"
    for begun, done in (
        ("20240101000000000", "20240101000001000"),
        ("20240101000002000", "20240101000003000"),
        ("20240101000004000", "20240101000004999"),
        ("20240101000006000", "20240101000007000"),
    )
)
LATE_AT_LAST = "20240101000002000_20240101000005000.commit"


def shown(tmp_path: Path, *stages: tuple[str, ...]) -> list[set[str]]:
    """The instants of each stage once those that are late have completed."""
    kept = [lay(tmp_path / str(number), *names) for number, names in enumerate(stages, start=1)]
    complete_late(kept)
    return [{path.name for path in (stage / ".hoodie" / "timeline").glob("*")} for stage in kept]


def test_an_instant_of_version_8_that_was_unseen_completes_after_what_was_seen(tmp_path: Path) -> None:
    seen = shown(tmp_path, (FIRST,), (FIRST, OTHER), (FIRST, LATE, OTHER))
    assert seen[2] == {FIRST.partition("/")[2], LATE_AT_LAST, OTHER.partition("/")[2]}


def test_a_late_instant_keeps_its_time_of_completion_at_later_stages(tmp_path: Path) -> None:
    seen = shown(tmp_path, (FIRST, OTHER), (FIRST, LATE, OTHER), (FIRST, LATE, OTHER, NEXT))
    assert seen[2] == seen[1] | {NEXT.partition("/")[2]}


def test_an_instant_that_completes_in_time_keeps_its_name(tmp_path: Path) -> None:
    names = [(FIRST,), (FIRST, LATE), (FIRST, LATE, OTHER, NEXT)]
    assert shown(tmp_path, *names) == [{name.partition("/")[2] for name in stage} for stage in names]


def test_version_6_has_no_times_of_completion_to_change(tmp_path: Path) -> None:
    kept = [lay(tmp_path / "1", *VERSION_6[2:]), lay(tmp_path / "2", *VERSION_6)]
    before = {path for stage in kept for path in stage.rglob("*")}
    complete_late(kept)
    assert {path for stage in kept for path in stage.rglob("*")} == before


@of_each("table", newer.TABLES, ids=lambda table: table.name)
def test_a_twin_has_the_steps_and_options_of_its_history(table: BatteryTable) -> None:
    version, _, name = table.name.partition("_")
    history = BATTERY[f"history_{name}"]
    assert (table.steps, table.options, table.alone) == (history.steps, history.options, history.alone)
    assert version == {"1.0.2": "v8", "1.2.0": "v9"}[table.hudi]


def test_every_history_has_a_twin_in_each_newer_table_version() -> None:
    names = [table.name for table in newer.HISTORIES]
    twins = [table.name for table in newer.TABLES]
    assert twins == [name.replace("history", version, 1) for version in ("v8", "v9") for name in names]


def test_only_late_instants_change_the_key_by_the_code_that_completes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("v8_native", "v8_upsert", "v8_late_commit", "history_late_commit")
    keys = {name: BATTERY[name].key for name in names}
    monkeypatch.setattr(table_module, "OF_LATE_INSTANTS", ())
    assert [name for name in names if BATTERY[name].key != keys[name]] == ["v8_late_commit"]


def test_only_tables_of_two_views_change_the_key_by_the_code_that_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("mor_updated", "history_upsert", "delta_plain", "v8_upsert")
    keys = {name: BATTERY[name].key for name in names}
    monkeypatch.setattr(table_module, "OF_TWO_VIEWS", ())
    assert [name for name in names if BATTERY[name].key != keys[name]] == ["mor_updated"]


def test_a_table_names_its_indexes(tmp_path: Path) -> None:
    properties = lay(tmp_path, "hoodie.properties") / ".hoodie" / "hoodie.properties"
    properties.write_text("#a comment\nhoodie.table.metadata.partitions=files,column_stats\nhoodie.table.version=8\n")
    assert indexes(tmp_path) == ("column_stats", "files")


def test_a_table_without_a_metadata_table_names_none(tmp_path: Path) -> None:
    lay(tmp_path, "hoodie.properties")
    assert indexes(tmp_path) == ()


@pytest.mark.parametrize(
    ("union", "scale", "json_bound"),
    [
        ('{"member6":{"value":"a\\"}}"}}', None, '"a\\"}}"'),
        ('{"member1":{"value":-7}}', None, "-7"),
        ('{"member4":{"value":1.5E300}}', None, "1.5E300"),
        ('{"member8":{"value":0.050000000000000}}', 2, "0.050000000000000"),
        (f'{{"member5":{{"value":"{b64encode(b"n").decode()}"}}}}', 2, "1.10"),
        (f'{{"member5":{{"value":"{b64encode(bytes([255])).decode()}"}}}}', 2, "-0.01"),
        ('{"member5":{"value":"YQ=="}}', None, '"YQ=="'),
        ("{}", None, None),
        (None, None, None),
    ],
)
def test_a_bound_is_the_json_of_the_one_member(union: str | None, scale: int | None, json_bound: str | None) -> None:
    assert bound(union, scale) == json_bound


def test_records_are_as_the_judge_reads_them() -> None:
    assert RECORDS.equals(INDEX)


def test_tables_of_several_releases_are_refused_in_one_sentence() -> None:
    with pytest.raises(Problem, match=r"One Spark process has one Hudi: .*\(the default, 1\.0\.2\)"):
        resolve_battery_jars([BATTERY["plain_types"], replace(BATTERY["plain_types"], hudi="1.0.2")])


def test_the_key_of_a_table_changes_with_its_release() -> None:
    table = BATTERY["v9_native"]
    assert len({replace(table, hudi=release).key for release in ("", "1.0.2", "1.2.0")}) == 3


# The laboratory's entries, as plain values: nothing is written.

NAMES = (*LAB, *BATTERY, *SHIPS)


@of_each("name", LAB)
def test_no_other_table_is_chosen_by_a_table_s_name(name: str) -> None:
    assert [other for other in NAMES if other != name and (name in other or other in name)] == []


@of_each("name", LAB)
def test_a_table_and_each_of_its_steps_say_what_they_are(name: str) -> None:
    assert LAB[name].description
    assert all(LAB[name].stages)


@of_each("name", LAB)
def test_a_table_is_written_once_for_each_release_by_its_own_name(name: str) -> None:
    assert (LAB[name].hudi, LAB[name].format) == ("", "HUDI")


def test_examples_are_of_tables_there_are() -> None:
    assert EXAMPLES.keys() <= LAB.keys()


def test_every_table_has_a_question() -> None:
    assert LAB.keys() <= EXAMPLES.keys() | {DRAWN_ON, *LAYERED}


@of_each("name", EXAMPLES)
def test_no_table_has_an_example_twice(name: str) -> None:
    assert len(set(map(str, EXAMPLES[name]))) == len(EXAMPLES[name])


def test_the_table_of_types_has_36_files_of_6_rows() -> None:
    [step] = LAB["skip_types"].steps
    assert isinstance(step.action, Write)
    assert [one.rows for one in step.action.files] == [6] * 36


@pytest.mark.parametrize("column", INDEXED)
def test_each_type_has_a_file_of_nulls_and_a_state_of_nulls_alone(column: str) -> None:
    [step] = LAB["skip_types"].steps
    assert isinstance(step.action, Write)
    empty = [one.columns["state"][0] for one in step.action.files if set(one.columns[column]) == {None}]
    assert empty == ["AR", "DE", "DE", "DE"]
