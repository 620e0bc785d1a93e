"""The scripts that write a table by Arrow or a format's own library: what they write is what the battery writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

from lab.stack.cache import Cache
from lab.stack.packages import installed
from lab.stack.versions import paimon_packages
from spark_jobs.battery import delta_rs_table, iceberg_table
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES, TWO, by_delta_rs
from spark_jobs.battery.folder import write
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.paimon_table import FACTS
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import Service, Step
from tests.kept import kept
from tests.of_each import of_each
from tests.spark_jobs.test_library_tables import BY, write_named
from tools.reproduce.finding import KIT_FOLDER
from tools.reproduce.library_scripts import delta_rs_script, iceberg_script, paimon_script, placed
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.paimon.manifests import live_files
from xtable_audit.formats.paimon.snapshots import schema, snapshots
from xtable_audit.model.problem import Problem

SYNCED = """
import json, shutil
from pathlib import Path

TABLES = Path.cwd() / "tables"


class Synced:
    def __init__(self, name, format, spec):
        assert (format, spec) == ("{format}", "")
        self.name, self.states = name, []
        {more}

    def sync(self, in_flight=()):
        self.states.append(self.shown())
        shutil.copytree(self.folder, str(len(self.states)))

    def close(self):
        Path("states.json").write_text(json.dumps([*self.states, self.described()]))
"""
"""In place of the kit's: a sync keeps what is there."""


class Kit:
    """A folder in which a script of the kit ran: the state after each sync, and the last one described."""

    def __init__(self, folder: Path, format: str, module: str, script: str, more: str = "", packages: str = "") -> None:
        self.folder = folder / "kit"
        self.folder.mkdir()
        synced = SYNCED.replace("{format}", format).replace("{more}", more)
        text = (KIT_FOLDER / module).read_text(encoding="utf-8")
        for name, content in {"synced.py": synced, module: text, "write.py": script}.items():
            (self.folder / name).write_text(content, encoding="utf-8")
        path = os.pathsep.join(filter(None, (str(self.folder), packages)))
        done = subprocess.run(
            [sys.executable, "write.py"],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        told = json.loads((self.folder / "states.json").read_text(encoding="utf-8"))
        self.states: list[Any] = told[:-1]
        self.described: Any = told[-1]
        assert all(Path(path).is_file() for path in self.described["files"])

    def beside(self, stages: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
        """The number of each stage, what the battery says of it, and what the script does."""
        for number, (stage, state) in enumerate(zip(stages, self.states, strict=True), start=1):
            yield number, stage, state


# a Delta table by delta-rs


def in_log(folder: Path) -> list[object]:
    """What the log says of each live file, but for its name, size and time, and the columns."""
    log = read_log(TableFolder.at(str(folder)))
    files = [(sorted((add.partition_values or {}).items()), json.loads(add.stats or "{}")) for add in log.adds.values()]
    return [sorted(files, key=lambda one: json.dumps(one, sort_keys=True)), json.loads(log.metadata.schema_string)]


@pytest.mark.parametrize("name", ["delta_rs_update", "delta_rs_overwrite", "delta_rs_add_column", "delta_rs_by_text"])
def test_a_script_by_delta_rs_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    battery = tmp_path / "battery"
    battery.mkdir()
    table = DELTA_RS_TABLES[name]
    facts = delta_rs_table.write(table, battery)
    script = delta_rs_script(table, name)
    kit = Kit(tmp_path, "DELTA", "delta_rs.py", script, "self.folder = TABLES / name")
    for number, stage, state in kit.beside(facts["stages"]):
        assert in_log(kit.folder / str(number)) == in_log(battery / str(number))
        assert state["rows"] == stage["rows"]
    assert kit.described["rows"] == facts["stages"][-1]["rows"]


def test_a_service_of_hudi_is_no_step_of_a_script() -> None:
    table = by_delta_rs("cleaned", "Cleaned.", TWO, Step("clean", Service("clean")))
    with pytest.raises(ValueError, match="clean: delta-rs does not do that"):
        delta_rs_script(table, "")


# a Paimon table by pypaimon


def in_manifests(folder: Path) -> list[object]:
    """What the manifests of the newest snapshot say of each file, but for its name, and the columns' types."""
    table = TableFolder.at(str(folder))
    newest = snapshots(table)[-1]
    files = [
        (one.partition.content, one.bucket, one.level, one.rows, one.schema, one.statistics)
        for one in live_files(table, newest)
    ]
    return [sorted(files, key=repr), schema(table, newest.schema)]


@pytest.mark.parametrize("name", ["paimon_by_special", "paimon_other_column", "paimon_overwrite", "paimon_key"])
def test_a_script_by_pypaimon_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    try:
        packages = installed("pypaimon", paimon_packages(), Cache())
    except Problem as problem:
        pytest.skip(str(problem))
    battery, _ = kept(write_named, *BY, name=name)
    facts = json.loads((battery / FACTS).read_text(encoding="utf-8"))
    kit = Kit(tmp_path, "PAIMON", "lake.py", paimon_script(PAIMON_TABLES[name], name), packages=str(packages))
    for number, stage, state in kit.beside(facts["stages"]):
        assert in_manifests(kit.folder / str(number)) == in_manifests(battery / str(number))
        assert (state["rows"], state.get("snapshot_rows")) == (stage["rows"], stage.get("snapshot_rows"))
    shown = pq.read_table(battery / f"{len(kit.states)}.rows.parquet")
    nulls = {column: shown[column].null_count for column in shown.column_names}
    assert (kit.described["rows"], kit.described["nulls"]) == (shown.num_rows, nulls)


def test_a_compaction_is_no_step_of_a_script() -> None:
    with pytest.raises(ValueError, match="compact"):
        paimon_script(PAIMON_TABLES["paimon_once_compacted"], "")


# an Iceberg table by PyIceberg


def in_metadata_json(metadata: Path) -> object:
    """Schemas, partition specs and what each snapshot did, without what varies."""
    found = json.loads(metadata.read_text(encoding="utf-8"))
    counted = ("operation", "added-records", "deleted-records", "total-records", "changed-partition-count")
    done = [{name: one["summary"].get(name) for name in counted} for one in found["snapshots"]]
    current = [one["snapshot-id"] for one in found["snapshots"]].index(found["current-snapshot-id"])
    specs = [one["fields"] for one in found["partition-specs"]]
    return found["schemas"], specs, done, current, found["properties"], found["format-version"]


@pytest.mark.parametrize(
    "name",
    ["iceberg_rename_column", "iceberg_repartitioned", "iceberg_rolled_back", "iceberg_partition_overwritten"],
)
def test_a_script_by_pyiceberg_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    battery, table = tmp_path / "battery", ICEBERG_TABLES[name]
    battery.mkdir()
    facts = iceberg_table.write(table, battery, "s3://lake/tables/t")
    more = "self.folder = TABLES / name; self.address = self.folder.as_uri()"
    kit = Kit(tmp_path, "ICEBERG", "iceberg_source.py", iceberg_script(table, name), more)
    for number, stage, state in kit.beside(facts["stages"]):
        named = f"{number}/metadata/v{number}.metadata.json"
        assert in_metadata_json(kit.folder / named) == in_metadata_json(battery / named)
        assert (kit.folder / str(number) / "metadata" / "version-hint.text").read_text() == str(number)
        assert state["rows"] == stage["rows"]
    assert kit.described["rows"] == facts["stages"][-1]["rows"]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("iceberg_position_deletes", "delete a row, merge on read"),
        ("iceberg_equality_deletes", "delete rows by their value"),
    ],
)
def test_what_iceberg_does_in_spark_is_no_step_of_a_script(name: str, step: str) -> None:
    with pytest.raises(ValueError, match=f"{step}: PyIceberg does not do that"):
        iceberg_script(ICEBERG_TABLES[name], "")


