"""The battery's source tables: restored from recordings, or written by one Spark process per Hudi release and cached.

Each process has its own thread, so Spark writes the next table while XTable translates one and workers judge another.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lab.provision.progress import Progress
from lab.provision.recorded_sources import RecordedSources
from lab.stack.cache import Cache, key_of
from lab.stack.java import find_java
from lab.stack.versions import stack, stack_with_hudi
from lab.store.address import BUCKET, root_of
from spark_jobs.battery.jars import resolve_battery_jars
from spark_jobs.battery.launch import writer
from spark_jobs.battery.table import BatteryTable
from spark_jobs.battery.tables import BATTERY
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem

KIND = "battery"
FACTS = "table.json"
SPARK_SECONDS = 600
"""Timeout for one table, which takes about two seconds."""
SECONDS_TO_STOP = 10


class Battery:
    """Writes tables in the background: the first request for a table starts all announced ones of its Hudi release.

    Those that are recorded as Spark would write them are restored instead; with no `archives`, none is.
    A table is valid only at the address in `bucket` where it was written.
    """

    def __init__(
        self, progress: Progress, logs: Path, cache: Cache, bucket: str = BUCKET, archives: Path | None = None
    ) -> None:
        self._progress = progress
        self._logs = logs
        self._cache = cache
        self._root = root_of(bucket)
        self._recorded = RecordedSources(cache, self._root, archives)
        self._announced: set[str] = set()
        self._written: dict[str, Future[None]] = {}
        self._to_write: list[list[BatteryTable]] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._threads: list[threading.Thread] = []

    def announce(self, names: Iterable[str]) -> None:
        """Registers tables that the run needs. Spark writes them with the first requested one of their Hudi release."""
        with self._lock:
            self._announced.update(names)

    def kept(self, table: BatteryTable) -> tuple[Path, dict[str, Any]]:
        """The folder with one tree per stage (`1`, `2`, …), and its facts. Raises Problem if none is written."""
        if (day := self.recorded_on(table)) is not None:
            with self._progress.step("dataset", f"{table.name}: restored from the recording of {day}"):
                kept = self._recorded.restored(table)
        else:
            self._being_written(table).result()
            kept = self._cache.path(KIND, self._key(table))
        return kept, json.loads((kept / FACTS).read_text(encoding="utf-8"))

    def recorded_on(self, table: BatteryTable) -> str | None:
        """The day of the recording from which the table is restored; None if Spark writes it."""
        return self._recorded.recorded_on(table)

    def stop(self) -> None:
        """Starts no further table, and waits up to SECONDS_TO_STOP for each thread."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(SECONDS_TO_STOP)

    def _being_written(self, requested: BatteryTable) -> Future[None]:
        """A future that is done once the table is cached. Requested tables precede those only announced."""
        with self._lock:
            if requested.name not in self._written:
                announced = (BATTERY[name] for name in BATTERY if name in self._announced)
                alike = (table for table in announced if table.hudi == requested.hudi)
                self._begin([table for table in (requested, *alike) if not self._noted(table)])
            for coming in self._to_write:
                if requested in coming:
                    coming.remove(requested)
                    coming.insert(0, requested)
            return self._written[requested.name]

    def _noted(self, table: BatteryTable) -> bool:
        """Whether the table needs no writing: it is recorded, cached or queued. Otherwise keeps a future for it."""
        if table.name in self._written:
            return True
        self._written[table.name] = Future()
        if self.recorded_on(table) is None and self._kept(table) is None:
            return False
        self._written[table.name].set_result(None)
        return True

    def _begin(self, missing: list[BatteryTable]) -> None:
        if missing:
            self._to_write.append(missing)
            thread = threading.Thread(target=self._write, args=[missing, tuple(missing)], daemon=True)
            self._threads.append(thread)
            thread.start()

    def _write(self, coming: list[BatteryTable], tables: Sequence[BatteryTable]) -> None:
        """Writes tables of one Hudi release, requested ones first."""
        try:
            self._write_all(coming, tables)
        except Exception as error:  # noqa: BLE001 - raised to every caller that waits for one of them
            for table in tables:
                if not self._written[table.name].done():
                    self._written[table.name].set_exception(error)

    def _write_all(self, coming: list[BatteryTable], tables: Sequence[BatteryTable]) -> None:
        hudi = tables[0].hudi
        by = f"Spark with Hudi {hudi}" if hudi else "Spark"
        with (
            self._progress.step("dataset", f"{by} writes {many(len(tables), 'table')} of the battery") as step,
            self._cache.work_folder(KIND) as folder,
            writer(
                folder,
                root=self._root,
                jars=resolve_battery_jars(tables, self._progress.downloads(step, "battery")),
                java_home=find_java(stack().java),
                log=self._logs / f"battery{hudi}.log",
                timeout=SPARK_SECONDS,
            ) as write,
        ):
            for _ in tables:
                if self._stopped.is_set():
                    raise Problem("The run has ended.")
                with self._lock:
                    table = coming.pop(0)
                self._keep(table, folder / table.name, write(table)["failure"])
            step.detail = f"{many(len(tables), 'table')} of the battery written by {by}"

    def _keep(self, table: BatteryTable, written: Path, failure: str | None) -> None:
        if failure is not None:
            self._written[table.name].set_exception(Problem(f"Spark could not write {table.name}: {failure}"))
            return

        def link(folder: Path) -> None:
            shutil.copytree(written, folder, copy_function=os.link, dirs_exist_ok=True)

        self._cache.publish(KIND, self._key(table), link, {"table": table.name})
        self._written[table.name].set_result(None)

    def _kept(self, table: BatteryTable) -> Path | None:
        return self._cache.lookup(KIND, self._key(table))

    def _key(self, table: BatteryTable) -> str:
        row = stack_with_hudi(table.hudi) if table.hudi else stack()
        return key_of(table=table.key, jars=row.jars, spark=row.spark, root=self._root)
