"""What is kept of a table's values from run to run, so that each file is read once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

import pyarrow as pa

from xtable_audit.model.kept_results import digest
from xtable_audit.model.scan_input import DataFile, Wanted
from xtable_audit.values.measured_rows import kernel

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
