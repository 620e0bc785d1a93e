"""A table's history played to XTable: each stage put in place and synced, then once more without news, then in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from provision.stages import Stage
from store.objects import restore
from store.s3 import Store
from xtable.report import SyncFailed
from xtable.sync import Translator
from xtable.target import read_target

Kind = Literal["first", "incremental", "idle", "full"]
SYNCS = "syncs.json"


@dataclass(frozen=True)
class Synced:
    """One sync of a table. `location` is its newest metadata.json afterwards, "" where there is none."""

    stage: int
    """Place of the source's stage that was translated."""
    kind: Kind
    release: str
    location: str
    failure: str | None
    """XTable's own words where it said that it failed."""
    log: str
    seconds: float


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


def play(table: Played, store: Store, release: str, translator_of: TranslatorOf, since: str | None) -> Iterator[Synced]:
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


def _sync(table: Played, store: Store, translator: Translator, stage: int, kind: Kind) -> Synced:
    location = store.uri(table.prefix)
    mode = "FULL" if kind == "full" else "INCREMENTAL"
    try:
        report = translator.sync(table.format, location, table.name, table.partition_spec, mode)
    except SyncFailed as failed:
        there = read_target(location, store)
        found = there.location if there and there.snapshot is not None else ""
        return Synced(stage, kind, failed.release, found, failed.words, failed.log, 0.0)
    return Synced(stage, kind, report.release, report.metadata_location, None, report.log, round(report.seconds, 3))


def put_in_place(store: Store, prefix: str, stage: Stage) -> None:
    """Make the source table under `prefix` what the stage is, and leave the Iceberg metadata beside it alone."""
    assert stage.tree is not None, "a recorded history is not played again"
    restore(store, prefix, stage.tree, spare="metadata")


def write_syncs(path: Path, syncs: Sequence[Synced]) -> None:
    path.write_text(json.dumps([asdict(one) for one in syncs], indent=1) + "\n", encoding="utf-8")


def read_syncs(path: Path) -> tuple[Synced, ...]:
    return tuple(Synced(**one) for one in json.loads(path.read_text(encoding="utf-8")))
