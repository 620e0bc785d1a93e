"""The generated metadata that benchmarks read is sound Iceberg, and read as PyIceberg reads it."""

from __future__ import annotations

import pytest
from pyarrow import fs
from pyiceberg.table import StaticTable

from tests.of_each import of_each
from tools.benchmarks.listed import COLUMNS, listed
from xtable_audit.check.as_configured import AsConfigured
from xtable_audit.check.claims import by_metadata
from xtable_audit.check.ignore import Ignores
from xtable_audit.claims import CLAIMS
from xtable_audit.formats.iceberg.check.writer import writer_of
from xtable_audit.formats.iceberg.iceberg_table import iceberg_of
from xtable_audit.formats.iceberg.stored_metrics import read_stored_metrics
from xtable_audit.model.objects import Objects
from xtable_audit.model.outcome import Outcome
from xtable_audit.table.stored_metrics import StoredMetrics

FILES, A_MANIFEST = 70, 30
NAMES = {"lower": "lower_bound", "upper": "upper_bound", "null_count": "null_value_count", "value_count": "value_count"}
"""Metrics as the judge and as PyIceberg call them."""


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> str:
    return listed(tmp_path_factory.mktemp("generated") / "table", FILES, A_MANIFEST)


@pytest.fixture(scope="module")
def stored(metadata: str) -> StoredMetrics:
    return read_stored_metrics(Objects(fs.LocalFileSystem()), metadata)


def test_no_claim_about_metadata_fails(stored: StoredMetrics) -> None:
    configured = AsConfigured(stored, writer_of(stored))
    checked = by_metadata("generated", stored, CLAIMS.values(), configured, Ignores(), lambda finding, _: finding)
    assert not [result.claim for result in checked.results if result.finding is not None]
    assert sum(result.outcome is Outcome.HELD for result in checked.results) > 10


def test_every_file_is_listed_once(stored: StoredMetrics) -> None:
    assert (len(set(stored.paths)), len(iceberg_of(stored).manifests)) == (FILES, -(-FILES // A_MANIFEST))


@of_each("column", [column.name for column in COLUMNS])
def test_metrics_are_those_that_pyiceberg_reads(metadata: str, stored: StoredMetrics, column: str) -> None:
    theirs = StaticTable.from_metadata(metadata).inspect.files()["readable_metrics"].combine_chunks().field(column)
    for ours, name in NAMES.items():
        assert stored.columns[column][ours].to_pylist() == theirs.field(name).to_pylist()
