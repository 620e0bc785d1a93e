"""Makes the folder that reproduces findings. It can be copied out: nothing in it needs this suite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from reproduce.script import script
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from xtable.bundled import dataset_yaml
from xtable_audit.model.problem import Problem
from xtable_audit.model.subject_id import SubjectId
from xtable_audit.register.entry import Entry

TABLES = "/tmp/xtable-reproduce"
"""The folder of the tables: a Hudi table must stay where it was written."""
KIT_FOLDER = Path(__file__).with_name("kit")
KIT = ("Sync.java", "sync.sh", "check.py", "reproduce.sh")


def table_of(entry: Entry) -> BatteryTable:
    """The table that shows the finding best. Raises Problem for a finding that no sync of a small table shows."""
    if not can_be_reproduced(entry):
        of = entry.components[0]
        raise Problem(f"{entry.id} is a finding of {of}, which a sync does not show: its page says how to see it.")
    return BATTERY[_dataset(entry)]


def _dataset(entry: Entry) -> str:
    return SubjectId.parse(entry.reproduce or min(entry.subjects)).dataset


def can_be_reproduced(entry: Entry) -> bool:
    """Whether a sync of a small table shows the finding, to a reader that needs no engine."""
    return "xtable" in entry.components and _dataset(entry) in BATTERY


def make(entry: Entry, folder: Path) -> None:
    """Fills the folder, which may hold other findings. Raises Problem as `table_of`."""
    table_of(entry)
    for name, text in everything([entry]).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


def everything(entries: Iterable[Entry]) -> dict[str, str]:
    """Every file of the folder by name: those that all findings share, and a folder for each that can be reproduced."""
    shared = {name: (KIT_FOLDER / name).read_text(encoding="utf-8") for name in KIT}
    own = [entry for entry in entries if can_be_reproduced(entry)]
    return shared | {f"{entry.id}/{name}": text for entry in own for name, text in texts(entry).items()}


def texts(entry: Entry) -> dict[str, str]:
    """The files of one finding by name. Raises Problem as `table_of`."""
    table = table_of(entry)
    config = dataset_yaml(table.format, f"file://{TABLES}/{table.name}", table.name, table.partition_spec)
    return {
        "write.py": script(table, f"{entry.id}: {entry.title}", f"{TABLES}/{table.name}"),
        "config.yaml": config + "\n",
        "fault.json": json.dumps(fault(entry, table), indent=1) + "\n",
    }


def fault(entry: Entry, table: BatteryTable) -> dict[str, object]:
    """What `check.py` looks for: the claims that fail on the table, and their columns where all name some."""
    subject = str(SubjectId(table.name, "xtable"))
    here = [where for where in entry.where if subject in where.subjects]
    columns = sorted({column for where in here for column in where.columns}) if all(w.columns for w in here) else []
    return {
        "id": entry.id,
        "title": entry.title,
        "claims": sorted({claim for where in here for claim in where.claims}),
        "columns": columns,
        "partitioned": bool(table.partition_by),
        "of_upgrades": all(where.upgrade_from is not None for where in entry.where),
    }
