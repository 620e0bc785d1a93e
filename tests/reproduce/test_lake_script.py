"""The script that writes a Paimon table: what it writes is what the battery writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lab.stack.cache import Cache
from lab.stack.packages import installed
from lab.stack.versions import paimon_packages
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.paimon_table import FACTS
from tests.kept import kept
from tests.spark_jobs.test_paimon_tables import write_named
from tools.reproduce.finding import KIT_FOLDER
from tools.reproduce.lake_script import laid
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
        assert (format, spec) == ("PAIMON", "")
        self.name, self.states = name, []

    def sync(self):
        self.states.append(self.shown())
        shutil.copytree(self.folder, str(len(self.states)))

    def close(self):
        Path("states.json").write_text(json.dumps([*self.states, self.described()]))
"""
"""In place of the kit's: a sync keeps what is there."""


def written(folder: Path) -> list[object]:
    """What the manifests of the newest snapshot say of each file, but for its name, and the columns' types."""
    table = TableFolder.at(str(folder))
    newest = snapshots(table)[-1]
    files = [
        (one.partition.content, one.bucket, one.level, one.rows, one.schema, one.statistics)
        for one in live_files(table, newest)
    ]
    return [sorted(files, key=repr), schema(table, newest.schema)]


@pytest.mark.parametrize("name", ["paimon_by_special", "paimon_other_column", "paimon_overwrite", "paimon_key"])
def test_a_script_writes_what_the_battery_writes(name: str, tmp_path: Path) -> None:
    try:
        packages = installed("pypaimon", paimon_packages(), Cache())
    except Problem as problem:
        pytest.skip(str(problem))
    battery, _ = kept(write_named, "spark_jobs.battery.paimon_table", name=name)
    facts = json.loads((battery / FACTS).read_text(encoding="utf-8"))
    kit = tmp_path / "kit"
    kit.mkdir()
    for file, text in {
        "synced.py": SYNCED,
        "lake.py": (KIT_FOLDER / "lake.py").read_text(encoding="utf-8"),
        "write.py": laid(PAIMON_TABLES[name], name),
    }.items():
        (kit / file).write_text(text, encoding="utf-8")
    path = os.pathsep.join((str(kit), str(packages)))
    done = subprocess.run(
        [sys.executable, "write.py"], cwd=kit, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    *synced, described = json.loads((kit / "states.json").read_text(encoding="utf-8"))
    for number, (stage, state) in enumerate(zip(facts["stages"], synced, strict=True), start=1):
        assert written(kit / str(number)) == written(battery / str(number))
        assert (state["rows"], state.get("snapshot_rows")) == (stage["rows"], stage.get("snapshot_rows"))
    shown = pq.read_table(battery / f"{len(synced)}.rows.parquet")
    nulls = {column: shown[column].null_count for column in shown.column_names}
    assert (described["rows"], described["nulls"]) == (shown.num_rows, nulls)
    assert all(Path(path).is_file() for path in described["files"])


def test_a_compaction_is_no_step_of_a_script() -> None:
    with pytest.raises(ValueError, match="compact"):
        laid(PAIMON_TABLES["paimon_once_compacted"], "")
