"""The protocol and the schema of a Delta table: what a reader must be able to do, and how it resolves columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xtable_audit.claims.deviation import Deviation
from xtable_audit.claims.needs import LIVE_FILES
from xtable_audit.formats.delta.actions import ProtocolAction
from xtable_audit.formats.delta.rules import MIRROR, NULLS, PARTITION_TEXTS
from xtable_audit.formats.delta.schema import ID, MODE, PHYSICAL_NAME, DeltaColumn, types_in
from xtable_audit.formats.delta.table import DeltaTable, delta_of
from xtable_audit.model.claim import Need, claim
from xtable_audit.model.figures import few
from xtable_audit.model.finding import Verdict
from xtable_audit.model.rules import QUOTED
from xtable_audit.subject.case import Case

PATH = QUOTED["delta-path"]
STATISTICS = MIRROR
FEATURES = (
    'Delta protocol, Protocol Evolution: readerFeatures, "A collection of features that a client must implement in '
    'order to correctly read this table"'
)
MAPPED = (
    'Delta protocol, Column Mapping: "In both modes, every column - nested or leaf - is assigned a _physical_ name, '
    'and a unique 32-bit integer as an id"'
)

__all__ = ["FEATURES", "MAPPED", "NULLS", "PARTITION_TEXTS", "PATH", "STATISTICS"]

TABLE_FEATURES = 3
"""The reader version with lists of features."""
VECTORS, NTZ, MAPPING = "deletionVectors", "timestampNtz", "columnMapping"
NAMED = 3
"""Columns that are named of those that are alike."""


def _used(table: DeltaTable) -> dict[str, str]:
    """The features that a reader must have for this table, each with what shows it."""
    used = {}
    if table.vectors:
        used[VECTORS] = "a live file has a deletion vector"
    if "timestamp_ntz" in types_in(table.metadata.schema_string):
        used[NTZ] = "a column is of type timestamp_ntz"
    if (mode := table.metadata.settings.get(MODE, "none")) != "none":
        used[MAPPING] = f"{MODE} is {mode}"
    return used


def _listed(protocol: ProtocolAction | None, feature: str) -> bool:
    if protocol is None:
        return False
    if feature == MAPPING and protocol.min_reader_version == 2:
        return True
    return protocol.min_reader_version >= TABLE_FEATURES and feature in (protocol.reader_features or ())


@claim(
    "the protocol lists every feature that a reader of the table must have",
    needs=Need[Case]("a feature of readers that the table uses", lambda case: len(_used(delta_of(case.stored)))),
    spec=FEATURES,
    breaks=Verdict.UNREADABLE,
)
def features_are_in_the_protocol(case: Case) -> Iterator[Deviation]:
    """UNSOUND for deletion vectors: a reader without the feature returns deleted rows."""
    table = delta_of(case.stored)
    for feature, why in _used(table).items():
        if not _listed(table.log.protocol, feature):
            verdict = Verdict.UNSOUND if feature == VECTORS else None
            saw = f"a protocol without {feature}: {_in_words(table.log.protocol)}"
            yield Deviation((), saw, f"{feature} among the readers' features, as {why}", verdict=verdict, whole=True)


def _in_words(protocol: ProtocolAction | None) -> str:
    if protocol is None:
        return "none"
    features = f", features {', '.join(protocol.reader_features)}" if protocol.reader_features else ""
    return f"reader version {protocol.min_reader_version}{features}"


COLUMNS = Need[Case]("a column", lambda case: len(delta_of(case.stored).columns))


@claim(
    "columns have ids and physical names where column mapping is on, each its own, and nowhere else",
    needs=(COLUMNS, LIVE_FILES),
    spec=MAPPED,
    breaks=Verdict.UNREADABLE,
)
def mapped_columns_have_ids_and_names(case: Case) -> Iterator[Deviation]:
    """DuckDB refuses a table with ids and without a mode; delta-rs 1.6 and Polars 2.1 read it (tried)."""
    table = delta_of(case.stored)
    if table.mode == "none":
        marked = [one for one in table.columns if {ID, PHYSICAL_NAME} & one.metadata.keys()]
        if marked:
            yield _of_columns(marked, "column mapping's metadata without a mode of it", "none where the mode is none")
        return
    bare = [one for one in table.columns if one.id is None or PHYSICAL_NAME not in one.metadata]
    if bare:
        yield _of_columns(bare, f"no id or no physical name in mode {table.mode}", "both, of every column")
    ids, names = Counter(one.id for one in table.columns), Counter(one.stored for one in table.columns)
    twice = [one for one in table.columns if ids[one.id] > 1 or names[one.stored] > 1]
    if twice and not bare:
        yield _of_columns(twice, "an id or a physical name that another column has", "one of its own")


def _of_columns(columns: list[DeltaColumn], saw: str, expected: str) -> Deviation:
    named = few([one.path for one in columns], NAMED)
    return Deviation((), f"{saw}: {named}", expected, columns[0].path, whole=True)
