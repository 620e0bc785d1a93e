"""XTable reads Iceberg and Paimon tables and folders of Parquet files where they are mounted, and translates them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from lab.provision.history import put_in_place
from lab.provision.sources.every_source import FORMATS
from lab.stack.jars import is_resolvable, resolve_xtable_jars
from lab.stack.java import find_java
from lab.stack.versions import Release, paimon_packages, releases, stack
from lab.store.address import BUCKET, prefix_of
from lab.store.disk import Disk
from lab.store.tables import MountedLocally
from spark_jobs.battery import session
from spark_jobs.battery.folder import live, write
from spark_jobs.battery.parquet import FOLDERS
from tests.kept import kept
from tests.packages import skip_unless_served
from tests.spark_jobs.test_iceberg_tables import written
from tests.spark_jobs.test_library_tables import BY, write_named
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable.writer import HUDI, KERNEL
from xtable_audit.cli.main import run
from xtable_audit.formats.installed import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.problem import Problem
from xtable_audit.report.document import Document

PREFIX = "tables/t"
NEWEST = releases()[0]
READS_FOLDERS = [one for one in releases() if one.parquet][-1]
READS_PAIMON = [one for one in releases() if one.paimon][-1]
"""The first releases that read such tables."""
PAIMON = ("PAIMON",)

pytestmark = [pytest.mark.jvm, pytest.mark.slow]


def needs(release: Release) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not is_resolvable(release), reason=f"XTable {release} does not resolve here")


# Iceberg tables that are found as Hadoop's: a Delta log beside their metadata.


@needs(NEWEST)
@pytest.mark.parametrize("name", ["iceberg_append", "iceberg_partition_overwritten"])
def test_an_iceberg_table_is_translated_where_it_is_mounted(name: str, tmp_path: Path) -> None:
    stages, prefix = written(name), prefix_of(name)
    disk = Disk(tmp_path / "run", BUCKET)
    with (
        disk.in_translation(prefix, KERNEL.id) as mounted,
        Translator.start(NEWEST, mounted, tmp_path / "logs") as translator,
    ):
        for stage in (stages / "1", stages / "2"):
            put_in_place(mounted, prefix, stage, writer=KERNEL)
            before = mounted.versions(f"{prefix}/metadata")
            synced = translator.sync("ICEBERG_SOURCE", mounted.uri(prefix), name, writer=KERNEL)
            paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
            live = FORMATS["ICEBERG_SOURCE"].live_files(stage)
            assert {*paths} == {mounted.uri(f"{prefix}/{one}") for one in live}
            assert mounted.versions(f"{prefix}/metadata") == before


# Paimon tables in a store, with Paimon's own classes beside XTable's.


@pytest.fixture(scope="module")
def library() -> None:
    skip_unless_served("pypaimon", paimon_packages())


@needs(READS_PAIMON)
@pytest.mark.usefixtures("library")
def test_paimons_classes_are_on_the_class_path_of_runs_that_need_them_alone() -> None:
    usual, more = resolve_xtable_jars(READS_PAIMON), resolve_xtable_jars(READS_PAIMON, sources=PAIMON)
    assert [jar for jar in more if jar not in usual] == [jar for jar in more if jar.name.startswith("paimon-bundle")]
    assert [jar for jar in more if jar in usual] == [*usual]


@needs(READS_PAIMON)
@pytest.mark.usefixtures("library")
def test_a_paimon_table_is_translated_where_it_is_mounted(tmp_path: Path) -> None:
    tables, _ = kept(write_named, *BY, name="paimon_append")
    disk = Disk(tmp_path / "run", "lake")
    with (
        disk.in_translation(PREFIX) as mounted,
        Translator.start(READS_PAIMON, mounted, tmp_path / "logs", sources=PAIMON) as translator,
    ):
        for stage in (tables / "1", tables / "2"):
            put_in_place(mounted, PREFIX, stage)
            synced = translator.sync("PAIMON", mounted.uri(PREFIX), "t")
            paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
            assert {*paths} == {mounted.uri(f"{PREFIX}/{name}") for name in FORMATS["PAIMON"].live_files(stage)}


@needs(READS_PAIMON)
@pytest.mark.usefixtures("library")
def test_a_class_path_without_paimon_is_not_xtables_fault(tmp_path: Path) -> None:
    tables, _ = kept(write_named, *BY, name="paimon_plain")
    disk = Disk(tmp_path / "run", "lake")
    with (
        disk.in_translation(PREFIX) as mounted,
        Translator.start(READS_PAIMON, mounted, tmp_path / "logs") as translator,
    ):
        put_in_place(mounted, PREFIX, tables / "1")
        with pytest.raises(Problem, match=r"its class path, as Maven resolves it, lacks org\.apache\.paimon"):
            translator.sync("PAIMON", mounted.uri(PREFIX), "t")


# Folders of Parquet files, at addresses of the local disk, which a mount has.


@pytest.fixture
def appended(tmp_path: Path) -> Path:
    """A folder of Parquet files, after each of its stages: `1` and `2`."""
    root = tmp_path / "written"
    root.mkdir()
    write(FOLDERS["parquet_append"], root)
    return root


@contextmanager
def translating_locally(folder: Path) -> Iterator[tuple[MountedLocally, Translator]]:
    """A place on the local disk, and what translates there; its logs are whole once it has ended."""
    disk = Disk(folder / "run", "lake")
    mounted = disk.mounted_locally()
    with disk.in_translation(PREFIX), Translator.start(READS_FOLDERS, mounted, folder / "logs") as translator:
        yield mounted, translator


@needs(READS_FOLDERS)
def test_a_folder_is_translated_where_it_is_mounted(appended: Path, tmp_path: Path) -> None:
    with translating_locally(tmp_path) as (mounted, translator):
        for stage in (appended / "1", appended / "2"):
            put_in_place(mounted, PREFIX, stage)
            synced = translator.sync("PARQUET", mounted.uri(PREFIX), "t")
            paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
            assert {*paths} == {mounted.uri(f"{PREFIX}/{name}") for name in live(stage)}


@needs(READS_FOLDERS)
def test_a_folder_in_a_store_is_not_translated(appended: Path, tmp_path: Path) -> None:
    """Why `--source-format parquet` leaves out the store: XTable asks Java for the path of its address."""
    with Disk(tmp_path / "run", "lake").in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, appended / "1")
        with (
            Translator.start(READS_FOLDERS, mounted, tmp_path / "logs") as translator,
            pytest.raises(SyncFailed) as failed,
        ):
            translator.sync("PARQUET", mounted.uri(PREFIX), "t")
    assert "FileSystemNotFoundException" in str(failed.value)


COLUMNS = "i int, s string, m9 decimal(9,2), m18 decimal(18,4), m38 decimal(38,10), at timestamp, day date, p string"
DAY, MOMENT = date(1969, 2, 5), datetime(1969, 2, 5, 1, 2, 3, 999_999, UTC)
OLD = (1, "a", Decimal("-1.25"), Decimal("-99999999999999.9999"), Decimal("-3.5"), MOMENT, DAY, "x")
NEW = (2, "é", Decimal("9.25"), Decimal("2.5"), Decimal("3.5"), MOMENT.replace(year=2023), DAY.replace(year=2023), "y")
NULLS = (None,) * 7 + ("y",)


@pytest.fixture(scope="module")
def by_spark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders that Spark writes as it does by default, each of one file and a `_SUCCESS`; `partitioned` has two."""
    root = tmp_path_factory.mktemp("by_spark")
    as_by_default = {"spark.kryo.registrator": "", "spark.sql.parquet.outputTimestampType": "INT96"}
    with session.opened([], find_java(stack().java), "512m", as_by_default) as spark:
        rows = spark.createDataFrame([OLD, NEW, NULLS], COLUMNS).coalesce(1)
        rows.drop("at").write.parquet(str(root / "values"))
        rows.select("i", "at").write.parquet(str(root / "int96"))
        rows.select("i", "p").write.partitionBy("p").parquet(str(root / "partitioned"))
        required = spark.createDataFrame([(1, "a"), (2, "é")], "i int not null, s string not null")
        required.coalesce(1).write.parquet(str(root / "required"))
    return root


