"""A Hudi table at one stage of its timeline: all rows of the base files that Hudi lists, and the indexes' records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from lab.provision.hudi.trials import live_files
from lab.provision.hudi.writing import WrittenStage
from xtable_audit.formats.hudi.index import INDEX
from xtable_audit.formats.hudi.indexed_table import FILE, PARTITION, HudiStage, partition_of
from xtable_audit.readers.reader import Reader

NAMED_BY_HUDI = "_hoodie_file_name"


def read_stage(reader: Reader, location: str, stage: WrittenStage) -> HudiStage:
    """The stage, from the table that is at `location` now. Raises Problem if Hudi cannot list it."""
    live = live_files(reader, location)
    values = rows_of(stage.tree, live) if stage.shown is None else rows_shown(stage.shown, live)
    return HudiStage(
        words=stage.words,
        indexed=stage.indexed,
        values=values,
        index=pq.read_table(stage.index, schema=INDEX) if stage.index else INDEX.empty_table(),
        empty=live - set(values[FILE].to_pylist()),
        beside=_files_of_the_table(stage.tree) - live,
    )


def rows_of(tree: Path, files: Iterable[str]) -> pa.Table:
    """Every row of these base files."""
    nothing = pa.schema([(FILE, pa.string()), (PARTITION, pa.string())]).empty_table()
    tables = [_located(pq.read_table(tree / file, partitioning=None), file) for file in sorted(files)]
    return pa.concat_tables([*tables, nothing], promote_options="permissive")


def rows_shown(shown: Path, live: Iterable[str]) -> pa.Table:
    """The rows as Hudi returns them, each with its base file: its actual values, log files included."""
    rows = pq.read_table(shown)
    slices = {_slice(file): file for file in live}
    files = [slices[_slice(name)] for name in rows[NAMED_BY_HUDI].to_pylist()]
    return rows.append_column(FILE, pa.array(files)).append_column(PARTITION, pa.array(map(partition_of, files)))


def _located(rows: pa.Table, file: str) -> pa.Table:
    for name, value in {FILE: file, PARTITION: partition_of(file)}.items():
        rows = rows.append_column(name, pa.repeat(pa.scalar(value), len(rows)))
    return rows


def _slice(file: str) -> str:
    """The id of the file's file group, which begins its name. A row from a log file names only the group."""
    return PurePosixPath(file).name.partition("_")[0]


def _files_of_the_table(tree: Path) -> frozenset[str]:
    """Base files and log files, live or not, without those of Hudi's metadata."""
    found = (path.relative_to(tree) for path in tree.rglob("*") if path.is_file())
    return frozenset(path.as_posix() for path in found if not path.parts[0].startswith(".hoodie"))
