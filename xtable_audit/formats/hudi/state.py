"""A Hudi table as it was after an instant: its state by its timeline and files, its rows as hudi-rs shows them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

import pyarrow as pa

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.hudi.schema import OWN, PARQUET, base_format, columns_in, partition_fields, read_settings
from xtable_audit.formats.hudi.timeline import BASE, LOG, HudiCommit, HudiTimeline, live_files
from xtable_audit.formats.source import SourceState, Undetermined, UpdatesBeside
from xtable_audit.model.figures import many
from xtable_audit.table.synced import Synced

LAST_WINS = "OverwriteWithLatestAvroPayload"
"""Hudi's payload, by default up to 0.15, with which the last write of a row replaces it."""


def hudi_state(folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """`live` are paths of the translation's live files, below the table.

    Raises Problem if the folder holds no Hudi table, Undetermined if its timeline does not determine its state then.
    """
    settings = read_settings(folder)
    if base_format(settings) != PARQUET:
        raise Undetermined(f"the source has base files of {base_format(settings)}")
    timeline = HudiTimeline.read(folder)
    shown = {time for name in live if (time := _written_at(name)) and timeline.is_visible(time)}
    at = max([_instant(synced), *shown & {one.time for one in timeline.writes}])
    pending = {_text(time) for time in synced.pending} - shown
    _demand_known(timeline, at)
    names = folder.sizes("", below=True)
    every = {*names, *timeline.cleaned(at), *(path for one in timeline.commits for path in _paths(one))}
    state = live_files(every, timeline, at, pending)
    commits = [one for one in timeline.commits if one.instant.time <= at and one.instant.time not in pending]
    files = {folder.uri(name): names.get(name) for name in state.base}
    return SourceState(
        format="hudi",
        at=at,
        newest=timeline.writes[-1].time,
        later=sum(one.time > at or one.time in pending for one in timeline.writes),
        files=files,
        outside=tuple(uri for uri in files if not folder.holds(uri)),
        columns=_columns(folder, commits, settings),
        partition_by=partition_fields(settings),
        spec_is_configured=True,
        beside={folder.uri(name): beside for name, beside in _beside(commits, state.base, wins=_last_wins(settings))},
    )


def _written_at(name: str) -> str | None:
    """The instant that wrote a base file, by its name."""
    found = BASE.fullmatch(name.rpartition("/")[2])
    return found["time"] if found else None


def _instant(synced: Synced) -> str:
    return synced.identifier or _text(synced.time)


def _text(time: datetime) -> str:
    """As Hudi names an instant. XTable takes its digits for UTC, whatever the table's time zone."""
    return f"{time:%Y%m%d%H%M%S}{time.microsecond // 1000:03}"


def _demand_known(timeline: HudiTimeline, at: str) -> None:
    writes = timeline.writes
    if not writes:
        raise Undetermined("the source's timeline has no completed write")
    read = timeline.commits[0].instant.time
    if at < read:
        raise Undetermined(f"the table was synced to instant {at}, and the source's timeline is read from {read} on")
    known = {one.time for one in timeline.completed}  # XTable counts cleans and rollbacks too
    if at not in known and not (at.endswith("999") and at[:-3] in known):
        raise Undetermined(f"the table was synced to instant {at}, which the source's timeline does not have any more")


def _paths(commit: HudiCommit) -> Iterator[str]:
    for paths in commit.written.values():
        yield from paths


def _columns(folder: TableFolder, commits: Collection[HudiCommit], settings: Mapping[str, str]) -> tuple[str, ...]:
    """By the newest commit that has a schema, or by the table's settings."""
    kept = [one.schema for one in commits if one.schema]
    text = kept[-1] if kept else settings.get("hoodie.table.create.schema", "")
    own = OWN if settings.get("hoodie.populate.meta.fields", "true") == "true" else ()
    found = [one.path for one in columns_in(text or "{}", folder.root)]
    from_paths = [one.rpartition(".")[2] for one in partition_fields(settings)]  # Hudi shows them, if files lack them
    return tuple(dict.fromkeys((*own, *found, *from_paths)))


def _last_wins(settings: Mapping[str, str]) -> bool:
    """Whether a later write of a row replaces it, whatever its values: not so where rows are ordered by a column."""
    mode = settings.get("hoodie.record.merge.mode", "")
    payload = settings.get("hoodie.compaction.payload.class", settings.get("hoodie.table.payload.class", ""))
    return mode == "COMMIT_TIME_ORDERING" or (not mode and payload.rpartition(".")[2] in ("", LAST_WINS))


def _beside(
    commits: Collection[HudiCommit], base: Collection[str], *, wins: bool
) -> Iterator[tuple[str, UpdatesBeside]]:
    """What the live file groups have in log files that their base file does not include."""
    newest = {}
    for name in base:
        part, _, file = name.rpartition("/")
        found = BASE.fullmatch(file)
        assert found is not None
        newest[part, found["group"]] = found["time"], name
    replaced = {(part, id) for one in commits for part, ids in one.replaced.items() for id in ids}
    held: dict[str, list[tuple[int, int]]] = {}
    for commit in commits:
        for part, writes in commit.writes.items():
            for write in writes:
                log = LOG.fullmatch(write.path.rpartition("/")[2])
                if log is None or (part, log["group"]) in replaced or not (write.records or write.deletes):
                    continue
                time, name = newest.get((part, log["group"]), ("", write.path))
                if log["time"] >= time:
                    held.setdefault(name, []).append((write.records, write.deletes))
    for name, counts in held.items():
        updates, deletes = map(sum, zip(*counts, strict=True))
        yield name, UpdatesBeside(many(len(counts), "log file"), updates, deletes, wins)


LIBRARY = "hudi-rs"


def hudi_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Raises Undetermined if the library shows other files, and whatever it raises."""
    from hudi import HudiReadOptions, HudiTableBuilder  # late: an extra

    table = HudiTableBuilder.from_base_uri(uri).with_storage_options(dict(options)).build()
    at = HudiReadOptions()
    if state.later:
        at = at.with_as_of_timestamp(state.at)
    slices = {folder.uri(one.base_file_relative_path()): one for one in table.get_file_slices(at)}
    if slices.keys() != {*state.files}:
        raise Undetermined(f"{LIBRARY} shows other files at instant {state.at}")
    if only is None:
        batches = table.read(at)
    else:
        reader = table.create_file_group_reader_with_options(at)
        batches = [reader.read_file_slice(slices[name], at) for name in sorted(only)]
    top = [path for path in state.columns if "." not in path]
    return pa.Table.from_batches(batches) if batches else pa.table({name: pa.nulls(0) for name in top})
