"""Deletion vectors (format version 3): where they lie, which data file they are of, and that they hold all deletes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from xtable_audit.claims.deviation import Deviation, last
from xtable_audit.formats.iceberg.claims.delete_files import name, of
from xtable_audit.formats.iceberg.claims.needs import BLOBS, MERGED_VECTORS, VECTORS, beside_of, positions, vectors
from xtable_audit.formats.iceberg.delete_contents import DeleteContents
from xtable_audit.model import rules
from xtable_audit.model.claim import claim
from xtable_audit.model.figures import many
from xtable_audit.model.finding import Verdict
from xtable_audit.subject.case import Case
from xtable_audit.table.deletions import DeleteFile


@claim(
    "content_offset and content_size_in_bytes are those of the deletion vector in the Puffin file's footer",
    needs=VECTORS,
    spec=rules.VECTOR_PLACE,
    breaks=Verdict.UNREADABLE,
)
def vectors_are_where_the_footer_has_them(case: Case) -> Iterator[Deviation]:
    """COSMETIC if a vector lies there all the same: Iceberg's Java reads no footer."""
    for one in vectors(case):
        if one.size is not None and one.blob is None:
            saw = f"offset {one.file.offset} and size {one.file.length} for {name(one)}"
            there = Verdict.COSMETIC if one.malformed is None else None
            yield of(case, one, saw, "the offset and length of a blob of its footer", there, paths=_paths(one.file))


@claim(
    "every deletion vector names its data file, as its blob in the Puffin file does",
    needs=VECTORS,
    spec=rules.VECTOR_FILE,
    breaks=Verdict.UNREADABLE,
)
def vectors_name_their_files(case: Case) -> Iterator[Deviation]:
    """STALE if the two differ: Iceberg's Java follows the manifest, PyIceberg the blob."""
    for one in vectors(case):
        if one.file.referenced is None:
            yield of(case, one, f"no referenced_data_file for {name(one)}", "the data file of the vector")
        elif one.blob is not None and one.blob.referenced != one.file.referenced:
            saw = f"referenced_data_file {last(one.file.referenced)} for {name(one)}"
            yield of(case, one, saw, f"{last(one.blob.referenced or 'none')}, by its blob", Verdict.STALE)


@claim(
    "the cardinality that a deletion vector's blob states is the number of its positions",
    needs=BLOBS,
    spec=rules.VECTOR_CARDINALITY,
    breaks=Verdict.COSMETIC,
)
def vectors_have_their_cardinality(case: Case) -> Iterator[Deviation]:
    for one in vectors(case):
        if one.blob is not None and one.record_count is not None and one.blob.cardinality != str(one.record_count):
            saw = f"cardinality {one.blob.cardinality or 'none'} for {name(one)}"
            yield of(case, one, saw, many(one.record_count, "position"))


@claim("every deletion vector is of a live data file", needs=VECTORS, spec=rules.VECTOR_LIVE, breaks=Verdict.COSMETIC)
def vectors_are_of_live_files(case: Case) -> Iterator[Deviation]:
    for one in vectors(case):
        if one.file.referenced is not None and one.file.referenced not in case.stored.deletions.data:
            yield of(case, one, f"{name(one)} references {one.file.referenced}", "a live data file")


@claim("a data file has at most one deletion vector", needs=VECTORS, spec=rules.ONE_VECTOR, breaks=Verdict.UNREADABLE)
def vectors_are_one_a_file(case: Case) -> Iterator[Deviation]:
    """Iceberg's Java refuses a second one (`DeleteFileIndex`)."""
    times: dict[str, list[DeleteContents]] = {}
    for one in vectors(case):
        if one.file.referenced is not None:
            times.setdefault(one.file.referenced, []).append(one)
    for path, these in times.items():
        if len(these) > 1:
            yield of(case, these[0], f"{len(these)} deletion vectors of {last(path)}", "one", paths=[path])


@claim(
    "a deletion vector holds what older position delete files delete of its data file",
    needs=MERGED_VECTORS,
    spec=rules.VECTOR_MERGED,
    breaks=Verdict.STALE,
)
def vectors_hold_older_deletes(case: Case) -> Iterator[Deviation]:
    """Readers pass over position delete files of a data file that has a vector."""
    data = case.stored.deletions.data
    others = _by_target(filter(positions, beside_of(case).deletes))
    for one in vectors(case):
        path = one.file.referenced
        if path is None or path not in data or one.record_count is None:
            continue
        sequence, partition = data[path]
        for other in others.get(path, ()):
            applies = sequence <= other.file.sequence <= one.file.sequence and other.file.partition == partition
            if applies and other.file.referenced in (None, path):
                lost = np.setdiff1d(other.targets[path], one.targets.get(path, ()))
                if len(lost):
                    saw = f"{name(one)} without {many(len(lost), 'position')} of {last(path)}, {lost[0]} for one"
                    yield of(case, one, saw, f"all that {name(other)} deletes of it", paths=[path])


def _by_target(deletes: Iterable[DeleteContents]) -> dict[str, list[DeleteContents]]:
    """Data file -> those that delete rows of it."""
    found: dict[str, list[DeleteContents]] = {}
    for one in deletes:
        for path in one.targets:
            found.setdefault(path, []).append(one)
    return found


def _paths(file: DeleteFile) -> list[str]:
    return [] if file.referenced is None else [file.referenced]
