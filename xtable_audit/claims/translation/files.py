"""The live data files against the source's own and against the object store."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow.compute as pc

from xtable_audit.claims.deviation import NO_OBJECT, Deviation, deviation, file_name, last
from xtable_audit.claims.needs import BASE_FILES, EXISTING_FILES, LIVE_FILES, READ, SOURCE, read
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.finding import Verdict
from xtable_audit.model.scalars import show
from xtable_audit.subject.case import Case

SPEC = "the live data files are the latest base files of the source"


def _is_looked_at(case: Case) -> bool:
    """Whether somebody looks at the addresses of the data files."""
    return not case.metadata_only


def _may_be_elsewhere(case: Case) -> bool:
    """Whether a look shows how grave it is that a file of the source is missing."""
    return _is_looked_at(case) and bool(_alike(case))


@claim(
    "every latest base file of the source is a live data file",
    needs=(BASE_FILES, read(_may_be_elsewhere)),
    spec=SPEC,
    breaks=Verdict.UNSOUND,
)
def no_file_is_missing(case: Case) -> Iterator[Deviation]:
    """UNREADABLE if the metadata names each of them at another address, where no object is: a reader that looks for
    their rows raises. Else STALE if the last sync failed: the translator says then that newer files are missing.
    """
    missing = sorted(set(case.source.base_files) - set(case.stored.paths))
    if missing:
        yield Deviation(
            places=(),
            saw=f"{len(missing)} of the source's {len(case.source.base_files)} latest base files not in the metadata",
            expected=f"{missing[0]}",
            verdict=milder_for_missing(case),
            unlisted=len(missing),
        )


def milder_for_missing(case: Case) -> Verdict | None:
    """The verdict of missing files and rows where readers do not lose them silently, else None.

    A reader does not open a file that has no row by its record count: PyIceberg and Polars return the other rows.
    """
    named = {last(path) for path in _alike(case) if path in case.without_object}
    if named and _missing(case) <= named:
        return Verdict.UNREADABLE
    return Verdict.STALE if case.behind else None


def _missing(case: Case) -> set[str]:
    """The names of the source's files that the metadata lacks."""
    return {last(path) for path in set(case.source.base_files) - set(case.stored.paths)}


def _alike(case: Case) -> list[str]:
    """The live files with rows that have the name of a missing one."""
    missing = _missing(case)
    counts = zip(case.stored.paths, case.stored.files["record_count"].to_pylist(), strict=True)
    return [path for path, rows in counts if rows and last(path) in missing]


@claim(
    "every live data file is a latest base file of the source",
    needs=(SOURCE, LIVE_FILES, read(_is_looked_at)),
    spec=SPEC,
    breaks=Verdict.STALE,
)
def no_file_is_stale(case: Case) -> Iterator[Deviation]:
    """UNREADABLE for a file that is not there: readers raise, and return no stale row."""
    stale = np.array([path not in case.source.base_files for path in case.stored.paths], dtype=bool)
    gone = np.array([path in case.without_object for path in case.stored.paths], dtype=bool)
    for mask, verdict in ((stale & ~gone, None), (stale & gone, Verdict.UNREADABLE)):
        yield from deviation(
            mask,
            saw=lambda i: f"{case.stored.files['path'][i]} is live",
            expected=lambda i: "only the source's latest base files",
            verdict=verdict,
        )


@claim("every live data file is listed once", needs=LIVE_FILES, spec=SPEC, breaks=Verdict.DUPLICATE)
def no_file_is_listed_twice(case: Case) -> Iterator[Deviation]:
    coded = np.asarray(case.stored.files["path"].combine_chunks().dictionary_encode().indices)
    times = np.bincount(coded)[coded]
    yield from deviation(
        times > 1, saw=lambda i: f"{file_name(case, i)} is listed {times[i]} times", expected=lambda i: "once"
    )


@claim("every live data file exists", needs=(LIVE_FILES, READ), spec=rules.FILE_PATH, breaks=Verdict.UNREADABLE)
def every_file_exists(case: Case) -> Iterator[Deviation]:
    """PyIceberg, DuckDB, Polars and Daft raise when they read such a file. DuckDB counts its rows by the metadata."""
    yield from deviation(
        pc.invert(case.actual.files["exists"]),
        saw=lambda i: f"no object at {case.stored.files['path'][i]}",
        expected=lambda i: f"the data file that the {case.rules.term('manifest')} names",
        kind=NO_OBJECT,
    )


@claim(
    "file_size_in_bytes is the size of the file",
    needs=EXISTING_FILES,
    spec=rules.FILE_SIZE,
    breaks=Verdict.FAILED_SILENTLY,
)
def sizes_are_exact(case: Case) -> Iterator[Deviation]:
    """Readers locate the footer by this size: they cannot read a file with a wrong one."""
    stored, true = case.stored.files["size"], case.actual.files["size"]
    name = case.rules.term("file_size_in_bytes")
    yield from deviation(
        pc.not_equal(stored, true),
        saw=lambda i: f"{name} {show(stored[i])} for {file_name(case, i)}",
        expected=lambda i: f"{true[i]} bytes",
    )
