"""What reading values costs, estimated before it is spent, and values kept from run to run, so each is read once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

import pyarrow as pa
import pyarrow.compute as pc

from xtable_audit.model.figures import in_bytes, many
from xtable_audit.model.keep import digest
from xtable_audit.model.wanted import DataFile, Wanted
from xtable_audit.scan.scanner import Power
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import kernel

REQUESTS = 3
"""Requests per file: one opens it, one is for the footer, one for a row group's pages. Whether an earlier run has read
it is known by then, by a request more.
"""
OF_VECTOR = 2
"""Requests for the deletion vector that a file is read with: one opens its file, one is for the vector."""
GROUP = 128 << 20
"""Bytes of a row group, by Parquet's usual default: each takes a request more."""
DECODED = 50e6
"""Bytes of Parquet that one core decodes and compares in a second."""
PER_FILE, PER_COLUMN = 2e-3, 1e-4
"""Seconds that a core takes to open a file, and for each of its columns, however small it is."""
LATENCY = 0.05
"""Seconds that a request to a remote store takes."""
REMOTE = 100e6
"""Bytes that a remote store delivers to one machine in a second."""
GETS, GIGABYTE = 0.0004 / 1000, 0.09
"""US dollars for a request, and for a gigabyte that leaves AWS; S3 Standard, us-east-1, November 2026."""


@dataclass(frozen=True)
class ReadCost:
    """An estimate. `dollars` and `dollars_out` (if the bytes leave AWS) are None for stores other than AWS."""

    files: int
    bytes: int
    requests: int
    seconds: float
    dollars: float | None = None
    dollars_out: float | None = None

    def __add__(self, other: ReadCost) -> ReadCost:
        return ReadCost(
            max(self.files, other.files),
            self.bytes + other.bytes,
            self.requests + other.requests,
            self.seconds + other.seconds,
            None if self.dollars is None or other.dollars is None else self.dollars + other.dollars,
            None if self.dollars_out is None or other.dollars_out is None else self.dollars_out + other.dollars_out,
        )

    def __str__(self) -> str:
        about = f"{many(self.files, 'file')}, {in_bytes(self.bytes)}, about {in_time(self.seconds)}"
        if self.dollars is None or self.dollars_out is None:
            return about
        out = f"${self.dollars_out:,.2f} if they leave AWS's region"
        return f"{about}, {self.requests:,} requests for ${self.dollars:,.2f}, and {out}"


