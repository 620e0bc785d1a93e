"""Makes the folder that reproduces findings. It can be copied out: nothing in it needs this suite."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lab.subjects.hudi_tables import EXAMPLES
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from tools.reproduce.finding import (
    BY_HAND,
    KIT_FOLDER,
    ReproducedBy,
    demanded_way,
    headlines,
    of_upgrades,
    shown_by,
    table_of,
    way_of,
    writer_of,
)
from tools.reproduce.library_scripts import delta_rs_script, iceberg_script, paimon_script, placed
from tools.reproduce.spark_script import skipped, synced
from xtable.bundled import dataset_yaml
from xtable.writer import HUDI, ICEBERG_BY_KERNEL, KERNEL, Writer
from xtable_audit.claims.every_claim import EVERY_CLAIM
from xtable_audit.readers.sql_dialects import SPARK, Dialect
from xtable_audit.register.entry import Entry, Warm
from xtable_audit.report.pages import ordered_range

TABLES = "/tmp/xtable-reproduce"
"""As the kit's `history.py`: a Hudi table must stay where it was written."""
KIT = (
    "README.md",
    "reproduce.sh",
    "synced.py",
    "history.py",
    "folder.py",
    "lake.py",
    "delta_rs.py",
    "iceberg_source.py",
    "Sync.java",
    "sync.sh",
    "check.py",
    "check_delta.py",
    "check_hudi.py",
    "checks.py",
    "columns.py",
    "delta_log.py",
    "files.py",
    "iceberg_table.py",
    "readers.py",
    "spark_hash.py",
    "verdict.py",
    "skipping.py",
    "check_skipping.py",
)
LONGEST = 100
"""Characters of a predicate; longer ones are not asked."""


def make(entries: Sequence[Entry], folder: Path) -> None:
    """Fills the folder, which may hold other findings. Raises Problem for a finding that cannot be reproduced."""
    for entry in entries:
        demanded_way(entry)
    for name, text in everything(entries).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


def archive(entries: Sequence[Entry], file: Path) -> None:
    """Writes the folder as a zip. Raises Problem as `make` does."""
    with TemporaryDirectory() as folder:
        make(entries, Path(folder) / file.stem)
        shutil.make_archive(str(file.with_suffix("")), "zip", folder, file.stem)


def everything(entries: Iterable[Entry]) -> dict[str, str]:
    """Every file of the folder by name: those that all findings share, and a folder for each that can be reproduced."""
    shared = {name: (KIT_FOLDER / name).read_text(encoding="utf-8") for name in KIT}
    return shared | {f"{entry.id}/{name}": text for entry in entries for name, text in texts(entry).items()}


def texts(entry: Entry) -> dict[str, str]:
    """The files of one finding by name; none if it cannot be reproduced."""
    title = f"{entry.id}: {entry.title}"
    match way_of(entry):
        case ReproducedBy.SYNC:
            table = table_of(entry)
            writer = writer_of(entry)
            needs = f"\n\n{UPGRADE}" if of_upgrades(entry) else ""
            needs += f"\n\n{warm_words(entry.warm)}" if entry.warm else ""
            needs += f"\n\n{BY_KERNEL[writer]}" if writer in BY_KERNEL else ""
            needs += f"\n\n{FOLDER_WORDS}" if is_folder(table) else ""
            needs += f"\n\n{PAIMON_WORDS}" if is_paimon(table) else ""
            by_command_line = writer.by_command_line and not is_folder(table)
            return {
                "write.py": _script(table, title + needs),
                **({"config.yaml": configuration(table, writer)} if by_command_line else {}),
                "fault.json": _json(fault(entry, table)),
            }
        case ReproducedBy.SPARK:
            table = table_of(entry)
            return {
                "write.py": skipped(table, title, questions(table.name)),
                "fault.json": _json(fault_of(entry)),
            }
        case ReproducedBy.READER:
            files = (BY_HAND / entry.id).glob("[!_]*.*")
            return {file.name: file.read_text(encoding="utf-8") for file in sorted(files)}
        case None:
            return {}


UPGRADE = (
    "It is about upgrades in place: XTABLE_FROM_CLASSPATH names the release of the first sync (sync.sh);\n"
    "`make reproduce` takes FROM=0.2.0."
)


BY_KERNEL: Mapping[Writer, str] = {
    KERNEL: """\
XTable writes Delta by Delta Kernel where its target has the property xtable.delta.target.use_kernel=true. Its
command line, RunSync, passes no properties to a target, so there is no config.yaml. What does: XTable's API
(TargetTable.additionalProperties, which Sync.java sets), Hudi's sync tool XTableSyncTool
(hoodie.xtable.delta.target.use_kernel=true), and RunCatalogSync, which hands on the parameters of a table that
it finds in a Hive or Glue catalog.""",
    ICEBERG_BY_KERNEL: """\
XTable reads the table by Delta Kernel (DeltaKernelConversionSourceProvider), as its Spark runtime does on Spark 3.5
and newer, or given --usedeltakernel. Its command line, RunSync, does so only where its option convertersConfig names
that class, so there is no config.yaml, and Sync.java makes the syncs.""",
}
"""By the sources of 0.4.0: RunSync.targetTableBuilder, XTableSyncTool, RunCatalogSync, HMSCatalogConversionSource;
XTableSparkSync, XTableSyncService.
"""

