"""Hudi's tables of one release after the other: written by one Spark process, asked by another, both kept."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from engines.spark_home import SparkHome
from provision.hudi import asking, stages
from provision.hudi.asking import Place, put
from provision.hudi.kept import keep
from provision.hudi.stages import read_stage
from provision.hudi.writing import ROOT, Writing
from provision.progress import Progress, Step
from readers.apart import ReaderApart
from spark_jobs.addresses import demand_own_addresses
from spark_jobs.shipping_launch import SHIPS
from stack.cache import Cache, key_of
from stack.jars import resolve_spark_jars
from stack.java import find_java
from stack.mount import Mount
from stack.problem import Problem
from stack.versions import stack_with_hudi
from store.objects import upload
from store.running import RunningStore
from subjects.hudi_questions import questions
from subjects.hudi_subject import subject_of
from subjects.hudi_tables import HUDI_TABLES, HudiSpec
from xtable_audit.hudi.case import HudiCase

KIND = "hudi-answers"
GUEST = "hudi-lab"

ASKED_BY = [hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest() for module in (asking, stages)]
"""How Hudi is asked is part of what a kept answer is."""


class HudiLab:
    """Makes what is missing at the first call, for all the tables of that release that were announced.

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
        self._announced: set[str] = set()
        self._failed: dict[str, str] = {}

    def announce(self, ids: Iterable[str]) -> None:
        """These tables will be asked for."""
        self._announced.update(ids)

    def folder(self, id: str) -> Path:
        """Where the table and its trials are kept (see `provision.hudi.kept`). Raises Problem where it has none."""
        spec = HUDI_TABLES[id]
        if not self._settled(spec):
            self._make(spec.release, [HUDI_TABLES[one] for one in sorted({*self._announced, id})])
        if id in self._failed:
            raise Problem(self._failed[id])
        kept = self._kept(spec)
        assert kept is not None
        return kept

    def _make(self, release: str, announced: list[HudiSpec]) -> None:
        missing = [spec for spec in announced if spec.release == release and not self._settled(spec)]
        with self._progress.step("Hudi", f"{release}: {len(missing)} tables") as step:
            try:
                home = self._home(release, step)
                self._progress.update(step, f"{release}: {len(missing)} tables, Spark is writing")
                self._writing.write(missing, home)
            except Problem as problem:
                self._failed |= {spec.id: str(problem) for spec in missing}
                return
            with tempfile.TemporaryDirectory(prefix="xtable-audit-lab-") as folder:
                mount = Mount(ROOT, Path(folder))
                reader = ReaderApart("hudi", self._store().guest(GUEST).store, replace(home, mount=mount))
                try:
                    for spec in missing:
                        self._progress.update(step, f"{spec.id}: Hudi's own reader is asked")
                        self._ask(spec, reader, mount)
                finally:
                    reader.close()
            step.detail = f"{release}: {len(missing)} tables, written and asked of Hudi's own reader"

    def _home(self, release: str, step: Step) -> SparkHome:
        row = stack_with_hudi(release)
        jars = resolve_spark_jars(row, self._progress.downloads(step, f"Hudi {release}"))
        return SparkHome(find_java(row.java), jars)

    def _ask(self, spec: HudiSpec, reader: ReaderApart, mount: Mount) -> None:
        try:
            written = self._writing.written(spec)
            locations = (mount.show(spec.dataset, stage.tree) for stage in written.stages)
            read = tuple(read_stage(reader, *one) for one in zip(locations, written.stages, strict=True))
            place = self._place(spec, written.stages[-1].tree, read[-1].files, mount)
            trials = put(reader, place, questions(spec.dataset, read[-1]))
        except Problem as problem:
            self._failed[spec.id] = str(problem)
            return
        case, subject = HudiCase(spec.id, spec.release, read, trials), subject_of(spec, self._files)
        self._cache.publish(KIND, self._key(spec), lambda folder: keep(folder, case, subject, written.versions))

    def _place(self, spec: HudiSpec, tree: Path, files: Iterable[str], mount: Mount) -> Place:
        """The published table lies in the store, whose log tells what is opened; the others on this disk."""
        if spec.dataset not in SHIPS:
            return Place(mount.place(spec.dataset).address, {})
        guest, prefix = self._store().guest(GUEST), f"hudi/{spec.id}"
        demand_own_addresses(
            tree, guest.store.uri(prefix)
        )  # it may be moved: it has one commit, which names no address
        upload(guest.store, prefix, tree)
        return Place(guest.store.uri(prefix), {file: f"{prefix}/{file}" for file in files}, guest.log)

    def _settled(self, spec: HudiSpec) -> bool:
        return spec.id in self._failed or self._kept(spec) is not None

    def _kept(self, spec: HudiSpec) -> Path | None:
        return self._cache.lookup(KIND, self._key(spec))

    def _key(self, spec: HudiSpec) -> str:
        return key_of(subject=subject_of(spec, self._files), table=self._writing.key(spec), asked_by=ASKED_BY)