@needs(READS_FOLDERS)
@pytest.mark.parametrize("translator", [READS_FOLDERS.version], indirect=True)
@pytest.mark.parametrize(
    ("name", "wrong"),
    {
        "values": {"record_counts_are_exact"},
        "int96": {"record_counts_are_exact", "bounds_are_present"},
        "partitioned": {"record_counts_are_exact"},
    }.items(),
    ids=["values", "int96", "partitioned"],
)
def test_what_spark_writes_is_translated_as_what_arrow_writes(
    by_spark: Path, name: str, wrong: set[str], translator: Translator, capsys: pytest.CaptureFixture[str]
) -> None:
    """No count (XTF-078), and no bounds where Parquet has none. `check` does not compare columns of paths alone."""
    synced = translator.sync("PARQUET", (by_spark / name).as_uri(), name)
    source = f"parquet:{by_spark / name}"
    run(["check", synced.metadata_location, "--source", source, "--allow-prefix", str(by_spark), "--json"])
    claims = Document.from_json(capsys.readouterr().out).claims
    assert {one.claim for one in claims if one.outcome is Outcome.FINDING} == wrong


@needs(READS_FOLDERS)
def test_what_spark_writes_of_required_columns_becomes_a_hudi_table(by_spark: Path, tmp_path: Path) -> None:
    """What XTF-129 names as its remedy."""
    with translating_locally(tmp_path) as (mounted, translator):
        put_in_place(mounted, PREFIX, by_spark / "required", writer=HUDI)
        synced = translator.sync("PARQUET", mounted.uri(PREFIX), "t", writer=HUDI)
        paths = read_stored(Objects(mounted.filesystem), synced.metadata_location).paths
        assert {*paths} == {mounted.uri(f"{PREFIX}/{name}") for name in live(by_spark / "required")}


@needs(READS_FOLDERS)
def test_what_spark_writes_of_nullable_columns_becomes_none(by_spark: Path, tmp_path: Path) -> None:
    """XTF-129: the schema that XTable writes is a union with null."""
    with translating_locally(tmp_path) as (mounted, translator):
        put_in_place(mounted, PREFIX, by_spark / "values", writer=HUDI)
        with pytest.raises(SyncFailed, match="Failed to generate column stats records"):
            translator.sync("PARQUET", mounted.uri(PREFIX), "t", writer=HUDI)
    log = (tmp_path / "logs" / f"xtable-{READS_FOLDERS.version}" / "xtable.log").read_text()
    assert 'AvroRuntimeException: Not a record: ["null",{"type":"record"' in log
