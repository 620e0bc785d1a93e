"""The folders that show a finding alone, and some that are run: by Spark, a sync and a reader."""

from __future__ import annotations

import ast
import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.provision.checked_register import REGISTER, register
from lab.stack import class_data
from lab.stack.jars import is_resolvable
from lab.stack.java import find_java
from lab.stack.versions import releases, stack
from tests.of_each import of_each
from tools.reproduce.__main__ import main
from tools.reproduce.finding import BY_HAND, ReproducedBy, newest_hudi_with, of_upgrades, table_of, way_of
from tools.reproduce.folder import KIT, everything, texts
from xtable_audit.register.entry import Entry

ENTRIES = register(REGISTER)
BY_SYNC = [entry for entry in ENTRIES if way_of(entry) is ReproducedBy.SYNC]
BY_SPARK = [entry for entry in ENTRIES if way_of(entry) is ReproducedBy.SPARK]
KIT_MODULES = [name for name in KIT if name.endswith(".py")]
STANDARD = sys.stdlib_module_names
NEEDED = {
    "synced.py": set(),
    "history.py": {"pyspark", "synced"},
    "folder.py": {"pyarrow", "synced"},
    "delta_rs.py": {"deltalake", "pyarrow", "synced"},
    "lake.py": {"pyarrow", "pypaimon", "synced"},
    "iceberg_source.py": {"pyarrow", "pyiceberg", "synced"},
    "skipping.py": {"pyspark", "history", "synced"},
    "check.py": {"checks", "columns", "files", "iceberg_table", "pyarrow", "pyiceberg", "readers", "verdict"},
    "check_delta.py": {"checks", "columns", "delta_log", "files", "pyarrow", "readers", "spark_hash", "verdict"},
    "check_hudi.py": {"checks", "files", "pyarrow", "verdict"},
    "checks.py": {"columns", "files", "pyarrow", "verdict"},
    "columns.py": {"pyarrow", "verdict"},
    "delta_log.py": {"columns", "deltalake", "files", "pyarrow", "readers"},
    "files.py": {"pyarrow", "verdict"},
    "iceberg_table.py": {"columns", "files", "pyarrow", "pyiceberg", "readers"},
    "readers.py": set(),
    "spark_hash.py": set(),
    "verdict.py": set(),
    "check_skipping.py": {"pyarrow", "verdict"},
    "XTF-001/check.py": {"daft", "pyarrow", "pyiceberg"},
    "XTF-002/check.py": {"pyarrow", "pyiceberg", "trino"},
    "XTF-077/check.py": {"deltalake", "duckdb", "duckdb_extension_delta", "pyarrow"},
    "XTF-126/check.py": {"daft", "pyarrow", "pyiceberg"},
    "XTF-127/check.py": {"pyarrow", "pyiceberg", "pyspark"},
    "XTF-128/check.py": {"duckdb", "pyarrow", "pyiceberg"},
    "XTF-125/check.py": {"pyspark"},
}
"""What each shared module, and each that is written by hand, imports beside Python's own: packages and the kit."""


@cache
def written() -> dict[str, str]:
    """Every file of every folder, by its path."""
    return everything(ENTRIES)


def by_id(id: str) -> Entry:
    return next(entry for entry in ENTRIES if entry.id == id)


def imported(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name.partition(".")[0] for one in node.names)
        if isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0]


