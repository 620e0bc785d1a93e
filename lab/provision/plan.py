"""The plan of a run: pytest's options as one frozen object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from lab.engines.readers import EMBEDDED
from spark_jobs.battery.delta_rs import DELTA_RS_TABLES
from spark_jobs.battery.iceberg_source import ICEBERG_TABLES
from spark_jobs.battery.paimon import PAIMON_TABLES
from spark_jobs.battery.parquet import FOLDERS
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from xtable.replay import BATTERY_RECORDINGS, recordings_of
from xtable.settings import UTC
from xtable_audit.model.finding import Verdict
from xtable_audit.model.subject_id import ICEBERG

DEFAULT_SCALE = 0.01
EVERY = "all"
"""As a plan's target: each that XTable writes."""
AFTER_SPARK = "kernel-after-spark"
"""The value of --delta-source-by for the upgrade in place from XTable's reader of Delta by Spark to that by Kernel."""
WITHOUT_LOG = "parquet"
"""As a plan's source format: folders of Parquet files alone."""
PAIMON = "paimon"
"""As a plan's source format: Paimon tables alone."""
DELTA_RS = "delta_rs"
"""As a plan's source format: Delta tables that delta-rs writes alone."""
ON_REQUEST: Mapping[str, Mapping[str, BatteryTable]] = {
    WITHOUT_LOG: FOLDERS,
    PAIMON: PAIMON_TABLES,
    DELTA_RS: DELTA_RS_TABLES,
    ICEBERG: ICEBERG_TABLES,
}
"""The tables that no run has unless it asks for their source format, by that and by name."""
REQUESTED: Mapping[str, BatteryTable] = {name: one for tables in ON_REQUEST.values() for name, one in tables.items()}
SMALL_TABLES: Mapping[str, BatteryTable] = {**BATTERY, **REQUESTED}
"""All tables of a few rows, by name."""
THROUGH_STORE = ("good_layout", "bad_layout", "history_upsert", "delta_plain")
"""The published tables, one history and one Delta table: XTable reaches them through S3A in every live run."""
OVER_MOUNT = (*(name for name, table in BATTERY.items() if table.in_synced_second), *FOLDERS)
"""Tables whose files have times that no store gives them: XTable reaches them on this disk in every live run."""
NOT_IN_FLAGS = (
    "translations",
    "out",
    "readers",
    "findings",
    "each_finding_once",
    "registered_only",
    "fail_on",
    "ask_again",
)
"""Options that do not change what is audited."""


