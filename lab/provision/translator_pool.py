"""The translators of a run: releases, each in a warm JVM, and the user's jar; a pool of them works in parallel."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from lab.provision.history import TranslatorOf
from lab.stack.jars import resolve_xtable_jars
from lab.stack.maven_repositories import Progress
from lab.stack.versions import release
from lab.store.tables import Tables
from xtable import bundled
from xtable.bundled import Bundle, CommandLine
from xtable.jvm import MODELS
from xtable.settings import UTC
from xtable.sync import Translator
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.sync import Sync


class Begun(Translator):
    """A running translator that writes by `writer`, whatever a sync asks for. It has no JVM of its own."""

    def __init__(self, translator: Translator, writer: Writer) -> None:
        self.release = translator.release
        self._translator = translator
        self._writer = writer

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
        return self._translator.sync(
            source_format, location, name, partition_spec, mode, writer=self._writer, timeout=timeout
        )


JAR = "the jar"
"""The jar's name among the releases: its version may equal a release's."""


class Translators:
    """Starts each translator on first use, by a release's version or `JAR`.

    With `fresh`, the jar runs in a new JVM for every sync, as in a shell. `zone` is the time zone of every JVM,
    `sources` what a release reads besides the formats of every run.
    """

    def __init__(
        self,
        jar: Path | None,
        tables: Tables,
        logs: Path,
        preload: Sequence[str] = MODELS,
        *,
        fresh: bool = False,
        zone: str = UTC,
        sources: Collection[str] = (),
    ) -> None:
        self._jar = jar
        self._tables = tables
        self._logs = logs
        self._preload = preload
        self._fresh = fresh
        self._zone = zone
        self._sources = sources
        self._started: dict[str, Translator] = {}

    @contextmanager
    def of_table(self, *, alone: bool) -> Iterator[TranslatorOf]:
        """The translators for one table. With `alone`, in new JVMs that preload nothing and end with the context."""
        if not alone:
            yield self.named
            return
        logs = self._logs / "alone"
        fresh = Translators(
            self._jar, self._tables, logs, preload=(), fresh=self._fresh, zone=self._zone, sources=self._sources
        )
        try:
            yield fresh.named
        finally:
            fresh.stop()

    def named(self, name: str) -> Translator:
        if name not in self._started:
            self._started[name] = self._start(name)
        return self._started[name]

    def _start(self, name: str) -> Translator:
        if name != JAR:
            how: dict[str, Any] = {"preload": self._preload, "zone": self._zone, "sources": self._sources}
            return Translator.start(release(name), self._tables, self._logs, **how)
        assert self._jar is not None, "the run has no jar"
        run = CommandLine if self._fresh else Bundle
        return run(self._jar, self._tables, self._logs, preload=self._preload, zone=self._zone)

    def digest(self, name: str, downloads: Progress) -> str:
        """A digest of the translator: a release's jars by name and build, or content and runner of a user's jar."""
        if name == JAR:
            return self._digest_of_jar
        jars = resolve_xtable_jars(release(name), downloads, sources=self._sources)
        listed = sorted((jar.name, _build(jar)) for jar in jars)
        return hashlib.sha256(repr(listed).encode()).hexdigest()

    def stop(self) -> None:
        for translator in self._started.values():
            translator.stop()

    @cached_property
    def _digest_of_jar(self) -> str:
        assert self._jar is not None, "the run has no jar"
        with self._jar.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256")
        digest.update(Path(str(bundled.__file__)).read_bytes() + bytes([self._fresh]))
        return digest.hexdigest()


def _build(jar: Path) -> int | str:
    """Tells builds of one name apart: by size, and a snapshot, of which there are many, by content."""
    if "SNAPSHOT" not in jar.name:
        return jar.stat().st_size
    with jar.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def without_full_sync(syncs: Iterator[Sync]) -> Iterator[Sync]:
    """The syncs up to the idle one. The full sync after it never starts, since a jar's CLI has none."""
    for sync in syncs:
        yield sync
        if sync.kind == "idle":
            return


SIDE_BY_SIDE = max(2, min(4, os.cpu_count() or 1))
"""Tables that are translated at once. Each JVM takes up to 2 GB."""


class Pool:
    """Interchangeable translators, created only as needed. `make` receives how many exist already."""

    def __init__(self, make: Callable[[int], Translators], size: int = SIDE_BY_SIDE) -> None:
        self._make = make
        self.first = make(0)
        """For calls that need no JVM; another thread may be using it."""
        self._every = [self.first]
        self._free = [self.first]
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(size)

    @contextmanager
    def borrow(self) -> Iterator[Translators]:
        """Translators for exclusive use in this context; waits until some are free."""
        with self._room:
            borrowed = self._take()
            try:
                yield borrowed
            finally:
                with self._lock:
                    self._free.append(borrowed)

    def stop(self) -> None:
        """Stops all side by side: a JVM takes half a second to end."""
        with ThreadPoolExecutor() as side_by_side:
            stopped = [side_by_side.submit(one.stop) for one in self._every]
        for one in stopped:
            one.result()

    def _take(self) -> Translators:
        with self._lock:
            if not self._free:
                self._free.append(self._make(len(self._every)))
                self._every += self._free
            return self._free.pop()
