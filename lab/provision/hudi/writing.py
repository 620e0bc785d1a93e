"""Writes Hudi's tables to the local disk at every stage of their timeline; one Spark process writes a release's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.engines.spark.open import SparkHome
from lab.provision.battery_sources import FACTS
from lab.stack.cache import Cache, key_of
from lab.stack.versions import stack_with_hudi
from lab.subjects.hudi_tables import HudiSpec
from spark_jobs.battery.launch import run_battery
from spark_jobs.battery.skipping.laboratory import LAB
from spark_jobs.battery.stages import is_checksum
from spark_jobs.battery.table import BatteryTable
from spark_jobs.launch import SHIPS, SOURCES, run_ships
from xtable_audit.model.problem import Problem

KIND = "hudi-table"
TREE = "1"
"""The folder of a table's first stage; the published table has no other."""
ROOT = "s3a://hudi-laboratory/tables"
"""The laboratory's addresses, which map to the local disk. No store has them: a store's begin with s3://, so that one
Hadoop can use both."""
SECONDS = 1800
"""Timeout for one job. A table of the laboratory takes seconds; all kinds of the published one take minutes."""


@dataclass(frozen=True)
class WrittenStage:
    """`index` is the Parquet file with the live records of its indexes; None if it has none or they were not read."""

    words: str
    tree: Path
    indexed: frozenset[str]
    index: Path | None
    shown: Path | None
    """The rows that Hudi returns, if they differ from those of its base files (MERGE_ON_READ)."""


@dataclass(frozen=True)
class WrittenTable:
    stages: tuple[WrittenStage, ...]
    versions: dict[str, str]


def entry(spec: HudiSpec) -> BatteryTable:
    """The laboratory's entry for that release of Hudi."""
    return replace(LAB[spec.dataset], hudi=spec.release)


class Writing:
    """`files` is the size of the published table."""

    def __init__(self, cache: Cache, logs: Path, files: int) -> None:
        self._cache = cache
        self._logs = logs
        self._files = files
        self._failed: dict[HudiSpec, str] = {}

    def write(self, specs: Sequence[HudiSpec], home: SparkHome) -> None:
        """Writes the tables, all of one release, that are not cached yet. Raises Problem if Spark fails."""
        missing = [spec for spec in specs if self._kept(spec) is None and spec not in self._failed]
        ships = [spec for spec in missing if spec.dataset in SHIPS]
        laboratory = [spec for spec in missing if spec.dataset not in SHIPS]
        with self._cache.work_folder(KIND) as folder:
            if laboratory:
                self._write_laboratory(laboratory, folder, home)
            if ships:
                self._write_ships(ships, folder, home)

    def written(self, spec: HudiSpec) -> WrittenTable:
        """A table that `write` has written. Raises Problem with Hudi's message if it could not."""
        if spec in self._failed:
            raise Problem(f"Hudi could not write {spec.id}: {self._failed[spec]}")
        kept = self._kept(spec)
        assert kept is not None
        facts = json.loads((kept / FACTS).read_text(encoding="utf-8"))
        merged_on_read = "MERGE_ON_READ" in LAB[spec.dataset].options.values() if spec.dataset in LAB else False
        return WrittenTable(tuple(_stages(kept, facts, merged_on_read=merged_on_read)), facts["versions"])

    def _write_laboratory(self, specs: Sequence[HudiSpec], folder: Path, home: SparkHome) -> None:
        entries, log = [entry(spec) for spec in specs], self._logs / f"hudi-{specs[0].release}.log"
        facts = run_battery(
            entries, folder, root=ROOT, jars=home.jars, java_home=home.java_home, log=log, timeout=SECONDS
        )
        for spec in specs:
            failure = facts[spec.dataset]["failure"]
            if failure is None:
                self._keep(spec, folder / spec.dataset)
            else:
                self._failed[spec] = failure

    def _write_ships(self, specs: Sequence[HudiSpec], folder: Path, home: SparkHome) -> None:
        kinds = {f"{spec.dataset}/{TREE}": SHIPS[spec.dataset] for spec in specs}
        release, log = specs[0].release, self._logs / f"hudi-{specs[0].release}-ships.log"
        written = run_ships(
            folder,
            kinds,
            hudi=release,
            files=self._files,
            jars=home.jars,
            java_home=home.java_home,
            log=log,
            timeout=SECONDS,
        )
        # Hadoop's checksum files: in a store, Hudi takes those of its log files for further log files.
        for checksum in filter(is_checksum, list(folder.rglob("*"))):
            checksum.unlink()
        for spec in specs:
            facts = written[f"{spec.dataset}/{TREE}"]
            stage = {"words": f"{facts['files']} files", "indexed": facts["indexes"]}
            kept = {"versions": facts["versions"], "stages": [stage]}
            (folder / spec.dataset / FACTS).write_text(json.dumps(kept, indent=1), encoding="utf-8")
            self._keep(spec, folder / spec.dataset)

    def _keep(self, spec: HudiSpec, written: Path) -> None:
        def link(folder: Path) -> None:
            shutil.copytree(written, folder, copy_function=os.link, dirs_exist_ok=True)

        self._cache.publish(KIND, self.key(spec), link, {"table": str(spec.id)})

    def _kept(self, spec: HudiSpec) -> Path | None:
        return self._cache.lookup(KIND, self.key(spec))

    def key(self, spec: HudiSpec) -> str:
        """The cache key: what decides the table's content."""
        row = stack_with_hudi(spec.release)
        table = entry(spec).key if spec.dataset in LAB else [str(SHIPS[spec.dataset]), self._files, _sources()]
        return key_of(table=table, jars=row.jars, spark=row.spark, root=ROOT)


def _stages(kept: Path, facts: Mapping[str, Any], *, merged_on_read: bool) -> Iterable[WrittenStage]:
    for number, stage in enumerate(facts["stages"], start=1):
        index, shown = kept / f"{number}.index.parquet", kept / f"{number}.rows.parquet"
        yield WrittenStage(
            words=stage["words"],
            tree=kept / str(number),
            indexed=frozenset(stage["indexed"]),
            index=index if index.is_file() else None,
            shown=shown if merged_on_read else None,
        )


def _sources() -> list[str]:
    """Digests of the code that writes the published table."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in SOURCES]