@dataclass(frozen=True)
class Plan:
    """The options that decide what is built, translated and read. Plain values, so that xdist can send it."""

    xtable: str = "auto"
    """`auto`, a release, or `recorded` for the newest recording."""
    xtable_jar: Path | None = None
    fresh_jvm: bool = False
    """Runs the jar as in a shell: a new JVM for every sync, nothing preloaded, no flags."""
    upgrade_from: str | None = None
    """The release that runs each table's first syncs; the release under audit runs the later ones."""
    incremental_only: bool = False
    """No full sync at the end of a table's history. Always so for a jar: its CLI has no full sync."""
    target: str = ICEBERG
    """The format that XTable writes, or EVERY."""
    delta_target_by: str = "auto"
    """What of XTable writes Delta: `standalone`, `kernel` or `all`; `auto` is Kernel where the release has it.
    `kernel-after-standalone` is an upgrade in place whose first syncs are by Standalone, the later ones by Kernel."""
    delta_source_by: str = "auto"
    """What of XTable reads Delta tables: `auto`, Spark, as RunSync has it. The others audit Delta tables
    alone: `spark`, `kernel`, and `kernel-after-spark`, an upgrade in place whose first syncs read by Spark."""
    source_format: str = "auto"
    """`auto`, all formats that are audited in every run, or one of ON_REQUEST."""
    standalone_tables: str = "selected"
    """The tables that Delta Standalone translates: `selected` (see `BY_STANDALONE`) or `all`."""
    zone: str = UTC
    """The time zone of XTable's JVM, and of no other process."""
    s3: str = "moto"
    sync_through: str = "auto"
    """Where XTable reaches the tables: `mount`, on this disk under their addresses, but for THROUGH_STORE; `store`, by
    S3A, all but OVER_MOUNT; `auto` mounts them where the store is moto."""
    bucket: str = "xtable-audit"
    sources: str = "recorded"
    """`recorded` restores each source table that is recorded as Spark would write it; `written` has Spark write all."""
    translations: str = "live"
    """`recorded` takes the recorded translations by the release under audit over the very sources of the run, by the
    very classes; XTable syncs the rest. A gate's FROM alone: what it answers about is always live."""
    scale: float = DEFAULT_SCALE
    seed: int = 7
    hudi: str = "auto"
    """`live` runs Hudi's reader; `auto` replays its recorded answers unless the table, release or questions differ."""
    shipping: int = 983
    """Base files of Hudi's published table, shipping_address; the published one has 393,360."""
    tlc: Path | None = None
    year: int = 2023
    recorded: bool = False
    """Everything from recordings: no JVM, no Spark."""
    readers: tuple[str, ...] = EMBEDDED
    trino: str = "auto"
    """How to run Trino: `auto`, `container`, `process` or a URL."""
    trino_catalog: str = "jdbc"
    """Trino's Iceberg catalog: `jdbc` on a PostgreSQL, or `file` without a database."""
    nessie: str = "auto"
    """How to run Nessie: `auto`, `container`, `process` or a URL."""
    firebolt: str = "auto"
    """How to run Firebolt: `auto`, `container`, `cloud` or the URL of a running Core."""
    ask_again: bool = False
    """Takes nothing that an earlier run kept of the same files: asks planners and readers, reads and measures anew."""
    each_finding_once: bool = False
    """Runs only one claim for every known finding."""
    registered_only: bool = False
    """Runs only the tests that fail by the register."""
    fail_on: Verdict | None = None
    """The run exits 1 on any finding, known or not, of this verdict or a worse one."""
    findings: Path = Path("findings.toml")
    """The register of known findings; a relative path is relative to the project."""
    out: Path = Path("out")

    @property
    def reads_by_kernel(self) -> bool:
        """Whether XTable reads Delta tables by Delta Kernel, at the end."""
        return self.delta_source_by in ("kernel", AFTER_SPARK)

    @property
    def archives(self) -> Path:
        """Where the archives of its small tables are: the sources, and what each release made of them."""
        return recordings_of(self.source_format) if self.source_format in ON_REQUEST else BATTERY_RECORDINGS

    @property
    def reads_folders(self) -> bool:
        """Whether XTable reads folders of Parquet files, and nothing else."""
        return self.source_format == WITHOUT_LOG

    @property
    def reads_paimon(self) -> bool:
        """Whether XTable reads Paimon tables, and nothing else."""
        return self.source_format == PAIMON

    @property
    def all_through_store(self) -> bool:
        """Whether XTable reaches every table in the store. Always so for a JVM a sync, which is as a shell runs it."""
        return self.sync_through == "store" or self.fresh_jvm or (self.sync_through == "auto" and self.s3 != "moto")

    def goes_through_store(self, dataset: str) -> bool:
        """Whether XTable reaches this table in the store."""
        return dataset not in OVER_MOUNT and (self.all_through_store or dataset in THROUGH_STORE)

    def how(self, engine: str) -> str:
        """The option that says how to run this engine; `auto` for an engine without an option."""
        return str(getattr(self, engine, "auto"))

    def flags(self, release: str = "") -> str:
        """The options that differ from the defaults, as a user types them. `release` is what `auto` resolved to.

        Written with `=`: before conftest.py registers an option, pytest takes a path after a blank as an argument and
        looks for its configuration there.
        """
        plan = replace(self, xtable=release) if release and self.xtable == "auto" and not self.xtable_jar else self
        different = [f for f in fields(Plan) if getattr(plan, f.name) != f.default and f.name not in NOT_IN_FLAGS]
        return " ".join(flag(f.name, getattr(plan, f.name)) for f in different)


def flag(name: str, value: object) -> str:
    """The option that gives a plan's field this value."""
    option = f"--{name.replace('_', '-')}"
    return option if value is True else f"{option}={value}"
