"""Plays a table's timeline to XTable: a sync after each stage, then one without new commits, then a full sync."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from provision.stages import Stage
from spark_jobs.battery.table import BatteryTable
from spark_jobs.recipes import Recipe
from store.tables import Seconds, Tables
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable.target import read_target
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.sync import Kind, Sync, Touch

SYNCS = "syncs.json"
RECORDED = {"stage": "stage", "kind": "kind", "release": "release", "location": "metadata_location"} | {
    name: name for name in ("failure", "log", "seconds", "touched", "silent")
}
"""The keys of a recorded sync, and the fields that they hold."""


@dataclass(frozen=True)
class Played:
    """A table to translate, at `prefix`, as XTable's configuration names it."""

    name: str
    format: str
    partition_spec: str
    prefix: str
    stages: Sequence[Stage]
    in_one_second: bool = False
    """Whether the commits of Delta that one sync sees have one second, not one each."""
    in_synced_second: int = 0
    """The stage, from 1, whose commits of Delta have the second of the last one that was synced; 0 for none."""
    writer: Writer = ICEBERG

    @classmethod
    def of(
        cls, recipe: Recipe | BatteryTable, prefix: str, stages: Sequence[Stage], writer: Writer = ICEBERG
    ) -> Played:
        table = cls(recipe.name, recipe.format, recipe.partition_spec, prefix, stages, writer=writer)
        if not isinstance(recipe, BatteryTable):
            return table
        return replace(table, in_one_second=recipe.in_one_second, in_synced_second=recipe.in_synced_second)

    def seconds(self, stage: int) -> Seconds:
        """Those of the commits of Delta that come with this stage, from 1."""
        if stage == self.in_synced_second:
            return "last"
        return "one" if self.in_one_second else "each"


TranslatorOf = Callable[[str], Translator]
"""From a release to its translator, which starts on first use."""


def play(table: Played, tables: Tables, release: str, translator_of: TranslatorOf, since: str | None) -> Iterator[Sync]:
    """Syncs the table by `release` after each stage; with `since`, an upgrade in place, the first stage by `since`.

    With `since` there is one more incremental sync by `release`, so that it syncs a table of one stage too. A failed
    sync is reported, and the next one runs all the same, as it would on a user's schedule.
    """
    for number, stage in enumerate(table.stages):
        if stage.tree is not None:
            put_in_place(tables, table.prefix, stage.tree, table.seconds(number + 1), table.writer)
        first = number == 0
        by = since or release if first else release
        yield _sync(table, tables, translator_of(by), number, "first" if first else "incremental")
    last = len(table.stages) - 1
    if since:
        yield _sync(table, tables, translator_of(release), last, "incremental")
    yield _sync(table, tables, translator_of(release), last, "idle")
    yield _sync(table, tables, translator_of(release), last, "full")


def _sync(table: Played, tables: Tables, translator: Translator, stage: int, kind: Kind) -> Sync:
    before = _source(table, tables)
    synced = _sync_alone(table, tables, translator, stage, kind)
    return replace(synced, touched=tuple(_touched(before, _source(table, tables))))


def _source(table: Played, tables: Tables) -> dict[str, str]:
    """Path below the table -> what changes with the bytes, of every object that is not the translator's output."""
    found = tables.versions(table.prefix).items()
    below = ((key.removeprefix(f"{table.prefix}/"), tag) for key, tag in found)
    return {path: tag for path, tag in below if not path.startswith(f"{table.writer.folder}/")}


def _touched(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Touch]:
    for path in sorted({*before, *after}):
        if path not in after:
            yield Touch("deleted", path)
        elif before.get(path) != after[path]:
            yield Touch("changed" if path in before else "added", path)


def _sync_alone(table: Played, tables: Tables, translator: Translator, stage: int, kind: Kind) -> Sync:
    location = tables.uri(table.prefix)
    mode = "FULL" if kind == "full" else "INCREMENTAL"
    try:
        synced = translator.sync(table.format, location, table.name, table.partition_spec, mode, writer=table.writer)
    except SyncFailed as failed:
        target = read_target(location, tables, table.writer)
        left = target.metadata_location if target and target.snapshot is not None else ""
        return Sync(
            kind,
            failed.release,
            left,
            failed.words,
            failed.log,
            result=failed.result,
            stage=stage,
            silent=failed.silent,
        )
    return replace(synced, kind=kind, stage=stage, seconds=round(synced.seconds, 3))


def put_in_place(tables: Tables, prefix: str, tree: Path, seconds: Seconds = "each", writer: Writer = ICEBERG) -> None:
    """Makes the source table under `prefix` equal to the files of a stage. Leaves the writer's output as it is.

    Objects that are the same keep their times of modification, and each new commit of Delta has its own, unless
    `seconds` says otherwise: they are the times of Delta's commits, by which XTable decides where an incremental sync
    goes on.
    """
    tables.restore(prefix, tree, spare=writer.folder, in_turn=_is_delta_commit, seconds=seconds)


def _is_delta_commit(key: str) -> bool:
    return "/_delta_log/" in key and key.endswith(".json")


def write_syncs(path: Path, syncs: Sequence[Sync]) -> None:
    recorded = [{key: _plain(getattr(sync, name)) for key, name in RECORDED.items()} for sync in syncs]
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


def read_syncs(path: Path) -> tuple[Sync, ...]:
    """What `write_syncs` wrote: syncs without the translator's own results.

    A recording without `silent` has no silent failure.
    """
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Sync(**{RECORDED[key]: _of_plain(value) for key, value in sync.items()}) for sync in recorded)


def _plain(value: object) -> object:
    return [str(one) for one in value] if isinstance(value, tuple) else value


def _of_plain(value: object) -> Any:
    return tuple(map(Touch.parse, value)) if isinstance(value, list) else value
