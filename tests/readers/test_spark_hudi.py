"""Hudi over its own tables, with data skipping off and on: the base line for what a translation lets readers skip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from lab.engines.readers import SKIPPING, open_reader
from lab.stack.versions import stack
from lab.store import objects
from lab.store.running import RunningStore
from tests.kept import kept
from tests.of_each import of_each
from tests.readers.hudi_files import write_by_month
from tests.readers.spark_home import spark_home
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Reader, Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-hudi"
INDEX = {"hoodie.metadata.enable": "true", "hoodie.metadata.index.column.stats.enable": "true"}
TABLES: Mapping[str, Mapping[str, str]] = {"plain": {}, "indexed": INDEX}
MARCH = Compare("month", "=", "2023-3")
ONE = Compare("id", "=", 60)
PREFIX = StartsWith("zone", "zone_1")


@pytest.fixture(scope="module")
def hudi(moto_store: RunningStore) -> Iterator[SubprocessReader]:
    """Two tables: `plain` as the suite writes them, `indexed` with column statistics."""
    folder, _ = kept(write_by_month, tables=TABLES)
    for name in TABLES:
        objects.upload(moto_store.store, name, folder / name)
    reader = open_reader("hudi", moto_store.guest(GUEST).store, spark_home())
    yield reader
    reader.close()


@pytest.mark.parametrize("location", ["plain", "plain" + SKIPPING, "indexed", "indexed" + SKIPPING])
@of_each(
    ("predicate", "rows"),
    [
        (None, 200),
        (MARCH, 50),
        (ONE, 1),
        (IsNull("distance"), 29),
        (In("zone", ("zone_001", "zone_199", "nowhere")), 2),
        (Compare("distance", "!=", 0.25), 170),
        (And(MARCH, Compare("distance", "<", 26.0)), 4),
        (Or(MARCH, ONE), 51),
    ],
    ids=str,
)
def test_hudi_counts_the_rows_that_match(
    hudi: Reader, moto_store: RunningStore, location: str, predicate: Predicate | None, rows: int
) -> None:
    assert hudi.query(moto_store.store.uri(location), predicate).rows == rows


@pytest.mark.parametrize(
    ("location", "predicate", "planned"),
    [
        ("plain", MARCH, 1),
        ("plain" + SKIPPING, MARCH, 1),
        ("plain", ONE, 4),
        ("plain" + SKIPPING, ONE, 4),
        ("indexed", ONE, 4),
        ("indexed" + SKIPPING, ONE, 1),
    ],
)
def test_hudi_skips_by_partition_always_and_by_value_with_an_index_alone(
    hudi: Reader, moto_store: RunningStore, location: str, predicate: Predicate, planned: int
) -> None:
    answer = hudi.query(moto_store.store.uri(location), predicate)
    assert (answer.live, answer.plans) == (4, planned)


@pytest.mark.parametrize("location", ["plain", "indexed" + SKIPPING])
@pytest.mark.parametrize("predicate", [None, MARCH, ONE], ids=str)
def test_hudi_reads_what_it_plans_and_one_file_for_the_schema(
    hudi: Reader, moto_store: RunningStore, location: str, predicate: Predicate | None
) -> None:
    folder = location.partition("#")[0]
    data = [key for key in objects.list_objects(moto_store.store, folder) if key.endswith(".parquet")]
    (seen,) = observe(hudi, moto_store.guest(GUEST).log, moto_store.store.uri(location), [predicate], data)
    assert seen.answer
    assert seen.read
    assert seen.answer.planned
    planned = {moto_store.store.key(uri) for uri in seen.answer.planned}
    assert planned <= seen.read
    assert len(seen.read - planned) <= 1


def test_a_prefix_loses_rows_when_hudi_skips_by_its_index(hudi: Reader, moto_store: RunningStore) -> None:
    """Hudi's own fault (#18791): a file is dropped whose smallest value begins with the prefix and is longer."""
    found = [hudi.query(moto_store.store.uri("indexed" + skipping), PREFIX).rows for skipping in ("", SKIPPING)]
    assert found == [100, 0]


def test_a_folder_without_a_table_is_reported_in_one_line(hudi: Reader, moto_store: RunningStore) -> None:
    with pytest.raises(Refusal, match=r"FileNotFoundException: No such file or directory: .*/nowhere"):
        hudi.query(moto_store.store.uri("nowhere"), None)


def test_the_version_is_hudis_own(hudi: Reader) -> None:
    assert hudi.version == stack().hudi
