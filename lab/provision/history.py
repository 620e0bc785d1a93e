"""Plays a table's timeline to XTable: a sync after each stage, then one without new commits, then a full sync."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lab.provision.dataset import Dataset
from lab.store.tables import Seconds, Tables
from xtable.sync import Translator
from xtable.sync_report import SyncFailed
from xtable.target import read_target
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.sync import Kind, Sync, Touch

SYNCS = "syncs.json"
RECORDED = {"stage": "stage", "kind": "kind", "release": "release", "location": "metadata_location"} | {
    name: name for name in ("failure", "log", "seconds", "touched", "silent")
}
"""The keys of a recorded sync, and the fields that they hold."""


TranslatorOf = Callable[[str], Translator]
"""From a release to its translator, which starts on first use."""


def play(
    dataset: Dataset,
    tables: Tables,
    release: str,
    translator_of: TranslatorOf,
    since: str | None = None,
    writer: Writer = ICEBERG,
) -> Iterator[Sync]:
    """Syncs the table by `release` after each stage; with `since`, an upgrade in place, the first stage by `since`.

    With `since` there is one more incremental sync by `release`, so that it syncs a table of one stage too. A failed
    sync is reported, and the next one runs all the same, as it would on a user's schedule.
    """

    def sync(by: str, stage: int, kind: Kind) -> Sync:
        before = _source(dataset, tables, writer)
        synced = _sync(dataset, tables, translator_of(by), stage, kind, writer)
        return replace(synced, touched=tuple(_touched(before, _source(dataset, tables, writer))))

    for number, stage in enumerate(dataset.stages):
        if stage.tree is not None:
            put_in_place(tables, dataset.prefix, stage.tree, dataset.seconds(number + 1), writer)
        first = number == 0
        yield sync(since or release if first else release, number, "first" if first else "incremental")
    last = len(dataset.stages) - 1
    if since:
        yield sync(release, last, "incremental")
    yield sync(release, last, "idle")
    yield sync(release, last, "full")


def _source(dataset: Dataset, tables: Tables, writer: Writer) -> dict[str, str]:
    """Path below the table -> what changes with the bytes, of every object that is not the writer's output."""
    found = tables.versions(dataset.prefix).items()
    below = ((key.removeprefix(f"{dataset.prefix}/"), tag) for key, tag in found)
    return {path: tag for path, tag in below if not path.startswith(f"{writer.folder}/")}


def _touched(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Touch]:
    for path in sorted({*before, *after}):
        if path not in after:
            yield Touch("deleted", path)
        elif before.get(path) != after[path]:
            yield Touch("changed" if path in before else "added", path)


def _sync(dataset: Dataset, tables: Tables, translator: Translator, stage: int, kind: Kind, writer: Writer) -> Sync:
    recipe, location = dataset.recipe, tables.uri(dataset.prefix)
    mode = "FULL" if kind == "full" else "INCREMENTAL"
    try:
        synced = translator.sync(recipe.format, location, recipe.name, recipe.partition_spec, mode, writer=writer)
    except SyncFailed as failed:
        target = read_target(location, tables, writer)
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