# A folder of Parquet files: at the same times, too.

Files = Mapping[str, tuple[int, Any]]
"""By the path below the folder: the time of modification in seconds, and the rows."""


def files(folder: Path) -> Files:
    found = sorted(path for path in folder.rglob("*.parquet"))
    return {str(path.relative_to(folder)): (int(path.stat().st_mtime), pq.read_table(path)) for path in found}


class Synced:
    """In place of the kit's: a sync keeps what is there."""

    root = Path()
    states: list[Files]

    def __init__(self, name: str, format: str, spec: str) -> None:
        assert format == "PARQUET"
        self.folder, self.spec = Synced.root / name, spec
        Synced.states = []

    def sync(self) -> None:
        Synced.states.append(files(self.folder))

    def close(self) -> None:
        assert Synced.states


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    synced = ModuleType("synced")
    synced.__dict__["Synced"] = Synced
    monkeypatch.setitem(sys.modules, "synced", synced)
    monkeypatch.syspath_prepend(os.fspath(KIT_FOLDER))
    monkeypatch.delitem(sys.modules, "folder", raising=False)
    monkeypatch.setattr(Synced, "root", tmp_path / "by the script")


@of_each("name", FOLDERS)
def test_a_script_writes_what_the_battery_writes(name: str, kit: None, tmp_path: Path) -> None:
    del kit
    (tmp_path / name).mkdir()
    facts = write(FOLDERS[name], tmp_path / name)
    exec(compile(placed(FOLDERS[name], name), f"{name}.py", "exec"), {})
    wanted = [files(tmp_path / name / str(number)) for number, _ in enumerate(facts["stages"], start=1)]
    assert Synced.states == wanted
