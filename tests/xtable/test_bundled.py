"""Jar mode up to the JVM: a stand-in for `RunSync.main` does what it would do, and ends as if nothing were wrong."""

from __future__ import annotations

import json
import threading
import zipfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from py4j.protocol import Py4JNetworkError

from lab.store.address import Workspace
from lab.store.tables import InStore
from xtable.bundled import Bundle, check_bundle, demand_provider, failure_in, hadoop_xml
from xtable.settings import hadoop_settings
from xtable.sources import XTABLE_SOURCES
from xtable.sync_report import SyncFailed, SyncTimedOut
from xtable.writer import ICEBERG_BY_KERNEL
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync

LINE = "2026-11-21 12:00:00.000 {} org.apache.xtable.utilities.RunSync - {}\n"
FAILURE = (
    LINE.format("ERROR", "Error running sync for /table")
    + "org.apache.xtable.exception.ReadException: Failed to read\n"
    + "\tat org.apache.xtable.Somewhere.read(Somewhere.java:1)\n"
    + "Caused by: java.io.FileNotFoundException: no such file\n"
    + "\t... 12 more\n"
)


def succeeds(location: Path, log: Path) -> None:
    (location / "metadata").mkdir(parents=True, exist_ok=True)
    version = len(list((location / "metadata").iterdir())) + 1
    found = {"current-snapshot-id": version, "properties": {"XTABLE_METADATA": "{}"}}
    (location / "metadata" / f"v{version}.metadata.json").write_text(json.dumps(found))
    logs(LINE.format("INFO", "Sync is successful for the following formats ICEBERG"))(location, log)


