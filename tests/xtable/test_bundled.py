"""Jar mode up to the wire: a stand-in for `java` does what RunSync would do, and ends with exit code 0 as it would."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from stack.problem import Problem
from store.s3 import Store
from xtable.bundled import check_bundle, failure_in, hadoop_xml, sync_with_jar
from xtable.report import Outcome, SyncFailed, SyncTimedOut
from xtable.settings import hadoop_settings

# Keeps its arguments and files in the folder above itself, then runs what the test left there as `does.py`.
JAVA = """#!{python}
import json, shutil, sys
from pathlib import Path
home = Path(__file__).parents[1]
arguments = dict(zip(sys.argv[-4::2], sys.argv[-3::2]))
(home / "arguments.json").write_text(json.dumps(sys.argv[1:]))
shutil.copy(arguments["--datasetConfig"], home / "dataset.yaml")
shutil.copy(arguments["--hadoopConfig"], home / "hadoop.xml")
location = Path(json.loads((home / "dataset.yaml").read_text())["datasets"][0]["tableBasePath"])
exec((home / "does.py").read_text())
"""
SUCCEEDS = """
(location / "metadata").mkdir(parents=True, exist_ok=True)
version = len(list((location / "metadata").iterdir())) + 1
found = {"current-snapshot-id": version, "properties": {"XTABLE_METADATA": "{}"}}
(location / "metadata" / f"v{version}.metadata.json").write_text(json.dumps(found))
print("2026-11-21 12:00:00 INFO  Sync is successful for the following formats ICEBERG")
"""
FAILS = """
print("2026-11-21 12:00:00 ERROR RunSync:180 - Error running sync for " + str(location))
print("org.apache.xtable.exception.ReadException: Failed to read")
print("\\tat org.apache.xtable.Somewhere.read(Somewhere.java:1)")
print("Caused by: java.io.FileNotFoundException: no such file")
print("\\t... 12 more")
"""


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
def java_home(tmp_path: Path) -> Path:
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    command = home / "bin" / "java"
    command.write_text(JAVA.format(python=sys.executable))
    command.chmod(0o755)
    return home


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "table"


def does(java_home: Path, what: str) -> Path:
    (java_home / "does.py").write_text(what)
    return java_home


def test_metadata_in_the_table_is_success(jar: Path, java_home: Path, table: Path) -> None:
    report = sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, SUCCEEDS))
    assert (report.outcome, report.release) == (Outcome.SYNCED, "0.4.0-incubating")


def test_the_jar_is_run_with_both_files(jar: Path, java_home: Path, table: Path) -> None:
    sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, SUCCEEDS))
    arguments = json.loads((java_home / "arguments.json").read_text())
    assert arguments[arguments.index("-cp") + 1 :][:2] == [str(jar), "org.apache.xtable.utilities.RunSync"]


def test_the_dataset_file_says_what_to_translate(jar: Path, java_home: Path, table: Path) -> None:
    sync_with_jar(jar, None, "HUDI", str(table), "trips", "month:VALUE", java_home=does(java_home, SUCCEEDS))
    assert json.loads((java_home / "dataset.yaml").read_text()) == {
        "sourceFormat": "HUDI",
        "targetFormats": ["ICEBERG"],
        "datasets": [{"tableBasePath": str(table), "tableName": "trips", "partitionSpec": "month:VALUE"}],
    }


def test_the_hadoop_file_holds_the_stores_settings(jar: Path, java_home: Path, table: Path) -> None:
    store = Store(endpoint="http://127.0.0.1:1", access_key="me", secret_key="a<b&c")
    found = ElementTree.fromstring(hadoop_xml(hadoop_settings(store)))
    settings = {entry.findtext("name"): entry.findtext("value") for entry in found}
    assert settings["fs.s3a.secret.key"] == "a<b&c"


def test_a_failure_is_believed_though_the_exit_code_is_0(jar: Path, java_home: Path, table: Path) -> None:
    with pytest.raises(SyncFailed, match=r"ReadException: Failed to read; Caused by: java\.io\.FileNotFoundException"):
        sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, FAILS))


def test_silence_without_metadata_is_a_failure(jar: Path, java_home: Path, table: Path) -> None:
    with pytest.raises(SyncFailed, match="no Iceberg metadata was written"):
        sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, ""))


def test_silence_over_unchanged_metadata_is_nothing_to_do(jar: Path, java_home: Path, table: Path) -> None:
    sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, SUCCEEDS))
    report = sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=does(java_home, ""))
    assert report.outcome is Outcome.NOTHING_TO_DO


def test_a_jar_that_takes_too_long_is_ended(jar: Path, java_home: Path, table: Path) -> None:
    slow = does(java_home, "import threading; threading.Event().wait()")
    with pytest.raises(SyncTimedOut, match="it took longer than 1 s and was killed"):
        sync_with_jar(jar, None, "HUDI", str(table), "trips", java_home=slow, timeout=1)


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
