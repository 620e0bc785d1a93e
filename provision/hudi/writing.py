"""Hudi's tables on this disk, at every stage of their history: those of one release by one Spark process, and kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.spark_home import SparkHome
from provision.battery_sources import FACTS
from spark_jobs.battery.launch import run_battery
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.stages import is_checksum
from spark_jobs.battery.table import BatteryTable
from spark_jobs.shipping_launch import SHIPS, SOURCES, run_ships
from stack.cache import Cache, key_of
from stack.problem import Problem
from stack.versions import stack_with_hudi
from subjects.hudi_tables import HudiSpec

KIND = "hudi-table"
TREE = "1"
"""The folder of a table's first stage; the published table has no other."""
ROOT = "s3a://hudi-laboratory/tables"
"""The addresses of the laboratory, which are those of no store: its tables lie on this disk. (Those of a store begin
with s3://, and one Hadoop can have both.)"""
SECONDS = 1800
"""Bounds a hung job: a table of the laboratory takes some seconds, the published one in all its kinds some minutes."""


@dataclass(frozen=True)
class WrittenStage:
    """`index` is the Parquet file of the live records of its indexes, None where it has none, or nobody read them."""

    words: str
    tree: Path
    indexed: frozenset[str]
    index: Path | None
    shown: Path | None
    """The rows that Hudi shows, where they are not those of its base files (MERGE_ON_READ)."""


@dataclass(frozen=True)
class Written:
    stages: tuple[WrittenStage, ...]
    versions: dict[str, str]


def entry(spec: HudiSpec) -> BatteryTable:
    """The laboratory's entry at that release."""
    return replace(LAB[spec.dataset], hudi=spec.release)


class Writing:
    """`files` is the size of the published table."""

    def __init__(self, cache: Cache, logs: Path, files: int) -> None:
        self._cache = cache
        self._logs = logs
        self._files = files
        self._failed: dict[str, str] = {}

    def write(self, specs: Sequence[HudiSpec], home: SparkHome) -> None:
        """Writes those of the tables, all of one release, that are not kept yet. Raises Problem where Spark fails."""
        missing = [spec for spec in specs if self._kept(spec) is None and spec.id not in self._failed]
        ships = [spec for spec in missing if spec.dataset in SHIPS]
        laboratory = [spec for spec in missing if spec.dataset not in SHIPS]
        with self._cache.workshop(KIND) as folder:
            if laboratory:
                self._write_laboratory(laboratory, folder, home)
            if ships:
                self._write_ships(ships, folder, home)

    def written(self, spec: HudiSpec) -> Written:
        """A table that `write` has written. Raises Problem in Hudi's own words where it could not."""
        if spec.id in self._failed:
            raise Problem(f"Hudi could not write {spec.id}: {self._failed[spec.id]}")
        kept = self._kept(spec)
        assert kept is not None
        facts = json.loads((kept / FACTS).read_text(encoding="utf-8"))
        merged_on_read = "MERGE_ON_READ" in LAB[spec.dataset].options.values() if spec.dataset in LAB else False
        return Written(tuple(_stages(kept, facts, merged_on_read=merged_on_read)), facts["versions"])

    def _write_laboratory(self, specs: Sequence[HudiSpec], folder: Path, home: SparkHome) -> None:
        entries, log = [entry(spec) for spec in specs], self._logs / f"hudi-{specs[0].release}.log"
        told = run_battery(
            entries, folder, root=ROOT, jars=home.jars, java_home=home.java_home, log=log, timeout=SECONDS
        )
        for spec in specs:
            failure = told[spec.dataset]["failure"]
            if failure is None:
                self._keep(spec, folder / spec.dataset)
            else:
                self._failed[spec.id] = failure

    def _write_ships(self, specs: Sequence[HudiSpec], folder: Path, home: SparkHome) -> None:
        kinds = {f"{spec.dataset}/{TREE}": SHIPS[spec.dataset] for spec in specs}
        release, log = specs[0].release, self._logs / f"hudi-{specs[0].release}-ships.log"
        told = run_ships(
            folder,
            kinds,
            hudi=release,
            files=self._files,
            jars=home.jars,
            java_home=home.java_home,
            log=log,
            timeout=SECONDS,
        )
        # Hadoop's checksums of its local files: in a store Hudi takes those of its logs for more logs.
        for checksum in filter(is_checksum, list(folder.rglob("*"))):
            checksum.unlink()
        for spec in specs:
            facts = told[f"{spec.dataset}/{TREE}"]
            stage = {"words": f"{facts['files']} files", "indexed": facts["indexes"]}
            kept = {"versions": facts["versions"], "stages": [stage]}
            (folder / spec.dataset / FACTS).write_text(json.dumps(kept, indent=1), encoding="utf-8")
            self._keep(spec, folder / spec.dataset)

    def _keep(self, spec: HudiSpec, written: Path) -> None:
        def link(folder: Path) -> None:
            shutil.copytree(written, folder, copy_function=os.link, dirs_exist_ok=True)

        self._cache.publish(KIND, self.key(spec), link, {"table": spec.id})

    def _kept(self, spec: HudiSpec) -> Path | None:
        return self._cache.lookup(KIND, self.key(spec))

    def key(self, spec: HudiSpec) -> str:
        """What decides the table's content."""
        row = stack_with_hudi(spec.release)
        table = entry(spec).key if spec.dataset in LAB else [str(SHIPS[spec.dataset]), self._files, _sources()]
        return key_of(table=table, jars=row.jars, spark=row.spark, root=ROOT)


def _stages(kept: Path, facts: Mapping[str, Any], *, merged_on_read: bool) -> Iterable[WrittenStage]:
    for number, told in enumerate(facts["stages"], start=1):
        index, shown = kept / f"{number}.index.parquet", kept / f"{number}.rows.parquet"
        yield WrittenStage(
            words=told["words"],
            tree=kept / str(number),
            indexed=frozenset(told["indexed"]),
            index=index if index.is_file() else None,
            shown=shown if merged_on_read else None,
        )


def _sources() -> list[str]:
    """Digests of the code that writes the published table."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in SOURCES]