def estimate(stored: StoredMetrics, whole: StoredMetrics, power: Power, *, remote: bool, on_aws: bool) -> ReadCost:
    """The cost of reading every file of `stored`; `whole` has all of their columns."""
    sizes = stored.files["size"].to_pylist()
    share = _share(stored, whole)
    size = int(sum(sizes) * share)
    vectors = len(sizes) - stored.files["vector"].null_count if "vector" in stored.files.column_names else 0
    requests = sum(REQUESTS + (one or 0) // GROUP for one in sizes) + OF_VECTOR * vectors
    work = size / DECODED + len(sizes) * (PER_FILE + PER_COLUMN * len(stored.leaves))
    seconds = work / power.cores
    if remote:
        seconds = max(seconds, size / REMOTE / power.machines, requests * LATENCY / power.files)
    if not on_aws:
        return ReadCost(len(sizes), size, requests, seconds)
    return ReadCost(len(sizes), size, requests, seconds, requests * GETS, size / 1e9 * GIGABYTE)


def _share(stored: StoredMetrics, whole: StoredMetrics) -> float:
    """The share of the bytes that the columns of `stored` have, by the stored column sizes; 1 if they do not tell."""
    if len(stored.leaves) == len(whole.leaves):
        return 1.0
    mine, all = (sum(_sum(sizes) for sizes in one.column_sizes.values()) for one in (stored, whole))
    return mine / all if all and mine else 1.0


def _sum(sizes: pa.Array) -> int:
    return pc.sum(sizes).as_py() or 0


def in_time(seconds: float) -> str:
    if seconds < 60:
        return many(max(1, round(seconds)), "second")
    if seconds < 5400:
        return many(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"


PART, OLD = ".part", 3600.0
"""What a file ends in while it is written; seconds from which it is not written any more."""
KEY = "kept_as"
"""The column that says which file, in which form, a row is of."""


def default_folder() -> Path:
    """Where the user's caches are: XTABLE_AUDIT_CACHE, else below XDG_CACHE_HOME, else ~/.cache."""
    named = os.environ.get("XTABLE_AUDIT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return (Path(named) if named else Path(base) / "xtable-audit") / "measured"


@dataclass
class Kept:
    """The rows of `xtable_audit.values.measured_rows` that are kept of one table, for one `Wanted`."""

    folder: Path
    _rows: dict[str, tuple[pa.Table, int]] = field(default_factory=dict)
    """Key -> the table that holds the row, and the row's place in it."""

    @classmethod
    def of(cls, root: Path, table: str, wanted: Wanted) -> Kept:
        """What earlier runs kept. A file that cannot be read is as if it were not there."""
        kept = cls(root / digest(table) / digest(repr(wanted), kernel()))
        _sweep(kept.folder)
        for file in sorted(kept.folder.glob("*.arrow")):
            with suppress(OSError, pa.ArrowException, KeyError):
                kept._take(pa.ipc.open_file(pa.memory_map(str(file))).read_all())
        return kept

    def _take(self, rows: pa.Table) -> None:
        self._rows |= {key: (rows, place) for place, key in enumerate(rows[KEY].to_pylist())}

    def __contains__(self, key: str | None) -> bool:
        return key in self._rows

    def rows(self, keys: Iterable[str]) -> list[pa.Table]:
        """The rows in any order, without KEY."""
        return [table.drop_columns(KEY) for table in self._tables(keys)]

    def _tables(self, keys: Iterable[str]) -> list[pa.Table]:
        """One table for each table that holds some of the rows."""
        places: dict[int, tuple[pa.Table, list[int]]] = {}
        for key in keys:
            table, place = self._rows[key]
            places.setdefault(id(table), (table, []))[1].append(place)
        return [table.take(pa.array(those)) for table, those in places.values()]

    def add(self, measured: pa.Table, keys: Mapping[str, str | None]) -> None:
        """Keeps rows; `keys` has the key by the file's path. Files that were not read are measured again next time.

        Raises OSError if the folder cannot be written.
        """
        mine = [keys.get(path) for path in measured["path"].to_pylist()]
        read = measured["record_count"].is_valid().to_pylist()
        places = [place for place, key in enumerate(mine) if key is not None and read[place]]
        if not places:
            return
        rows = measured.take(pa.array(places)).append_column(KEY, pa.array([mine[place] for place in places]))
        self._write(rows)
        self._take(rows)

    def keep_only(self, keys: Iterable[str]) -> None:
        """Rewrites what is kept as one file, without rows of files that are gone. Raises OSError."""
        old = sorted(self.folder.glob("*.arrow"))
        wanted = [key for key in keys if key in self]
        if len(old) < 2 and len(wanted) == len(self._rows):
            return
        if wanted:
            self._write(pa.concat_tables(self._tables(wanted)).unify_dictionaries().combine_chunks())
        for file in old:
            file.unlink(missing_ok=True)

    def _write(self, rows: pa.Table) -> None:
        """Each file is whole or absent, whatever interrupts the run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=self.folder, suffix=PART, delete=False) as part:
            path = Path(part.name)
            try:
                with pa.ipc.new_file(part, rows.schema) as writer:
                    writer.write_table(rows)
            except BaseException:
                path.unlink(missing_ok=True)
                raise
        path.replace(path.with_suffix(".arrow"))


def _sweep(folder: Path) -> None:
    """Removes what runs left that were ended while they wrote."""
    for part in folder.glob(f"*{PART}"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > OLD:
                part.unlink()


def key_of(file: DataFile, size: int | None, modified: int | None, mapping: object) -> str | None:
    """The key of a file; None if the store does not tell its size or when it was modified."""
    if size is None or modified is None:
        return None
    constants = sorted((name, repr(value.as_py())) for name, value in file.constants.items())
    return digest(
        file.path, str(size), str(modified), repr(constants), repr(mapping), repr(file.order), repr(file.vector)
    )
