"""Translates tables with a real XTable release in one warm JVM."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

from lab.stack.classpath import ClassPaths
from lab.stack.jars import resolve_xtable_jars
from lab.stack.java import find_java
from lab.stack.maven_repositories import Progress
from lab.stack.versions import Release
from lab.store.tables import Tables
from xtable.jvm import Jvm
from xtable.jvm import preload as preload_classes
from xtable.settings import UTC, hadoop_settings, write_log4j
from xtable.sources import XTableSource, reader_of
from xtable.sync_report import SyncFailed, SyncTimedOut, came_through, what_is_there
from xtable.target import read_target
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync, class_missed_in


@dataclass(frozen=True)
class SyncRequest:
    """What one sync is asked for."""

    source_format: str
    """A name of `XTABLE_SOURCES`."""
    location: str
    name: str
    partition_spec: str
    mode: str
    """`FULL` or `INCREMENTAL`."""
    writer: Writer = ICEBERG

    @property
    def read(self) -> XTableSource:
        """What of XTable reads the table."""
        return reader_of(self.source_format, by_kernel=self.writer.reads_by_kernel)


class TooLate(Exception):
    """The time limit of a sync has passed and its JVM is dead."""


class Translator:
    """XTable at one release, started once, for one thread at a time. Leaving its context stops it."""

    _quiet = "{}"
    """What it reports if there was nothing to do."""

    def __init__(
        self,
        release: Release,
        tables: Tables | None,
        log_dir: Path,
        java_home: Path,
        jars: Sequence[Path],
        preload: Sequence[str] = (),
        zone: str = UTC,
    ) -> None:
        self.release = release
        self._tables = tables
        self._logs = log_dir / f"xtable-{release.version}"
        self.java_home = java_home
        self.jars = jars
        self._preload = preload
        self._zone = zone
        self._log = self._logs / "xtable.log"
        self._jvm: Jvm | None = None

    @classmethod
    def start(
        cls,
        release: Release,
        tables: Tables | None,
        log_dir: Path,
        progress: Progress | None = None,
        *,
        paths: ClassPaths | None = None,
        preload: Sequence[str] = (),
        zone: str = UTC,
        sources: Collection[str] = (),
    ) -> Translator:
        """Resolves the release, downloads what is missing and starts its JVM. Raises Problem if that fails.

        `tables` is None for tables on local disk. `preload` are classes that every JVM of this translator loads first,
        in order: a fresh one after a timeout too. A class that this release does not have is passed over. `zone` is
        the time zone of each of these JVMs, `sources` as in `resolve_xtable_jars`.
        """
        paths = paths or ClassPaths()
        jars = resolve_xtable_jars(release, progress, paths=paths, sources=sources)
        translator = cls(release, tables, log_dir, find_java(17, paths.cache), jars, preload, zone)
        translator._running()
        return translator

    def sync(
        self,
        source_format: str,
        location: str,
        name: str,
        partition_spec: str = "",
        mode: str = "INCREMENTAL",
        *,
        writer: Writer = ICEBERG,
        timeout: float = 300,
    ) -> Sync:
        """Translates the table of that format at `location` to the writer's target, in place.

        `partition_spec` is XTable's `column:TYPE[:format],…` (for Hudi alone; Delta names its own). `mode` is `FULL` or
        `INCREMENTAL`.

        Raises Problem if XTable does not have the writer or its class path lacks a class, SyncFailed in XTable's own
        words, and SyncTimedOut after `timeout` seconds: the JVM is then killed, and the next sync starts a fresh one.
        """
        self._demand(writer)
        self._make_ready()
        before = read_target(location, self._tables, writer)
        mark = self._log.stat().st_size if self._log.exists() else 0
        started = time.monotonic()
        try:
            words, result = self._run_sync(
                SyncRequest(source_format, location, name, partition_spec, mode, writer), timeout
            )
        except TooLate:
            late = f"it took longer than {timeout:g} s and its JVM was killed"
            raise SyncTimedOut(name, self.release.version, late, log=self._log_since(mark)) from None
        seconds = time.monotonic() - started
        log = self._log_since(mark)
        if words := words or self._failure_in(result, log):
            self._demand_classes(words)
            raise SyncFailed(name, self.release.version, words, log=log, result=result)
        after = read_target(location, self._tables, writer)
        nothing_to_do = result == self._quiet and after is not None and after == before
        synced = after if nothing_to_do else came_through(before, after)
        if synced is None:
            words = f"it reported {result or 'nothing'}, but {what_is_there(before, after, writer)}"
            raise SyncFailed(name, self.release.version, words, log=log, result=result, silent=True)
        return Sync(
            kind="full" if mode == "FULL" else "incremental",
            release=self.release.version,
            metadata_location=synced.metadata_location,
            log=log,
            seconds=seconds,
            result=result,
        )

    @property
    def jvm(self) -> Jvm:
        """Its JVM, started if it is not running."""
        return self._running()

    def stop(self) -> None:
        """Ends the JVM; the next sync would start a fresh one."""
        if self._jvm is not None:
            self._jvm.stop()
            self._jvm = None

    def __enter__(self) -> Translator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _demand(self, writer: Writer) -> None:
        """Raises Problem if XTable does not have the writer."""
        writer.demand(self.release.version)

    def _demand_classes(self, words: str) -> None:
        """Raises Problem if the sync fails for a class that its class path lacks, which Maven put together here."""
        missed = class_missed_in(words)
        if missed and not self._running().has(missed):
            raise Problem(
                f"XTable {self.release.version} cannot be judged by this sync: its class path, as Maven resolves it, "
                f"lacks {missed.replace('/', '.')}. Audit a bundled jar that has it (--xtable-jar)."
            )

    def _running(self) -> Jvm:
        if self._jvm is not None and not self._jvm.alive:
            self.stop()
        if self._jvm is None:
            logging = f"-Dlog4j2.configurationFile={write_log4j(self._logs, self._log).as_uri()}"
            self._jvm = Jvm(self.java_home, self.jars, self._logs / "console.log", [logging], self._zone)
            preload_classes(self._jvm, self._preload)
        return self._jvm

    def _make_ready(self) -> None:
        """Downloads and start-up do not count towards a sync's time."""
        self._running()

    def _run_sync(self, request: SyncRequest, timeout: float) -> tuple[str, str]:
        """The text of XTable's exception ("" for none) and its result. Raises TooLate if the limit ended it."""
        jvm = self._running()
        return _within(jvm, timeout, lambda: self._call(jvm, request))

    def _call(self, jvm: Jvm, request: SyncRequest) -> str:
        """`ConversionController.sync`, whose shape is the same in 0.2.0, 0.3.0 and 0.4.0; its result as text."""
        java = jvm.java
        configuration = java.org.apache.hadoop.conf.Configuration()
        for setting, value in hadoop_settings(self._tables).items():
            configuration.set(setting, value)
        read = request.read
        options = {read.partitions: request.partition_spec} if request.partition_spec and read.partitions else {}
        xtable = java.org.apache.xtable
        source = xtable.conversion.SourceTable.builder().name(request.name).basePath(request.location)
        target = xtable.conversion.TargetTable.builder().name(request.name).basePath(request.location)
        target = target.formatName(request.writer.target.upper())
        config = (
            xtable.conversion.ConversionConfig.builder()
            .sourceTable(source.formatName(read.name).additionalProperties(_properties(java, options)).build())
            .targetTables(
                java.java.util.List.of(
                    target.additionalProperties(_properties(java, request.writer.properties)).build()
                )
            )
            .syncMode(xtable.model.sync.SyncMode.valueOf(request.mode))
            .build()
        )
        provider = read.make_provider(xtable)
        provider.init(configuration)
        return str(xtable.conversion.ConversionController(configuration).sync(config, provider).toString())

    def _failure_in(self, result: str, log: str) -> str:
        """The failure text of a sync that ended, "" for none."""
        return _error_in(result)

    def _log_since(self, mark: int) -> str:
        if not self._log.exists():
            return ""
        with self._log.open("rb") as file:
            file.seek(mark)
            return file.read().decode(errors="replace")