FOLDER_WORDS = (
    "XTable reads folders of Parquet files from 0.4.0 on, where the source's format is PARQUET: by its API, and by\n"
    "the command line of its Spark runtime. RunSync has no name for that source, but for one that its option\n"
    "convertersConfig gives it, so there is no config.yaml."
)
"""By the sources of 0.4.0: xtable-conversion-defaults.yaml, RunSync, XTableSyncService."""


ENDS_FULL = ("XTF-110",)
"""Findings of a full sync without a new commit, which no history of a table has."""


def is_folder(table: BatteryTable) -> bool:
    """Whether it is a folder of Parquet files, without a log."""
    return table.name in FOLDERS


PAIMON_WORDS = (
    "XTable reads Paimon tables from 0.4.0 on, and leaves Paimon's classes to its users: SOURCE_JARS names\n"
    "org.apache.paimon:paimon-bundle of the version in XTable's own pom, 1.3.1 in 0.4.0."
)
"""By the sources of 0.4.0: pom.xml, where the bundle is `provided`."""


def is_paimon(table: BatteryTable) -> bool:
    return table.name in PAIMON_TABLES


def is_iceberg(table: BatteryTable) -> bool:
    """Whether it is an Iceberg table, as a source."""
    return table.name in ICEBERG_TABLES


def _script(table: BatteryTable, title: str) -> str:
    if is_folder(table):
        return placed(table, title)
    if table.by_delta_rs:
        return delta_rs_script(table, title)
    if is_iceberg(table):
        return iceberg_script(table, title)
    return paimon_script(table, title) if is_paimon(table) else synced(table, title)


def configuration(table: BatteryTable, writer: Writer) -> str:
    """What XTable's command line takes."""
    place = f"file://{TABLES}/{'paimon.db/' if is_paimon(table) else ''}{table.name}"
    text = dataset_yaml(table.format, place, table.name, table.partition_spec, writer.target)
    if is_iceberg(table) and writer is HUDI:  # as XTable's README asks for; what becomes of it is XTF-124
        made = json.loads(text)
        made["datasets"][0]["tableDataPath"] = f"{place}/data"
        text = json.dumps(made, indent=1)
    return f"{text}\n"


class _AsWritten(Dialect):
    """Spark's SQL with LIKE for a prefix, as users write it."""

    def begins(self, column: str, prefix: str) -> str:
        return f"{self.column(column)} LIKE {self.literal(prefix + '%')}"


SQL = _AsWritten(SPARK.column, SPARK.literal, SPARK.starts_with)


def questions(table: str) -> tuple[str, ...]:
    """The predicates that the suite asks of the table, as Spark's SQL."""
    asked = (SQL.render(predicate) for predicate in EXAMPLES.get(table, ()))
    return tuple(one for one in asked if len(one) <= LONGEST)


def fault(entry: Entry, table: BatteryTable) -> dict[str, object]:
    """What `check.py` looks for: the finding's claims on the table, and the one that its page leads with. Of another
    target than Iceberg, also what writes it, by which `synced.py` has XTable sync.
    """
    known: dict[str, object] = {"partitioned": bool(table.partition_by), "of_upgrades": of_upgrades(entry)}
    if entry.warm:
        known["warm"] = warm_words(entry.warm)
    if is_folder(table):
        known["source"] = table.format
    writer = writer_of(entry)
    if writer.reads_by_kernel:
        known["by_kernel"] = True
    if not writer.to_iceberg:
        known["target"] = writer.target.upper()
        known["target_by"] = writer.words.partition(" by ")[2]
        known["target_properties"] = dict(writer.properties)
    if entry.id in ENDS_FULL:
        known["ends_full"] = True
    return fault_of(entry) | known


def warm_words(warm: Warm) -> str:
    return f"Needs --warm at XTable {ordered_range(str(warm.releases))}: {warm.why}"


def fault_of(entry: Entry) -> dict[str, object]:
    """As `fault`, also for `check_skipping.py`. `headline` is by release, the oldest first."""
    columns: dict[str, set[str]] = {}
    for where in (where for of in shown_by(entry).values() for where in of):
        for claim in where.claims:
            columns.setdefault(claim, set()).update(where.columns or ["*"])
    return {
        "id": entry.id,
        "title": entry.title,
        "headline": {
            release: {"claim": one.claim, "verdict": str(one.verdict)} for release, one in headlines(entry).items()
        },
        "claims": [
            {"claim": claim, "breaks": str(EVERY_CLAIM[claim].breaks), "columns": sorted(columns[claim])}
            for claim in sorted(columns)
        ],
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
