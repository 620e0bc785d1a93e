"""What `check` needs of a Delta table, in one place: who wrote it, and what mends it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

import pyarrow as pa

from xtable_audit.claims import bounds, counts, partition
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.translation import files
from xtable_audit.formats.check_support import XTABLE, Advice, Authors, CheckSupport, MetadataWriter, Remedy
from xtable_audit.formats.delta.check.versions import moved_on, read_chosen, since
from xtable_audit.formats.delta.claims import CLAIMS
from xtable_audit.formats.delta.log import LacksCommit
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.model.columns import Leaf
from xtable_audit.model.delta_version import LOG, delta_version, is_delta_version
from xtable_audit.model.finding import Finding
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.scalars import DOUBLE_DIGITS
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.table.synced import PROPERTY, source_format

PYTHON = "Python, deltalake"
PREFIX = "delta:"
SMALL = 1 << 30
"""Bytes of data files whose rows may be in memory at once."""
FROM = "from a backup or an older version that the bucket keeps"
ANEW = (
    "from deltalake import DeltaTable, QueryBuilder, write_deltalake; table = DeltaTable({location}); "
    "rows = QueryBuilder().register('t', table).execute('SELECT * FROM t').read_all(); "
    "write_deltalake(table, rows, mode='overwrite')"
)
OF_FILES: tuple[TableClaim, ...] = (
    bounds.bounds_contain_values,
    bounds.bounds_are_tight,
    bounds.bounds_are_present,
    bounds.bounds_are_of_the_columns_type,
    bounds.points_skip_what_exact_bounds_would,
    counts.null_counts_are_exact,
    counts.record_counts_are_exact,
)
"""Claims about what the log says of data files that a writer who reads the rows says anew."""


WRITTEN = ((1, 1), (1, 2), (1, 7), (3, 7))
"""Versions of the protocol for readers and writers."""
PLAIN = {"timestampNtz", "appendOnly", "invariants"}
"""Features of tables on which the statements were tried, or that ask nothing of them."""


def _is_plain(stored: StoredMetrics, finding: Finding) -> bool:
    """Whether delta-rs reads and writes the table: no column mapping, and no table feature but some."""
    del finding
    protocol = delta_of(stored).log.protocol
    if protocol is None:
        return True
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    return (protocol.min_reader_version, protocol.min_writer_version) in WRITTEN and features <= PLAIN


def _is_rewritten(stored: StoredMetrics, finding: Finding) -> bool:
    """Whether its rows fit in memory, and delta-rs logs what is true of them: it takes decimals for doubles (1.6)."""
    decimals = [leaf.arrow.precision for leaf in stored.leaves if pa.types.is_decimal(leaf.arrow)]
    is_small = sum(stored.files["size"].fill_null(0).to_pylist()) < SMALL
    return _is_plain(stored, finding) and is_small and max(decimals, default=0) <= DOUBLE_DIGITS


def _is_not_plain(stored: StoredMetrics, finding: Finding) -> bool:
    return not _is_plain(stored, finding)


REMEDIES = (
    Remedy(
        "Have delta-rs write all rows anew, with statistics of their own",
        PYTHON,
        ANEW,
        OF_FILES,
        _is_rewritten,
        rewrites=True,
    ),
    Remedy(
        "No statement is known: a reader takes the values of a partition column from the log, so that a rewrite would "
        "make the false value that of every row",
        "",
        "",
        (partition.tuples_equal_every_row,),
    ),
    Remedy(f"Restore the object at that address, {FROM}", "", "", (files.every_file_exists,)),
    Remedy(
        "If it is gone for good, drop its entry; its rows are lost",
        PYTHON,
        "from deltalake import DeltaTable; DeltaTable({location}).repair()",
        (files.every_file_exists,),
        _is_plain,
    ),
    Remedy(
        "If it is gone for good, its rows are lost; no statement is known that drops its entry from a table with "
        "column mapping or table features",
        "",
        "",
        (files.every_file_exists,),
        _is_not_plain,
    ),
)


def names(location: str, name: str) -> Mapping[str, str]:
    """The table's root, as the user wrote it, as Python writes a text."""
    del name
    named = location.removeprefix(PREFIX)
    root = delta_version(named).root if is_delta_version(named) else named.rstrip("/").removesuffix(f"/{LOG}")
    return {"location": repr(root)}


def unreadable(error: Malformed, location: str) -> Sequence[str]:
    """What brings a broken or missing file of the log back, and what is judged until then."""
    version = _version(error)
    ways = f"Restore {'that file' if version is None else 'the file of that commit'}, {FROM}"
    if not version:
        return (ways,)
    return ways, f"Check what came before it: xtable-audit check {quote(location)} --snapshot {version - 1}"


def _version(error: Malformed) -> int | None:
    """That of the commit which is missing or broken; None for another file of the log."""
    if isinstance(error, LacksCommit):
        return error.version
    return delta_version(error.location).version if is_delta_version(error.location) else None


