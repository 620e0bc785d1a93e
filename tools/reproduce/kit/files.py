"""The live data files against those of the source, and against those that are there."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
from verdict import Fails  # type: ignore[import-not-found]

UNREADABLE = "UNREADABLE"


def of_files(live: Counter[str], in_source: list[str], absent: set[str]) -> Iterator[tuple[str, str, str]]:
    """The live data files against the source's: the claim that fails, why, and its verdict if it is not the usual one.

    A reader raises, and loses nothing silently, where a file is named at an address at which there is none: `absent`
    are those of the newest metadata. What an older one names may be gone since.
    """
    missing = sorted(set(in_source) - set(live))
    misplaced = {Path(path).name for path in missing} <= {Path(path).name for path in absent}
    for path in missing:
        verdict = UNREADABLE if misplaced else ""
        yield "no_file_is_missing", f"{short(path)} of the source is not in the metadata", verdict
    for path in sorted(set(live) - set(in_source)):
        verdict = UNREADABLE if path in absent else ""
        yield "no_file_is_stale", f"{short(path)} is in the metadata and not in the source", verdict
    for path, times in live.items():
        if times > 1:
            yield "no_file_is_listed_twice", f"{short(path)} is listed {times} times", ""


def of_rows_that_are_there(paths: list[Path], in_source: int) -> Iterator[Fails]:
    """Rows in files that are named where there is none: a reader raises that looks for them."""
    rows = sum(pq.read_metadata(path).num_rows for path in paths)
    if rows < in_source:
        words = f"{in_source - rows} of the source's {in_source} rows are in no live file that exists"
        yield Fails("no_row_is_missing", words, verdict=UNREADABLE)


def of_counts_of_rows(stored: Iterable[int | None], paths: list[Path]) -> Iterator[Fails]:
    for count, path in zip(stored, paths, strict=True):
        if count is not None and path.exists() and count != (rows := pq.read_metadata(path).num_rows):
            yield Fails("record_counts_are_exact", f"{path.name}: {count} stored, {rows} rows")


def short(path: str) -> str:
    """Its name and folder."""
    return "/".join(Path(path).parts[-2:])


def local(path: str) -> Path:
    """The file that a reader looks for: nothing is decoded."""
    return Path(path.removeprefix("file://").removeprefix("file:"))
