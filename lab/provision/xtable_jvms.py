"""XTable's JVMs of a run: which of them translates a table, where the table lies, and which plans scans."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from lab.provision.dataset import Dataset
from lab.provision.made_once import Once, OnceEach
from lab.provision.plan import ON_REQUEST, Plan
from lab.provision.sources.every_source import FORMATS, with_own_jars
from lab.provision.targets import begun_by, reads_by_spark
from lab.provision.translator_pool import SIDE_BY_SIDE, Pool, Translators
from lab.stack.maven_repositories import Progress as Downloads
from lab.store.disk import MOUNT, Disk
from lab.store.objects import add, delete
from lab.store.running import RunningStore
from lab.store.tables import InStore, Tables
from xtable import planner
from xtable.writer import HUDI, ICEBERG, STANDALONE, WRITERS, Writer
from xtable_audit.model.predicate import Predicate


class StoreCopies:
    """Each table by one thread at a time. The store starts with the first."""

    def __init__(self, disk: Disk, running: Callable[[], RunningStore]) -> None:
        self._disk = disk
        self._store = Once(lambda: running().store)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    @property
    def tables(self) -> InStore:
        return InStore(self._store())

    def publish(self, prefixes: Sequence[str]) -> None:
        """Puts what is shown under these keys into the store, where it is not there yet."""
        for prefix in prefixes:
            with self._locks[prefix]:
                add(self._store(), prefix, self._disk.files(prefix))

    @contextmanager
    def emptied(self, prefix: str) -> Iterator[InStore]:
        """The store, without what was under that key."""
        with self._locks[prefix]:
            delete(self._store(), prefix)
            yield self.tables


T = TypeVar("T")
R = TypeVar("R")


def shared_out(work: Callable[[Sequence[T]], list[R]], items: Sequence[T], *, part: int, at_once: int) -> list[R]:
    """What `work` answers for the items, asked for `part` of them at a time in up to `at_once` threads.

    It is asked once where there are none. Raises what `work` raises.
    """
    parts = [items[start : start + part] for start in range(0, len(items), part)] or [items]
    with ThreadPoolExecutor(at_once) as side_by_side:
        return [answer for answers in side_by_side.map(work, parts) for answer in answers]


PLANNED_AT_ONCE = 4_000
"""Predicates that one JVM plans before it is free for another table; a table of a thousand columns has 27,000."""


def is_local(dataset: Dataset) -> bool:
    """Whether XTable reads the table by addresses of the local disk alone."""
    return FORMATS[dataset.recipe.format].is_local


def _mount(writer: Writer) -> str:
    return MOUNT if writer.to_iceberg else writer.id


def _apart(writer: Writer, *, locally: bool) -> str:
    """The name of the translators that have a mount of their own."""
    return f"local/{writer.id}" if locally else writer.id


class XTableJvms:
    """Pools of JVMs, each started on first use. `by` is the translator under audit, as `Translators` names it."""

    def __init__(self, plan: Plan, by: str, disk: Disk, copies: StoreCopies, logs: Path) -> None:
        self._plan = plan
        self._by = by
        self._disk = disk
        self._copies = copies
        self._logs = logs
        # As many as translate at once beside Delta's, so that a planner need not wait for a table that is translated.
        self._mounted = Pool(lambda existing: self._translators(disk.mounted(), existing), SIDE_BY_SIDE)
        # Each JVM whose XTable reads a table by Spark starts one, which takes longer than ten tables do.
        self._mounted_spark = Pool(lambda _: self._translators(disk.mounted(), 0, "spark"), 1)
        self._apart = OnceEach(self._pool_apart)
        self._through_store = OnceEach(self._of_store)
        self._resolving = threading.Lock()

    @contextmanager
    def reached(self, dataset: Dataset, writer: Writer) -> Iterator[tuple[Pool, Tables]]:
        """Who translates the table, and where it lies meanwhile: mounted on this disk, or in the store, empty."""
        if self.reaches_store(dataset.recipe.name, writer):
            with self._copies.emptied(dataset.prefix) as emptied:
                yield self._through_store(_mount(writer)), emptied
            return
        mount = _mount(writer)
        with self._disk.in_translation(dataset.prefix, mount) as mounted:
            tables = self._disk.mounted_locally(mount) if is_local(dataset) else mounted
            yield self._pool(dataset, writer), tables

    def reaches_store(self, name: str, writer: Writer) -> bool:
        """Whether XTable reaches the table in the store, where only one target may have the address."""
        return self._plan.goes_through_store(name) and (writer.to_iceberg or self._plan.target != "all")

    def plan(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        """The files Iceberg's Java planner keeps, in XTable's JVMs. Raises Refused, or Problem if there is no JVM.

        Many predicates are shared out: the slowest table alone would hold one JVM for minutes, and the others idle.
        """
        plan_part = partial(self._plan_part, metadata_location)
        return shared_out(plan_part, predicates, part=PLANNED_AT_ONCE, at_once=SIDE_BY_SIDE)

    def _plan_part(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]:
        local: Tables = self._disk.mounted_locally()
        locally = metadata_location.startswith(local.uri(""))
        pool, tables = (
            (self._apart(_apart(ICEBERG, locally=True)), local) if locally else (self._mounted, self._disk.mounted())
        )
        with pool.borrow() as translators:
            jvm = translators.named(self._by).jvm
            return planner.plan(jvm, tables, metadata_location, predicates)

    def digest(self, name: str, downloads: Downloads) -> str:
        """Identifies the build of a translator, in keys of what is kept."""
        with self._resolving:
            return self._mounted.first.digest(name, downloads)

    def stop(self) -> None:
        """Ends them all."""
        for pool in (self._mounted, self._mounted_spark, *self._apart.made(), *self._through_store.made()):
            pool.stop()

    def _pool(self, dataset: Dataset, writer: Writer) -> Pool:
        if not writer.to_iceberg or is_local(dataset):
            return self._apart(_apart(writer, locally=is_local(dataset)))
        return self._mounted_spark if reads_by_spark(dataset.recipe.format, writer) else self._mounted

    def _of_store(self, name: str) -> Pool:
        """A mount takes every address of its scheme, so what reaches the store is a JVM of its own.

        Each of Delta's targets has one, too. Delta's `S3SingleDriverLogStore` has one cache a JVM of the files of a log
        that were written, and adds them to its listings: to those of the other target's log, where both share a JVM.
        """
        tables = self._copies.tables
        return Pool(
            lambda existing: self._translators(tables, existing, f"store/{name}"),
            SIDE_BY_SIDE if self._plan.all_through_store else 1,
        )

    def _pool_apart(self, name: str) -> Pool:
        """Translators with a mount of their own: elsewhere the same address may be read, or translated to Iceberg.

        A JVM has one mount. One that writes by Delta Standalone, or reads Delta for Hudi, starts a Spark: there is one.
        """
        locally, _, id = name.rpartition("/")
        writer = WRITERS[id]
        starts_spark = bool({STANDALONE, HUDI} & {writer, begun_by(self._plan, writer)})
        mount = _mount(writer)
        tables = self._disk.mounted_locally(mount) if locally else self._disk.mounted(mount)
        return Pool(lambda existing: self._translators(tables, existing, name), 1 if starts_spark else SIDE_BY_SIDE)

    def _translators(self, tables: Tables, existing: int, logs: str = "") -> Translators:
        """Further translators for a pool, with their own log folder."""
        own = self._logs / logs / (f"beside-{existing}" if existing else "")
        plan = self._plan
        sources = with_own_jars(table.format for table in ON_REQUEST.get(plan.source_format, {}).values())
        return Translators(plan.xtable_jar, tables, own, fresh=plan.fresh_jvm, zone=plan.zone, sources=sources)
