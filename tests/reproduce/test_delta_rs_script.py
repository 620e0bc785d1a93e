"""The script that writes a Delta table by delta-rs: what it writes is what the battery writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_jobs.battery.delta_rs import DELTA_RS_TABLES, TWO, by_delta_rs
from spark_jobs.battery.delta_rs_table import write
from spark_jobs.battery.table import Service, Step
from tests.reproduce.test_lake_script import SYNCED
from tools.reproduce.delta_rs_script import by_delta_rs as script_of
from tools.reproduce.finding import KIT_FOLDER
from xtable_audit.formats.delta.log import read_log
from xtable_audit.formats.folder import TableFolder


def written(folder: Path) -> list[object]:
    """What the log says of each live file, but for its name, size and time, and the columns."""
    log = read_log(TableFolder.at(str(folder)))
    files = [(sorted((add.partition_values or {}).items()), json.loads(add.stats or "{}")) for add in log.adds.values()]
    return [sorted(files, key=lambda one: json.dumps(one, sort_keys=True)), json.loads(log.metadata.schema_string)]


@pytest.mark.parametrize("name", ["delta_rs_update", "delta_rs_overwrite", "delta_rs_add_column", "delta_rs_by_text"])
def test_a_script_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    battery, kit = tmp_path / "battery", tmp_path / "kit"
    for folder in (battery, kit):
        folder.mkdir()
    facts = write(DELTA_RS_TABLES[name], battery)
    synced = SYNCED.replace('("PAIMON", "")', '("DELTA", "")').replace(
        "self.name, self.states = name, []", "self.name, self.states, self.folder = name, [], TABLES / name"
    )
    for file, text in {
        "synced.py": synced,
        "delta_rs.py": (KIT_FOLDER / "delta_rs.py").read_text(encoding="utf-8"),
        "write.py": script_of(DELTA_RS_TABLES[name], name),
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
    *states, described = json.loads((kit / "states.json").read_text(encoding="utf-8"))
    for number, (stage, state) in enumerate(zip(facts["stages"], states, strict=True), start=1):
        assert written(kit / str(number)) == written(battery / str(number))
        assert state["rows"] == stage["rows"]
    assert described["rows"] == facts["stages"][-1]["rows"]
    assert all(Path(path).is_file() for path in described["files"])


def test_a_service_of_hudi_is_no_step_of_a_script() -> None:
    table = by_delta_rs("cleaned", "Cleaned.", TWO, Step("clean", Service("clean")))
    with pytest.raises(ValueError, match="clean: delta-rs does not do that"):
        script_of(table, "")
