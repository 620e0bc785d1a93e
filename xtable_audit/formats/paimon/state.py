"""A Paimon table as it was after a snapshot.

Of a table with a primary key XTable translates the compacted files, those of the last level, alone: what is in others
is merged with them by Paimon's readers, and is beside them for all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

import pyarrow as pa
import pyarrow.parquet as pq

from xtable_audit.formats.folder import TableFolder
from xtable_audit.formats.paimon.manifests import PaimonFile, live_files
from xtable_audit.formats.paimon.snapshots import Schema, Snapshot, schema, snapshots
from xtable_audit.formats.source import NotCompared, SourceState, Undetermined, UpdatesBeside
from xtable_audit.model.figures import many
from xtable_audit.model.malformed import given_up
from xtable_audit.model.scalars import without_views
from xtable_audit.table.synced import Synced


def paimon_state(folder: TableFolder, synced: Synced, live: Collection[str]) -> SourceState:
    """`live` are paths of the translation's live files, below the table: where a file was that is deleted since.

    Raises Problem if the folder holds no Paimon table, Undetermined if its snapshots do not determine its state then.
    """
    known = snapshots(folder)
    at = _synced(known, synced)
    now = schema(folder, at.schema)
    files = live_files(folder, at)
    sizes = folder.sizes("", below=True)
    places = {path.rpartition("/")[2]: path for path in (*live, *sizes)}
    addresses = {one.name: _address(folder, one, places) for one in files}
    merged = [one for one in files if now.primary_keys and one.level != now.top_level]
    whole = [one for one in files if one not in merged]
    return SourceState(
        format="paimon",
        at=str(at.id),
        newest=str(known[-1].id),
        later=sum(one.id > at.id for one in known),
        files={addresses[one.name]: sizes.get(places.get(one.name, "")) for one in whole},
        columns=now.columns,
        partition_by=now.partition_keys,
        beside=dict(_beside(now, whole, merged, addresses)),
        outside=tuple(one.external for one in files if one.external),
        spec="",
    )


def newest(folder: TableFolder) -> Synced:
    """Raises Problem if the folder holds no Paimon table, Malformed for a broken snapshot."""
    return Synced(datetime.fromtimestamp(snapshots(folder)[-1].milliseconds / 1000, UTC))


def _synced(known: Sequence[Snapshot], synced: Synced) -> Snapshot:
    """The snapshot of that time. XTable notes the commit's identifier, too, which all batch jobs share."""
    at = round(synced.time.timestamp() * 1000)
    found = [one for one in known if one.milliseconds == at]
    if not found:
        when = synced.time.isoformat(timespec="milliseconds")
        raise Undetermined(f"the table was synced to the snapshot of {when}, which the source does not have any more")
    return found[-1]


def _address(folder: TableFolder, file: PaimonFile, places: Mapping[str, str]) -> str:
    if file.external:
        return file.external
    if file.name not in places:
        raise Undetermined(f"the source has no file {file.name} any more, which its snapshot names")
    return folder.uri(places[file.name])


def _beside(
    now: Schema, whole: Sequence[PaimonFile], merged: Sequence[PaimonFile], addresses: Mapping[str, str]
) -> Iterator[tuple[str, UpdatesBeside]]:
    """By bucket: what its files hold that are not compacted."""
    compacted = {_bucket(one): one for one in whole}
    for bucket, found in groupby(sorted(merged, key=_bucket), _bucket):
        files = list(found)
        deletes = sum(one.deletes for one in files)
        concerned = compacted.get(bucket, files[0])
        wins = now.last_wins or bucket not in compacted
        updates = sum(one.rows for one in files) - deletes
        yield addresses[concerned.name], UpdatesBeside(many(len(files), "uncompacted file"), updates, deletes, wins)


def _bucket(file: PaimonFile) -> tuple[bytes, int]:
    return file.partition.content, file.bucket


# The rows of a Paimon table, as Arrow reads its data files. Paimon's readers add nothing to them where no file is left
# to be merged.

LIBRARY = "pyarrow"
SUFFIX = ".parquet"


def paimon_rows(
    folder: TableFolder, state: SourceState, uri: str, options: Mapping[str, str], only: Collection[str] | None
) -> pa.Table:
    """Columns that a file lacks are null in its rows. Raises NotCompared if Paimon's readers would merge or leave out
    rows, or if a file is no Parquet file.
    """
    del uri, options  # the files are opened as the folder is
    if state.beside:
        raise NotCompared("the source has files that are not compacted, which Paimon's readers merge with the others")
    at = next((one for one in snapshots(folder) if str(one.id) == state.at), None)
    if at is None:
        raise Undetermined(f"the source does not have snapshot {state.at} any more")
    if at.has_index:
        raise NotCompared("the source has deletion vectors or another index, which is not read")
    now = schema(folder, at.schema)
    written = {one.name: one.schema for one in live_files(folder, at)}

    def table(address: str) -> pa.Table:
        if not address.endswith(SUFFIX):
            raise NotCompared(f"{address} is no Parquet file")
        then = schema(folder, written[address.rpartition("/")[2]]).names
        with folder.objects.open(address) as stream:
            values = pq.read_table(stream, coerce_int96_timestamp_unit="us")
        return pa.table({now.names[id]: values[name] for id, name in then.items() if id in now.names})

    found = folder.objects.each(table, [*state.files] if only is None else sorted(only), given_up)
    if not found:
        return pa.table({name: pa.nulls(0) for name in now.names.values()})
    return without_views(pa.concat_tables(found, promote_options="permissive"))
