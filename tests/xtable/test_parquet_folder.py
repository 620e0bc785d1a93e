"""XTable reads a folder of Parquet files, and writes logs in it, at addresses of the local disk, which a mount has."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from lab.provision.history import put_in_place
from lab.stack.jars import is_resolvable
from lab.stack.java import find_java
from lab.stack.versions import releases, stack
from lab.store.disk import Disk
from spark_jobs.battery import session
from spark_jobs.battery.folder import live, write
from spark_jobs.battery.parquet import FOLDERS
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable_audit.cli.main import run
from xtable_audit.formats.registered import read_stored
from xtable_audit.model.objects import Objects
from xtable_audit.model.outcome import Outcome
from xtable_audit.report.document import Document

PREFIX = "tables/t"
FIRST = [one for one in releases() if one.parquet][-1]
"""The first release that reads such folders."""

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.slow,
    pytest.mark.skipif(not is_resolvable(FIRST), reason=f"XTable {FIRST} does not resolve here"),
]


def test_a_folder_is_translated_where_it_is_mounted(tmp_path: Path) -> None:
    (tmp_path / "written").mkdir()
    write(FOLDERS["parquet_append"], tmp_path / "written")
    disk = Disk(tmp_path / "run", "lake")
    locally = disk.mounted_locally()
    with disk.in_translation(PREFIX), Translator.start(FIRST, locally, tmp_path / "logs") as translator:
        for stage in (tmp_path / "written" / "1", tmp_path / "written" / "2"):
            put_in_place(locally, PREFIX, stage)
            synced = translator.sync("PARQUET", locally.uri(PREFIX), "t")
            paths = read_stored(Objects(locally.filesystem), synced.metadata_location).paths
            assert {*paths} == {locally.uri(f"{PREFIX}/{name}") for name in live(stage)}


def test_a_folder_in_a_store_is_not_translated(tmp_path: Path) -> None:
    """Why `--source-format parquet` leaves out the store: XTable asks Java for the path of its address."""
    (tmp_path / "written").mkdir()
    write(FOLDERS["parquet_append"], tmp_path / "written")
    with Disk(tmp_path / "run", "lake").in_translation(PREFIX) as mounted:
        put_in_place(mounted, PREFIX, tmp_path / "written" / "1")
        with Translator.start(FIRST, mounted, tmp_path / "logs") as translator, pytest.raises(SyncFailed) as failed:
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
    return root


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
    by_spark: Path, name: str, wrong: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No count (XTF-078), and no bounds where Parquet has none. `check` does not compare columns of paths alone."""
    with Translator.start(FIRST, None, tmp_path / "logs") as translator:
        synced = translator.sync("PARQUET", (by_spark / name).as_uri(), name)
    source = f"parquet:{by_spark / name}"
    run(["check", synced.metadata_location, "--source", source, "--allow-prefix", str(by_spark), "--json"])
    claims = Document.from_json(capsys.readouterr().out).claims
    assert {one.claim for one in claims if one.outcome is Outcome.FINDING} == wrong
