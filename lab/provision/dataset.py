"""A source table, as its writer wrote it or a recording has it, and its state after each stage of its history."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from lab.provision.sources.every_source import FORMATS
from lab.store.address import Addresses, LocalBucket
from lab.store.tables import Seconds
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from xtable.replay import Recording
from xtable_audit.model.problem import Problem

# The state of a source table after each stage of its history, read by a second implementation of its format.


@dataclass(frozen=True)
class Stage:
    """The table's state at one point of its history."""

    words: str
    """What happened to it since the previous stage."""
    base_files: Mapping[str, int]
    """Path below the table -> size in bytes of every live data file at this stage; no log files."""
    shown: Path | None = None
    """A Parquet file with the rows that the source's engine returns; None if it was not queried."""
    rows: int | None = None
    """How many rows the source's engine returns; None if unknown. Of MERGE_ON_READ by the read-optimized view."""
    columns: tuple[str, ...] | None = None
    """Dotted paths of the columns that the source's engine returns, fields of structs too; None if unknown."""
    tree: Path | None = None
    """The table on the local disk; None for a stage that is recorded without its files."""
    snapshot_rows: int | None = None
    """How many rows the snapshot view of a MERGE_ON_READ table shows; None of every other table."""


def base_files_in(tree: Path, table_format: str) -> dict[str, int]:
    """Path -> size in bytes of the live data files of a table on the local disk.

    Raises Problem if the second implementation of its format cannot read the table.
    """
    try:
        listed = FORMATS[table_format].live_files(tree)
    except Exception as error:
        raise Problem(f"the {table_format} table {tree} cannot be read: {error}") from error
    return {path: (tree / path).stat().st_size for path in listed}


STAGES = "stages.json"
ROWS = "rows.parquet"


def record_stages(stages: Sequence[Stage], folder: Path, name: str) -> None:
    """Writes the newest stage, with its timeline, to `folder/<name>/`, and the facts of all stages beside it.

    Files that the source deleted earlier are not recorded, so that metadata that still lists them shows as a fault.
    """
    tree = stages[-1].tree
    assert tree is not None
    shutil.copytree(tree, folder / name)
    facts = [
        {name: getattr(stage, name) for name in ("words", "rows", "columns")}
        | ({"snapshot_rows": stage.snapshot_rows} if stage.snapshot_rows is not None else {})
        | {"base_files": dict(stage.base_files)}
        for stage in stages
    ]
    (folder / f"{name}.{STAGES}").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    if stages[-1].shown is not None:
        shutil.copyfile(stages[-1].shown, folder / f"{name}.{ROWS}")


def recorded_stages(recording: Recording, recipe: Recipe | BatteryTable) -> tuple[Stage, ...]:
    """The stages that `record_stages` wrote; a single stage for a table that is not of the battery."""
    if not isinstance(recipe, BatteryTable):
        return (Stage("recorded", base_files_in(recording.tree(recipe.name), recipe.format)),)
    facts = json.loads(recording.beside(recipe.name, STAGES, source=True).read_text(encoding="utf-8"))
    rows = recording.beside(recipe.name, ROWS, source=True)
    *earlier, newest = [_recorded_stage(fact) for fact in facts]
    if not rows.is_file():
        return (*earlier, newest)
    return (*earlier, replace(newest, shown=rows, columns=newest.columns or columns_in(rows)))


def _recorded_stage(fact: dict[str, Any]) -> Stage:
    """Older recordings name no columns."""
    columns = fact.get("columns")
    return Stage(**fact | {"columns": None if columns is None else tuple(columns)})


def columns_in(rows: Path) -> tuple[str, ...]:
    """Dotted paths of the columns of a Parquet file, fields of structs too."""
    return tuple(_paths(pq.read_schema(rows), ""))


def _paths(fields: Iterable[pa.Field], prefix: str) -> Iterator[str]:
    for one in fields:
        yield f"{prefix}{one.name}"
        if pa.types.is_struct(one.type):
            yield from _paths(one.type, f"{prefix}{one.name}.")


# A source table, as Spark wrote it or a recording has it.


@dataclass(frozen=True)
class Dataset:
    """A source table that is shown under `prefix`. `stages` are its history, newest last."""

    recipe: Recipe | BatteryTable
    prefix: str
    stages: tuple[Stage, ...] = ()
    key: str = ""
    """Identifies its content; "" if nothing is kept by it."""
    mode: Literal["live", "recorded"] = "live"
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of what wrote it."""
    syncs: Path | None = None
    """The file with the syncs of a recorded history."""
    recorded_on: str | None = None
    """The day of the recording that the source is restored from, as in ISO 8601; None if Spark wrote it."""
    tree: Path | None = None
    """The newest stage, on this disk."""

    def base_files(self, stage: Stage, store: Addresses) -> Mapping[str, int]:
        """Full URI -> size in bytes of its data files at that stage."""
        at = self._addresses(store)
        return {at.uri(f"{self.prefix}/{path}"): size for path, size in stage.base_files.items()}

    def root(self, store: Addresses) -> str:
        """The address of the table, by which its metadata names it."""
        return self._addresses(store).uri(self.prefix)

    def _addresses(self, store: Addresses) -> Addresses:
        return LocalBucket(store.bucket) if FORMATS[self.recipe.format].is_local else store

    def seconds(self, stage: int) -> Seconds:
        """Those of the commits of Delta that come with this stage, from 1."""
        recipe = self.recipe
        if not isinstance(recipe, BatteryTable):
            return "each"
        if stage == recipe.in_synced_second:
            return "last"
        return "one" if recipe.in_one_second else "each"
