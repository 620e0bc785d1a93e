"""A table's history played to XTable: each stage put in place and synced, then once more without news, then in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from provision.stages import Stage
from store.objects import restore
from store.workspace import Workspace
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable.target import read_target
from xtable_audit.model.sync import Kind, Sync

SYNCS = "syncs.json"
RECORDED = {"stage": "stage", "kind": "kind", "release": "release", "location": "metadata_location"} | {
    name: name for name in ("failure", "log", "seconds")
}
"""The keys of a recorded sync, and the fields that they hold."""


@dataclass(frozen=True)
class Played:
    """What is to be translated: a table at `prefix`, as XTable's configuration names it."""

    name: str
    format: str
    partition_spec: str
    prefix: str
    stages: Sequence[Stage]


TranslatorOf = Callable[[str], Translator]
"""The translator of a release, started when it is first asked for."""


def play(
    table: Played, store: Workspace, release: str, translator_of: TranslatorOf, since: str | None
) -> Iterator[Sync]:
    """Syncs the table at `release`; the first stage at `since`, where a user upgrades in place.

    A table of one stage has its first sync alone by `since`, and then an incremental one by `release`. A sync that
    fails is told, and the next one is made all the same, as a user's schedule would.
    """
    for number, stage in enumerate(table.stages):
        if len(table.stages) > 1:
            put_in_place(store, table.prefix, stage)
        first = number == 0
        by = since or release if first else release
        yield _sync(table, store, translator_of(by), number, "first" if first else "incremental")
    last = len(table.stages) - 1
    if since:
        yield _sync(table, store, translator_of(release), last, "incremental")
    yield _sync(table, store, translator_of(release), last, "idle")
    yield _sync(table, store, translator_of(release), last, "full")


def _sync(table: Played, store: Workspace, translator: Translator, stage: int, kind: Kind) -> Sync:
    location = store.uri(table.prefix)
    mode = "FULL" if kind == "full" else "INCREMENTAL"
    try:
        synced = translator.sync(table.format, location, table.name, table.partition_spec, mode)
    except SyncFailed as failed:
        there = read_target(location, store)
        found = there.metadata_location if there and there.snapshot is not None else ""
        return Sync(kind, failed.release, found, failed.words, failed.log, result=failed.result, stage=stage)
    return replace(synced, kind=kind, stage=stage, seconds=round(synced.seconds, 3))


def put_in_place(store: Workspace, prefix: str, stage: Stage) -> None:
    """Make the source table under `prefix` what the stage is, and leave the Iceberg metadata beside it alone."""
    assert stage.tree is not None, "a recorded history is not played again"
    restore(store, prefix, stage.tree, spare="metadata")


def write_syncs(path: Path, syncs: Sequence[Sync]) -> None:
    recorded = [{key: getattr(one, name) for key, name in RECORDED.items()} for one in syncs]
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


def read_syncs(path: Path) -> tuple[Sync, ...]:
    """As `write_syncs` left them: without the translator's own results."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Sync(**{RECORDED[key]: value for key, value in one.items()}) for one in recorded)
