"""Drives a bundled XTable jar that the user built, through its command line.

The command (`RunSync`) ends with exit code 0 after a failed sync. So how it went is read from the metadata in the
table, and the words of failure from what it printed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import cache, cached_property
from pathlib import Path
from xml.etree import ElementTree

from stack.java import find_java
from stack.problem import Problem
from store.s3 import Store
from xtable.jvm import OPENS, OPTIONS, Jvm
from xtable.report import Outcome, SyncFailed, SyncReport, SyncTimedOut, came_through, what_is_there
from xtable.settings import hadoop_settings, write_log4j
from xtable.target import read_target

MAIN = "org.apache.xtable.utilities.RunSync"
_PROJECT = Path(__file__).resolve().parents[1]
# A line of failure with the stack trace below it, up to the next line that starts with a date.
_FAILURE = re.compile(
    r"(?:Error running sync for|Sync failed for the following formats|Exception in thread)[^\n]*(?:\n(?!\d{4}-)[^\n]*)*"
)
_CORE_VERSION = re.compile(r"META-INF/maven/org\.apache\.xtable/xtable-core[^/]*/pom\.properties")


class Bundle:
    """The user's jar, asked as `Translator` is for a release: but each sync is a process of its own."""

    def __init__(self, jar: Path, store: Store | None, logs: Path, java_home: Path | None = None) -> None:
        self._jar = jar
        self._store = store
        self._logs = logs / "xtable-jar"
        self._java_home = java_home

    def sync(
        self, source_format: str, location: str, name: str, partition_spec: str = "", mode: str = "INCREMENTAL"
    ) -> SyncReport:
        """As `sync_with_jar`. Raises ValueError for a mode that the command line does not know."""
        if mode != "INCREMENTAL":
            raise ValueError(f"the command line of a jar knows no sync that is {mode}")
        return sync_with_jar(
            self._jar, self._store, source_format, location, name, partition_spec, java_home=self._java_home
        )

    @cached_property
    def jvm(self) -> Jvm:
        """A JVM on the jar's classes, which its syncs do without; it logs into a file, for nobody reads its pipe."""
        logging = f"-Dlog4j2.configurationFile={write_log4j(self._logs, self._logs / 'xtable.log').as_uri()}"
        return Jvm(self._java_home or find_java(17), [self._jar], self._logs / "console.log", [logging])

    def stop(self) -> None:
        if "jvm" in self.__dict__:
            self.jvm.stop()


@cache
def check_bundle(jar: Path) -> str:
    """What to call the jar: its XTable version, or its name. Raises Problem for what is not a bundled XTable jar.

    Read once: a bundle has half a million entries.
    """
    if not jar.is_file():
        raise Problem(f"--xtable-jar: there is no file {jar}. Give the path of the bundled jar that you built.")
    if not zipfile.is_zipfile(jar):
        raise Problem(f"--xtable-jar: {jar} is not a jar, or is cut off. Build it again.")
    with zipfile.ZipFile(jar) as content:
        names = content.namelist()
        if MAIN.replace(".", "/") + ".class" not in names:
            raise Problem(f"--xtable-jar: {jar} holds no {MAIN}. Give the -bundled jar of xtable-utilities.")
        for name in filter(_CORE_VERSION.fullmatch, names):
            if version := re.search(r"^version=(\S+)", content.read(name).decode(errors="replace"), re.MULTILINE):
                return version[1]
    return jar.name


def sync_with_jar(
    jar: Path,
    store: Store | None,
    source_format: str,
    location: str,
    name: str,
    partition_spec: str = "",
    *,
    java_home: Path | None = None,
    timeout: float = 300,
) -> SyncReport:
    """Translates one table to Iceberg in place, as `Translator.sync` does; the command line knows no mode but its own.

    Raises Problem for an unusable jar, SyncFailed in XTable's words, SyncTimedOut after `timeout` seconds. The process
    dies with this one.
    """
    release = check_bundle(jar)
    table = dataset_yaml(source_format, location, name, partition_spec)
    before = read_target(location, store)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="xtable-audit-") as folder:  # its files hold the credentials: mode 0700
        command = _command(jar, java_home or find_java(17), Path(folder), store, table)
        printed = Path(folder) / "printed"
        try:
            _run(command, printed, timeout)
        except subprocess.TimeoutExpired:
            words = f"it took longer than {timeout:g} s and was killed"
            raise SyncTimedOut(name, release, words, log=printed.read_text(errors="replace")) from None
        log = printed.read_text(errors="replace")
    after = read_target(location, store)
    failure = failure_in(log)
    if failure is None and (synced := came_through(before, after)):
        outcome = Outcome.SYNCED
    elif failure is None and after is not None and after == before:
        synced, outcome = after, Outcome.NOTHING_TO_DO
    else:
        raise SyncFailed(name, release, failure or what_is_there(before, after), log=log)
    return SyncReport(release, "INCREMENTAL", time.monotonic() - started, synced.location, outcome, "", log)


def failure_in(log: str) -> str | None:
    """The first words of failure in what RunSync printed, with the innermost cause; None where there are none."""
    said = _FAILURE.search(log)
    if said is None:
        return None
    told = (line.strip() for line in said[0].splitlines())
    lines = [line for line in told if line and not line.startswith(("at ", "..."))]
    causes = [line for line in lines[1:] if line.startswith("Caused by:")]
    return "; ".join(dict.fromkeys([*lines[:2], *causes[-1:]]))


def _command(jar: Path, java_home: Path, folder: Path, store: Store | None, dataset: str) -> list[str]:
    """Writes the command's two files into `folder`."""
    (folder / "dataset.yaml").write_text(dataset, encoding="utf-8")
    (folder / "hadoop.xml").write_bytes(hadoop_xml(hadoop_settings(store)))
    java = [str(java_home / "bin" / "java"), *OPENS, *OPTIONS, "-cp", str(jar.resolve()), MAIN]
    files = ["--datasetConfig", str(folder / "dataset.yaml"), "--hadoopConfig", str(folder / "hadoop.xml")]
    return [sys.executable, "-m", "stack.leash", "--", *java, *files]


def dataset_yaml(source_format: str, location: str, name: str, partition_spec: str) -> str:
    """RunSync's dataset file. JSON is YAML, and settles the quoting."""
    table = {"tableBasePath": location, "tableName": name}
    if partition_spec and source_format == "HUDI":
        table["partitionSpec"] = partition_spec
    return json.dumps({"sourceFormat": source_format, "targetFormats": ["ICEBERG"], "datasets": [table]}, indent=1)


def hadoop_xml(settings: dict[str, str]) -> bytes:
    """Settings in the form of a Hadoop configuration file."""
    root = ElementTree.Element("configuration")
    for setting, value in settings.items():
        entry = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(entry, "name").text = setting
        ElementTree.SubElement(entry, "value").text = value
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _run(command: list[str], log: Path, timeout: float) -> None:
    """Runs the command until it ends or the time is over. Its leash ends it when the pipe does, that is, with us."""
    childs, ours = os.pipe()
    with os.fdopen(ours, "wb") as held, os.fdopen(childs, "rb") as stdin, log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=_PROJECT,
            env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout)
        finally:
            held.close()
            process.wait()
