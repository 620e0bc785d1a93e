"""Hudi's tables, release by release: one Spark process writes them, another one queries them, the cache keeps both."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from lab.engines.readers import open_reader
from lab.engines.spark.open import SparkHome
from lab.provision.hudi import stages, trials
from lab.provision.hudi.kept_table import digest_of, keep
from lab.provision.hudi.questions import questions
from lab.provision.hudi.stages import read_stage
from lab.provision.hudi.trials import TableLocation, run_trials
from lab.provision.hudi.writing import ROOT, Writing
from lab.provision.progress import LongStep, Progress
from lab.stack.cache import Cache, key_of
from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.mount import Mount
from lab.stack.versions import stack_with_hudi
from lab.store.objects import upload
from lab.store.running import RunningStore
from lab.subjects.hudi_tables import HudiSpec
from spark_jobs.addresses import demand_own_addresses
from spark_jobs.launch import SHIPS
from xtable_audit.formats.hudi.indexed_table import HudiCase
from xtable_audit.model.figures import many
from xtable_audit.model.problem import Problem
from xtable_audit.readers.subprocess_reader import SubprocessReader

KIND = "hudi-answers"
GUEST = "hudi-lab"

QUERIED_BY = [hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest() for module in (trials, stages)]
"""Part of a cached answer's key: the code that queries Hudi."""


class HudiLab:
    """Builds tables with their trials. The first call for a release builds all of its announced tables.

    `files` is the size of the published table.
    """

    def __init__(
        self, progress: Progress, logs: Path, cache: Cache, store: Callable[[], RunningStore], files: int
    ) -> None:
        self._progress = progress
        self._cache = cache
        self._store = store
        self._files = files
        self._writing = Writing(cache, logs, files)
        self._announced: set[HudiSpec] = set()
        self._failed: dict[HudiSpec, str] = {}

    def announce(self, specs: Iterable[HudiSpec]) -> None:
        """Registers tables that the run needs. Those of one release are then built together."""
        self._announced.update(specs)

    def folder(self, spec: HudiSpec) -> Path:
        """Where the table and its trials are (`lab.provision.hudi.kept_table`). Raises Problem if it cannot be made."""
        if not self._settled(spec):
            self._make(spec.release, sorted({*self._announced, spec}, key=lambda each: each.dataset))
        if spec in self._failed:
            raise Problem(self._failed[spec])
        kept = self._kept(spec)
        assert kept is not None
        return kept

    def _make(self, release: str, announced: list[HudiSpec]) -> None:
        missing = [spec for spec in announced if spec.release == release and not self._settled(spec)]
        with self._progress.step("Hudi", f"{release}: {many(len(missing), 'table')}") as step:
            try:
                home = self._home(release, step)
                self._progress.update(step, f"{release}: {many(len(missing), 'table')}, Spark is writing")
                self._writing.write(missing, home)
            except Problem as problem:
                self._failed |= {spec: str(problem) for spec in missing}
                return
            with tempfile.TemporaryDirectory(prefix="xtable-audit-lab-") as folder:
                mount = Mount(ROOT, Path(folder))
                reader = open_reader("hudi", self._store().guest(GUEST).store, replace(home, mount=mount))
                try:
                    for spec in missing:
                        self._progress.update(step, f"{spec.id}: Hudi's own reader queries it")
                        self._query(spec, reader, mount)
                finally:
                    reader.close()
            step.detail = f"{release}: {many(len(missing), 'table')} written by Spark, queried by Hudi's own reader"

    def _home(self, release: str, step: LongStep) -> SparkHome:
        row = stack_with_hudi(release)
        jars = resolve_spark_jars(row, self._progress.downloads(step, f"Hudi {release}"))
        return SparkHome(find_java(row.java), jars)

    def _query(self, spec: HudiSpec, reader: SubprocessReader, mount: Mount) -> None:
        try:
            written = self._writing.written(spec)
            locations = (mount.show(spec.dataset, stage.tree) for stage in written.stages)
            read = tuple(read_stage(reader, *each) for each in zip(locations, written.stages, strict=True))
            place = self._place(spec, written.stages[-1].tree, read[-1].files, mount)
            results = run_trials(reader, place, questions(spec.dataset, read[-1]))
        except Problem as problem:
            self._failed[spec] = str(problem)
            return
        case, subject = HudiCase(str(spec.id), spec.release, read, results), digest_of(spec, self._files)
        self._cache.publish(KIND, self._key(spec), lambda folder: keep(folder, case, subject, written.versions))

    def _place(self, spec: HudiSpec, tree: Path, files: Iterable[str], mount: Mount) -> TableLocation:
        """Where the table is: the published one in the store, whose request log has the read files; others on disk."""
        if spec.dataset not in SHIPS:
            return TableLocation(mount.place(spec.dataset).address, {})
        guest, prefix = self._store().guest(GUEST), f"hudi/{spec.id}"
        demand_own_addresses(tree, guest.store.uri(prefix))  # it can move: its only commit names no address
        upload(guest.store, prefix, tree)
        return TableLocation(guest.store.uri(prefix), {file: f"{prefix}/{file}" for file in files}, guest.log)

    def _settled(self, spec: HudiSpec) -> bool:
        return spec in self._failed or self._kept(spec) is not None

    def _kept(self, spec: HudiSpec) -> Path | None:
        return self._cache.lookup(KIND, self._key(spec))

    def _key(self, spec: HudiSpec) -> str:
        return key_of(subject=digest_of(spec, self._files), table=self._writing.key(spec), asked_by=QUERIED_BY)
