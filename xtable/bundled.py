"""Drives a bundled XTable jar that the user built, through its command line: in a warm JVM, or as a shell does.

The command (`RunSync`) ends as if nothing were wrong after a failed sync. So how it went is read from the metadata in
the table, and the words of failure from what it logged.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

from lab.stack.java import find_java
from lab.stack.versions import Release
from lab.store.tables import Tables
from xtable.jvm import OPENED, Jvm
from xtable.settings import UTC, hadoop_settings, in_zone
from xtable.sources import XTABLE_SOURCES, XTableSource
from xtable.sync import SyncRequest, TooLate, Translator
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.problem import Problem

MAIN = "org.apache.xtable.utilities.RunSync"
# A line of failure with the stack trace below it, up to the next line that starts with a date. `Failed to sync` is of a
# target that fails, whose cause no later line repeats.
_FAILURE = re.compile(
    r"(?:Error running sync for|Failed to sync (?:snapshot|table changes)|Sync failed for the following formats"
    r"|Exception in thread)[^\n]*(?:\n(?!\d{4}-)[^\n]*)*"
)
_CORE_VERSION = re.compile(r"META-INF/maven/org\.apache\.xtable/xtable-core[^/]*/pom\.properties")


class Bundle(Translator):
    """The user's jar, driven as a release is, but by its command line, in a warm JVM on the jar's own classes.

    Started once, as a release is, and with the same classes loaded first: or a jar would fail where a release comes
    through, by what each process happens to load first (apache/incubator-xtable #466).
    """

    _quiet = ""

    def __init__(
        self,
        jar: Path,
        tables: Tables | None,
        log_dir: Path,
        java_home: Path | None = None,
        preload: Sequence[str] = (),
        zone: str = UTC,
    ) -> None:
        """Raises Problem for what is not a bundled XTable jar."""
        release = Release(check_bundle(jar), undeclared=(), aws_sdk="")
        super().__init__(release, tables, log_dir / "jar", java_home or find_java(17), [jar.resolve()], preload, zone)

    def _demand(self, writer: Writer) -> None:
        if not (writer.by_command_line or writer.reads_by_kernel):
            raise Problem(f"--xtable-jar: {writer.by_no_command_line}")

    def _call(self, jvm: Jvm, request: SyncRequest) -> str:
        """`java -cp JAR org.apache.xtable.utilities.RunSync …`, which says nothing of how it went."""
        with self.arguments(request) as arguments:
            try:
                jvm.java.org.apache.xtable.utilities.RunSync.main(jvm.array("java.lang.String", arguments))
            except (Py4JJavaError, Py4JNetworkError):
                raise
            except Py4JError:  # it takes a class that cannot be loaded for a package
                jvm.java.java.lang.Class.forName(MAIN)  # raises Java's own word for what is wrong with it
                raise
        return self._quiet

    @contextmanager
    def arguments(self, request: SyncRequest) -> Iterator[list[str]]:
        """RunSync's, with the files that they name.

        Raises ValueError for a mode that it does not know, and for partition columns that it does not pass on.
        """
        if request.mode != "INCREMENTAL":
            raise ValueError(f"the command line of a jar has no {request.mode} sync")
        read = request.read
        if request.partition_spec and not read.partitioned_by_command_line:
            raise ValueError(f"the command line of a jar passes no partition columns to its reader of {read.name}")
        with tempfile.TemporaryDirectory(prefix="xtable-audit-") as folder:  # its files hold the credentials: mode 0700
            dataset, hadoop = Path(folder) / "dataset.yaml", Path(folder) / "hadoop.xml"
            table = request.source_format, request.location, request.name, request.partition_spec
            dataset.write_text(dataset_yaml(*table, request.writer.target), encoding="utf-8")
            hadoop.write_bytes(hadoop_xml(hadoop_settings(self._tables)))
            arguments = ["--datasetConfig", str(dataset), "--hadoopConfig", str(hadoop)]
            if not read.by_default:
                converters = Path(folder) / "converters.yaml"
                converters.write_text(converters_yaml(read), encoding="utf-8")
                arguments += ["--convertersConfig", str(converters)]
            yield arguments

    def _demand_classes(self, words: str) -> None:
        """What a bundle lacks, its users lack too."""

    def _failure_in(self, result: str, log: str) -> str:
        return failure_in(log) or ""


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


def demand_provider(jar: Path, read: XTableSource) -> None:
    """Raises Problem if the jar has no reader of that source, as those of older releases have none of all."""
    with zipfile.ZipFile(jar) as content:
        if f"org/apache/xtable/{read.provider.replace('.', '/')}.class" not in content.namelist():
            raise Problem(f"--xtable-jar: {jar} holds no {read.provider}, so it does not read {read.name}.")


def failure_in(log: str) -> str | None:
    """The first words of failure in what RunSync logged, with the innermost cause; None where there are none."""
    match = _FAILURE.search(log)
    if match is None:
        return None
    stripped = (line.strip() for line in match[0].splitlines())
    lines = [line for line in stripped if line and not line.startswith(("at ", "..."))]
    causes = [line for line in lines[1:] if line.startswith("Caused by:")]
    return "; ".join(dict.fromkeys([*lines[:2], *causes[-1:]]))


def dataset_yaml(
    source_format: str, location: str, name: str, partition_spec: str, target: str = ICEBERG.target
) -> str:
    """RunSync's dataset file. JSON is YAML, and settles the quoting."""
    table = {"tableBasePath": location, "tableName": name}
    if partition_spec and XTABLE_SOURCES[source_format].partitions:
        table["partitionSpec"] = partition_spec
    return json.dumps(
        {"sourceFormat": XTABLE_SOURCES[source_format].name, "targetFormats": [target.upper()], "datasets": [table]},
        indent=1,
    )


def converters_yaml(read: XTableSource) -> str:
    """RunSync's file of converters, which names the class of a source that it does not know by itself."""
    provider = {"conversionSourceProviderClass": f"org.apache.xtable.{read.provider}"}
    return json.dumps({"tableFormatConverters": {read.name: provider}}, indent=1)


def hadoop_xml(settings: dict[str, str]) -> bytes:
    """Settings in the form of a Hadoop configuration file."""
    root = ElementTree.Element("configuration")
    for setting, value in settings.items():
        entry = ElementTree.SubElement(root, "property")
        ElementTree.SubElement(entry, "name").text = setting
        ElementTree.SubElement(entry, "value").text = value
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


class CommandLine(Bundle):
    """As a shell runs it: every sync is `java -cp JAR org.apache.xtable.utilities.RunSync …` in a JVM of its own.

    What the suite's warm JVM does for speed is left out: no class is loaded beforehand (apache/incubator-xtable #466),
    no table is translated before another, Java compiles and collects by its own defaults. A finding that shows here is
    none of the harness's making.
    """

    def _make_ready(self) -> None:
        """Nothing is kept warm. A JVM without XTable tries a zone: it fails if this Java does not know it."""
        if self._zone != UTC:
            Jvm(self.java_home, [], self._logs / "console.log", zone=self._zone).stop()

    def _run_sync(self, request: SyncRequest, timeout: float) -> tuple[str, str]:
        java = str(self.java_home / "bin" / "java")
        self._logs.mkdir(parents=True, exist_ok=True)
        with self.arguments(request) as arguments, self._log.open("ab") as log:
            try:
                done = subprocess.run(
                    [java, *OPENED, in_zone(self._zone), "-cp", str(self.jars[0]), MAIN, *arguments],
                    env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1"},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    timeout=timeout,
                )
            except subprocess.TimeoutExpired:
                raise TooLate from None
        return "", f"the command ended with exit code {done.returncode}" if done.returncode else self._quiet

    def _failure_in(self, result: str, log: str) -> str:
        """Its own words, which say more than its exit code: that is 0 after most failures."""
        return super()._failure_in(result, log) or result