@of_each("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_finding_is_reproduced(entry: Entry) -> None:
    assert way_of(entry) is not None


@of_each("entry", BY_SYNC, ids=lambda entry: entry.id)
def test_a_table_that_xtable_syncs_needs_its_history_alone(entry: Entry) -> None:
    writers = {"PARQUET": "folder", "PAIMON": "lake", "ICEBERG_SOURCE": "iceberg_source"}
    writer = "delta_rs" if table_of(entry).by_delta_rs else writers.get(table_of(entry).format)
    by = {writer, "pyarrow"} if writer else {"history"}
    assert {*imported(texts(entry)["write.py"])} - STANDARD == by


@of_each("entry", BY_SPARK, ids=lambda entry: entry.id)
def test_a_table_of_hudis_own_needs_no_xtable(entry: Entry) -> None:
    assert {*imported(texts(entry)["write.py"])} == {"history", "skipping"}
    assert {*texts(entry)} == {"write.py", "fault.json"}


@of_each("name", NEEDED)
def test_a_module_needs_packages_of_pip_and_the_kit_alone(name: str) -> None:
    assert {*imported(written()[name])} - STANDARD == NEEDED[name]


def test_no_module_is_without_its_needs() -> None:
    by_hand = {f"{path.parent.name}/{path.name}" for path in BY_HAND.glob("*/*.py")}
    assert {*NEEDED} == {*KIT_MODULES, *by_hand}


@of_each("entry", [*BY_SYNC, *BY_SPARK], ids=lambda entry: entry.id)
def test_a_fault_is_a_claim_of_its_finding(entry: Entry) -> None:
    assert json.loads(texts(entry)["fault.json"])["claims"]


@of_each("entry", BY_SPARK, ids=lambda entry: entry.id)
def test_a_table_of_hudis_own_is_by_the_newest_release_that_has_the_finding(entry: Entry) -> None:
    assert f"hudi='{newest_hudi_with(entry).version}'" in texts(entry)["write.py"]


UPGRADES = [entry for entry in BY_SYNC if of_upgrades(entry)]


@of_each("entry", UPGRADES, ids=lambda entry: entry.id)
def test_a_finding_of_upgrades_says_that_the_first_release_is_needed(entry: Entry) -> None:
    assert "XTABLE_FROM_CLASSPATH names the release of the first sync" in texts(entry)["write.py"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["XTF-999"], "There is no finding XTF-999"),
        (["XTF-009"], "XTF-009 has become part of XTF-003."),
        (["XTF-004", "--xtable", "9.9.9"], "9.9.9"),
        (["XTF-004", "--jar", "/nowhere.jar"], "there is no file /nowhere.jar"),
        (["XTF-004", "--hudi", "1.2.0"], "by a sync by XTable, which --hudi does not concern"),
        (["XTF-044", "--xtable", "0.4.0"], "by Spark and Hudi alone, which --xtable does not concern"),
        (["XTF-044", "--from", "0.2.0"], "by Spark and Hudi alone, which --from does not concern"),
        (["XTF-044", "--hudi", "9.9.9"], "Hudi release '9.9.9' is unknown"),
        (["XTF-044", "--jar", "/nowhere.jar"], "there is no file /nowhere.jar"),
        (["XTF-001", "--jar", "a.jar"], "by a reader alone, which --jar does not concern"),
        (["XTF-060"], "XTF-060 is about upgrades in place: name the release of the first sync, --from 0.2.0"),
    ],
    ids=[
        "an unknown finding",
        "a finding that has become part of another",
        "an unknown release",
        "a jar that is not there",
        "Hudi's release for XTable's finding",
        "XTable's release for Hudi's finding",
        "a first sync for Hudi's finding",
        "an unknown release of Hudi",
        "a bundle that is not there",
        "a jar for a reader's finding",
        "no first release",
    ],
)
def test_what_cannot_be_tried_is_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, f"--folder={tmp_path}"]) == 6
    [sentence] = capsys.readouterr().err.splitlines()
    assert words in sentence


def test_the_folders_of_all_findings_are_made_at_once(tmp_path: Path) -> None:
    assert main(["--only-make", f"--folder={tmp_path}"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {*KIT, *(entry.id for entry in ENTRIES)}


def test_a_finding_is_named_or_none_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "name a finding, or --only-make" in capsys.readouterr().err


@pytest.mark.parametrize(("ids", "status"), [("", 10), ("1", 0)], ids=["file without field ids", "file with them"])
def test_daft_refuses_a(ids: str, status: int) -> None:
    command = [sys.executable, str(BY_HAND / "XTF-001" / "check.py")]
    done = subprocess.run(command, env={"FIELD_IDS": ids}, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr


def test_trino_without_docker_could_not_run(tmp_path: Path) -> None:
    command = [sys.executable, str(BY_HAND / "XTF-002" / "check.py")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, "COULD NOT RUN: no Docker answers" in done.stdout) == (6, True), done.stderr


REFUSAL = "NOT_SUPPORTED: registerTable is not supported for Iceberg Nessie catalogs"


@pytest.mark.parametrize(
    ("file_metastore", "nessie", "status"),
    [("0 rows", REFUSAL, 10), ("0 rows", "0 rows", 0), (REFUSAL, REFUSAL, 6), ("0 rows", "NESSIE_DOWN: no", 6)],
    ids=["Nessie alone", "no catalog", "every catalog", "Nessie for another reason"],
)
def test_trino_refuses(file_metastore: str, nessie: str, status: int) -> None:
    judged = runpy.run_path(str(BY_HAND / "XTF-002" / "check.py"))["judged"]
    assert judged({"file_metastore": file_metastore, "nessie": nessie}) == status


@pytest.fixture
def archived(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kit's Spark maps the archive of its classes, too, where there is one."""
    monkeypatch.setenv("JDK_JAVA_OPTIONS", " ".join(class_data.options(find_java(stack().java))))


@pytest.mark.spark
@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("id", "release", "status"),
    [("XTF-025", "0.3.0", 1), ("XTF-025", "0.4.0", 0), ("XTF-088", "0.4.0", 1), ("XTF-095", "0.4.0", 1)],
    ids=[
        "one of Hudi is there in 0.3.0",
        "and gone in 0.4.0",
        "one of a folder of Parquet files is there",
        "one of a Paimon table is there",
    ],
)
def test_a_finding_is_there_or_gone(
    id: str, release: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wanted = next(one for one in releases() if one.short == release)
    if not is_resolvable(wanted):
        pytest.skip(f"XTable {release} does not resolve")
    assert main([id, "--xtable", release, f"--folder={tmp_path}"]) == status, capfd.readouterr().out


@pytest.mark.spark
@pytest.mark.jvm
@pytest.mark.slow
@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(
    ("release", "status"), [("1.0.2", 1), ("1.2.0", 0)], ids=["there in Hudi 1.0.2", "gone in 1.2.0"]
)
def test_a_finding_of_hudi_is(release: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["XTF-051", "--hudi", release, f"--folder={tmp_path}"]) == status, capfd.readouterr().out