def logs(text: str) -> Callable[[Path, Path], None]:
    def write_log(location: Path, log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            file.write(text)

    return write_log


def keeps_silent(location: Path, log: Path) -> None:
    """Neither words nor metadata."""


class Stub(Bundle):
    """In its JVM, `RunSync.main` does what the test says; its arguments and files are kept."""

    does: Callable[[Path, Path], None] = staticmethod(keeps_silent)

    def _running(self) -> Any:
        runs = SimpleNamespace(main=self._main)
        java: Any = SimpleNamespace(
            org=SimpleNamespace(apache=SimpleNamespace(xtable=SimpleNamespace(utilities=SimpleNamespace(RunSync=runs))))
        )
        return SimpleNamespace(java=java, array=lambda _, items: list(items), alive=True, kill=self._killed.set)

    def _main(self, arguments: list[str]) -> None:
        given = dict(zip(arguments[::2], arguments[1::2], strict=True))
        self.dataset = json.loads(Path(given["--datasetConfig"]).read_text())
        self.hadoop = Path(given["--hadoopConfig"]).read_text()
        converters = given.get("--convertersConfig")
        self.converters = json.loads(Path(converters).read_text()) if converters else None
        self.does(Path(self.dataset["datasets"][0]["tableBasePath"]), self._log)

    def waits_to_be_killed(self, location: Path, log: Path) -> None:
        self._killed.wait(30)
        raise Py4JNetworkError("the JVM is gone")

    @cached_property
    def _killed(self) -> threading.Event:
        return threading.Event()


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "xtable-utilities_2.12-0.4.0-incubating-bundled.jar"
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("org/apache/xtable/utilities/RunSync.class", b"")
        content.writestr(
            "META-INF/maven/org.apache.xtable/xtable-core_2.12/pom.properties", "version=0.4.0-incubating\n"
        )
    return path


@pytest.fixture
def bundle(jar: Path, tmp_path: Path) -> Stub:
    return Stub(jar, None, tmp_path / "logs", java_home=tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


def sync(bundle: Stub, table: Path, does: Callable[[Path, Path], None], **further: Any) -> Sync:
    bundle.does = does
    return bundle.sync("HUDI", str(table), "trips", **further)


def test_metadata_in_the_table_is_success(bundle: Stub, table: Path) -> None:
    synced = sync(bundle, table, succeeds)
    assert synced.metadata_location == f"{table}/metadata/v1.metadata.json"
    assert synced.release == "0.4.0-incubating"


def test_the_dataset_file_says_what_to_translate(bundle: Stub, table: Path) -> None:
    sync(bundle, table, succeeds, partition_spec="month:VALUE")
    assert bundle.dataset == {
        "sourceFormat": "HUDI",
        "targetFormats": ["ICEBERG"],
        "datasets": [{"tableBasePath": str(table), "tableName": "trips", "partitionSpec": "month:VALUE"}],
    }


def test_its_log_is_not_that_of_the_release_of_its_number(bundle: Stub, table: Path, tmp_path: Path) -> None:
    """An upgrade in place may go from a release to a build of the same number."""
    sync(bundle, table, succeeds)
    assert not (tmp_path / "logs" / "xtable-0.4.0-incubating").exists()


def test_the_hadoop_file_holds_the_stores_settings() -> None:
    store = Workspace(endpoint="http://127.0.0.1:1", access_key="me", secret_key="a<b&c")
    found = ElementTree.fromstring(hadoop_xml(hadoop_settings(InStore(store))))
    settings = {entry.findtext("name"): entry.findtext("value") for entry in found}
    assert settings["fs.s3a.secret.key"] == "a<b&c"


def test_the_files_are_those_of_the_jars_table(bundle: Stub, table: Path) -> None:
    sync(bundle, table, succeeds)
    assert "fs.s3a.attempts.maximum" in bundle.hadoop


def test_a_failure_is_believed_though_the_command_ends_as_if_nothing_were_wrong(bundle: Stub, table: Path) -> None:
    with pytest.raises(
        SyncFailed, match=r"ReadException: Failed to read; Caused by: java\.io\.FileNotFoundException"
    ) as failed:
        sync(bundle, table, logs(FAILURE))
    assert not failed.value.silent


def test_a_failure_of_an_earlier_sync_is_not_believed(bundle: Stub, table: Path) -> None:
    with pytest.raises(SyncFailed):
        sync(bundle, table, logs(FAILURE))
    assert sync(bundle, table, succeeds).failure is None


def test_silence_without_metadata_is_a_failure(bundle: Stub, table: Path) -> None:
    with pytest.raises(SyncFailed, match="it reported nothing, but no Iceberg metadata was written") as failed:
        sync(bundle, table, keeps_silent)
    assert failed.value.silent


def test_silence_over_unchanged_metadata_is_nothing_to_do(bundle: Stub, table: Path) -> None:
    synced = sync(bundle, table, succeeds)
    assert sync(bundle, table, keeps_silent).metadata_location == synced.metadata_location


def test_a_jar_that_takes_too_long_is_ended(bundle: Stub, table: Path) -> None:
    with pytest.raises(SyncTimedOut, match=r"it took longer than 0\.1 s and its JVM was killed"):
        sync(bundle, table, bundle.waits_to_be_killed, timeout=0.1)


def test_a_sync_in_full_is_refused(bundle: Stub, table: Path) -> None:
    with pytest.raises(ValueError, match="has no FULL sync"):
        sync(bundle, table, succeeds, mode="FULL")


def test_a_target_that_fails_is_quoted_with_its_cause() -> None:
    failed = (
        LINE.format("ERROR", "Failed to sync snapshot") + "java.lang.ClassCastException: no bytes\n\tat A.b(A.java:1)\n"
    )
    failed += LINE.format("ERROR", "Sync failed for the following formats ICEBERG")
    assert failure_in(failed) == "Failed to sync snapshot; java.lang.ClassCastException: no bytes"


def test_a_source_that_the_command_line_has_no_name_for_is_named_by_its_class(bundle: Stub, table: Path) -> None:
    bundle.does = succeeds
    bundle.sync("PARQUET", str(table), "trips")
    provider = "org.apache.xtable.parquet.ParquetConversionSourceProvider"
    assert bundle.converters == {"tableFormatConverters": {"PARQUET": {"conversionSourceProviderClass": provider}}}


def test_another_reader_of_a_source_is_named_by_its_class(bundle: Stub, table: Path) -> None:
    bundle.does = succeeds
    bundle.sync("DELTA", str(table), "trips", writer=ICEBERG_BY_KERNEL)
    provider = "org.apache.xtable.kernel.DeltaKernelConversionSourceProvider"
    assert bundle.converters == {"tableFormatConverters": {"DELTA": {"conversionSourceProviderClass": provider}}}


def test_a_source_that_the_command_line_knows_is_not_named(bundle: Stub, table: Path) -> None:
    sync(bundle, table, succeeds)
    assert bundle.converters is None


def test_partition_columns_that_the_command_line_does_not_pass_on_are_refused(bundle: Stub, table: Path) -> None:
    with pytest.raises(ValueError, match="passes no partition columns to its reader of PARQUET"):
        bundle.sync("PARQUET", str(table), "trips", "month:VALUE")


def test_a_jar_without_a_reader_of_the_source_is_one_sentence(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "old.jar", "w") as content:
        content.writestr("org/apache/xtable/hudi/HudiConversionSourceProvider.class", b"")
    demand_provider(tmp_path / "old.jar", XTABLE_SOURCES["HUDI"])
    with pytest.raises(
        Problem, match=r"old\.jar holds no parquet\.ParquetConversionSourceProvider, so it does not read"
    ):
        demand_provider(tmp_path / "old.jar", XTABLE_SOURCES["PARQUET"])


def test_a_log_without_failure_has_no_words_of_failure() -> None:
    assert failure_in("2026-11-21 INFO Sync is successful for the following formats ICEBERG") is None


def test_a_jar_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="there is no file"):
        check_bundle(tmp_path / "none.jar")


def test_a_file_that_is_no_jar_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text.jar").write_text("not a jar")
    with pytest.raises(Problem, match="is not a jar"):
        check_bundle(tmp_path / "text.jar")


def test_a_jar_without_runsync_is_one_sentence(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "core.jar", "w") as content:
        content.writestr("META-INF/MANIFEST.MF", "")
    with pytest.raises(Problem, match=r"holds no org\.apache\.xtable\.utilities\.RunSync"):
        check_bundle(tmp_path / "core.jar")
