"""What mends a finding on a Delta table that another than XTable wrote: by claim, the statement that does.

Each is proven: tests spoil a log so that the claim fails, run the statement that `check` prints, and find nothing on
the table afterwards, with the same rows. delta-rs reads the rows by DataFusion there: its Arrow dataset takes values
from statistics, and would write what is false of them into the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

import pyarrow as pa

from xtable_audit.claims import bounds, counts, partition
from xtable_audit.claims.deviation import TableClaim
from xtable_audit.claims.translation import files
from xtable_audit.formats.check_support import Advice, Remedy
from xtable_audit.formats.delta.log import LacksCommit
from xtable_audit.formats.delta.table import delta_of
from xtable_audit.model.delta_version import LOG, delta_version, is_delta_version
from xtable_audit.model.finding import Finding
from xtable_audit.model.malformed import Malformed
from xtable_audit.model.scalars import DOUBLE_DIGITS
from xtable_audit.table.stored_metrics import StoredMetrics

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
    Remedy(
        f"Restore the object at that address, {FROM}",
        "",
        "",
        (files.every_file_exists,),
    ),
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
