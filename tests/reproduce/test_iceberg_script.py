"""The script that writes an Iceberg table by PyIceberg: what it writes is what the battery writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.iceberg_table import write
from tests.reproduce.test_lake_script import SYNCED
from tools.reproduce.finding import KIT_FOLDER
from tools.reproduce.iceberg_script import by_pyiceberg

ADDRESS = "s3://lake/tables/t"


def described(metadata: Path) -> object:
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
def test_a_script_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    battery, kit = tmp_path / "battery", tmp_path / "kit"
    for folder in (battery, kit):
        folder.mkdir()
    table = ICEBERG_TABLES[name]
    facts = write(table, battery, ADDRESS)
    synced = SYNCED.replace('("PAIMON", "")', '("ICEBERG", "")').replace(
        "self.name, self.states = name, []",
        "self.name, self.states = name, []; self.folder = TABLES / name; self.address = self.folder.as_uri()",
    )
    synced = synced.replace("def sync(self):", "def sync(self, in_flight=()):")
    for file, text in {
        "synced.py": synced,
        "iceberg_source.py": (KIT_FOLDER / "iceberg_source.py").read_text(encoding="utf-8"),
        "write.py": by_pyiceberg(table, name),
    }.items():
        (kit / file).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "write.py"],
        cwd=kit,
        env={**os.environ, "PYTHONPATH": str(kit)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *states, last = json.loads((kit / "states.json").read_text(encoding="utf-8"))
    for number, (stage, state) in enumerate(zip(facts["stages"], states, strict=True), start=1):
        named = f"{number}/metadata/v{number}.metadata.json"
        assert described(kit / named) == described(battery / named)
        assert (kit / str(number) / "metadata" / "version-hint.text").read_text() == str(number)
        assert state["rows"] == stage["rows"]
    assert last["rows"] == facts["stages"][-1]["rows"]
    assert all(Path(path).is_file() for path in last["files"])


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("iceberg_position_deletes", "delete a row, merge on read"),
        ("iceberg_equality_deletes", "delete rows by their value"),
    ],
)
def test_what_iceberg_does_in_spark_is_no_step_of_a_script(name: str, step: str) -> None:
    with pytest.raises(ValueError, match=f"{step}: PyIceberg does not do that"):
        by_pyiceberg(ICEBERG_TABLES[name], "")