ADVICE = Advice(
    remedies=REMEDIES,
    names=names,
    sort="from deltalake import DeltaTable; DeltaTable({location}).optimize.z_order(['{column}'], target_size={size})",
    sort_by=f"Have delta-rs sort the rows, into files as large as today's ({PYTHON})",
    unreadable=unreadable,
    stopgaps={"polars_delta": "Polars, by read_delta(table).filter(condition)"},
)
"""Stopgaps by the reader's id."""

ENGINE = "engineInfo"
"""What names the engine of a commit: `Apache-Spark/3.5.9 Delta-Lake/3.2.1`, `delta-rs:py-1.6.6`, `Kernel-4.0.0/…`."""
PARTS = re.compile(r"(?P<name>[A-Za-z][A-Za-z _-]*?)[-/: ](?:py-|v)?(?P<version>\d[\w.+-]*)")
WRITERS = {"Apache-Spark": "Spark", "Kernel": "Delta Kernel", "Databricks-Runtime": "Databricks"}
KERNEL = "Kernel-"
OPERATION, SYNC = "operationParameters", "xtable-delta-sync"
"""What XTable's commits have by Delta Standalone, whose `engineInfo` is Spark's. By Delta Kernel, that names XTable."""
UNKNOWN = MetadataWriter(because="nothing in the log says what wrote it")
NAMELESS, BY_STANDALONE, BY_KERNEL = ("0.2.0",), ("0.3.0", "0.4.0"), ("0.4.0",)
"""Releases of XTable whose property does not name the source's format, and the others, by the library that commits."""
NEWEST = "0.4.0"


def writer_of(stored: StoredMetrics) -> MetadataWriter:
    """Who wrote the judged version, or translated the table."""
    table = delta_of(stored)
    content = table.metadata.settings.get(PROPERTY, "")
    engine = _engine(table.log.commit_info or {})
    if content:
        source, by_kernel = source_format(content), engine.startswith(KERNEL)
        releases = BY_KERNEL if by_kernel else BY_STANDALONE if source else NAMELESS
        version = f"{releases[0]} or later" if NEWEST in releases else " or ".join(releases)
        because = f"the table's configuration holds {PROPERTY}"
        return MetadataWriter(XTABLE, version, releases, source, because, "Delta Kernel" if by_kernel else "")
    name, version = named_in(engine)
    return MetadataWriter(name, version, because=f"the {ENGINE} of the version names it") if name else UNKNOWN


def named_in(engine: str) -> tuple[str, str]:
    """Name and version of an engine, by its `engineInfo`; both "" if it says none."""
    found = PARTS.match(engine)
    if found is None:
        return engine.strip(), ""
    return WRITERS.get(found["name"], found["name"]), found["version"]


def author_of(commit: Mapping[str, Any]) -> str:
    """Who made a commit, by its `commitInfo`; "" if it does not say it."""
    engine = _engine(commit)
    is_xtables = XTABLE in engine or SYNC in str(commit.get(OPERATION, ""))
    return XTABLE if is_xtables else named_in(engine)[0]


def _engine(commit: Mapping[str, Any]) -> str:
    found = commit.get(ENGINE)
    return found if isinstance(found, str) else ""


def authors(stored: StoredMetrics, paths: frozenset[str]) -> Authors:
    """Who added these files, by the commits that did; of none, who made the commits that are read."""
    table = delta_of(stored)
    by_path = {path: table.log.commits.get(add.path, {}) for path, add in table.adds.items() if path in paths}
    names = frozenset(author_of(commit) for commit in (by_path or table.log.commits).values())
    whose = "the commits that added these files" if by_path else "the table's commits"
    return Authors(names, ENGINE, f"{ENGINE} fields", whose)


NAMES = {
    "integer": ("int",),
    "byte": ("byte", "int"),
    "short": ("short", "int"),
    "binary": ("bytes", "fixed"),
    "timestamp_ntz": ("timestamp_ntz", "timestamp"),
}
"""Where they are others, or several."""


def source_types(leaf: Leaf) -> tuple[str, ...]:
    """The names that sources have for the column's type (`xtable_audit.model.source_fact.LEAF_TYPES`)."""
    type = str(leaf.type)
    return ("decimal",) if type.startswith("decimal") else NAMES.get(type, (type,))


def _format_version(stored: StoredMetrics) -> int:
    """The protocol's version for readers."""
    protocol = delta_of(stored).log.protocol
    return protocol.min_reader_version if protocol is not None else 1


DELTA = CheckSupport(
    claims=CLAIMS,
    read=read_chosen,
    expected="a log without gaps whose every line is one action",
    format_version=_format_version,
    writer=writer_of,
    unknown=UNKNOWN,
    authors=authors,
    tells_translator=True,
    says_no_sync=f"the table's configuration has no {PROPERTY}, in which XTable says up to where it synced",
    since=since,
    moved_on=moved_on,
    source_types=source_types,
    advice=ADVICE,
)