def _properties(java: Any, options: Mapping[str, str]) -> Any:
    properties = java.java.util.Properties()
    for name, value in options.items():
        properties.setProperty(name, value)
    return properties


def _within(jvm: Jvm, seconds: float, call: Callable[[], str]) -> tuple[str, str]:
    """The text of XTable's exception ("" for none) and its result. Raises TooLate if the limit killed the JVM."""
    too_late = threading.Event()

    def give_up() -> None:
        too_late.set()
        jvm.kill()

    limit = threading.Timer(seconds, give_up)
    limit.daemon = True
    limit.start()
    try:
        result = call()
        return "", result
    except Py4JJavaError as error:
        return _error_text(error.java_exception), ""
    except Py4JError as error:  # which kind it is depends on the call that was open when the JVM ended
        if too_late.is_set():
            raise TooLate from None
        if isinstance(error, Py4JNetworkError) or not jvm.alive:
            return "its JVM died in the middle of it", ""
        raise
    finally:
        limit.cancel()
        if too_late.is_set():
            limit.join()  # so that no caller meets a JVM that is still ending


def _error_in(result: str) -> str:
    """What a `SyncResult` says in text when its status is not SUCCESS: the classes differ between releases."""
    if "statusCode=ERROR" not in result and "statusCode=ABORTED" not in result:
        return ""
    reported = re.search(r"errorMessage=(.*?), errorDescription=(.*?), canRetry", result, re.DOTALL)
    return f"{reported[1]} ({reported[2]})" if reported else result


def _error_text(throwable: Any) -> str:
    """The outermost message and the innermost cause, on one line."""
    outer = throwable.toString()
    inner = throwable
    while inner.getCause() is not None:
        inner = inner.getCause()
    words = outer if inner.equals(throwable) else f"{outer}; caused by {inner.toString()}"
    return " ".join(str(words).split())
