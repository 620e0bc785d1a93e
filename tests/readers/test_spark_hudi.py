"""Hudi over its own tables, with data skipping off and on: the base line for what a translation lets readers skip."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import functions as F

from readers.base import Reader
from readers.hudi_reader import SKIPPING
from readers.registry import open_reader
from readers.watch import observe
from readers.words import Refusal
from spark_jobs import hudi_table, session
from stack.versions import stack
from store import objects
from store.running import RunningStore
from tests.readers.spark_home import spark_home
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-hudi"
INDEX = {"hoodie.metadata.enable": "true", "hoodie.metadata.index.column.stats.enable": "true"}
MARCH = Compare("month", "=", "2023-3")
ONE = Compare("id", "=", 60)
PREFIX = StartsWith("zone", "zone_1")


@pytest.fixture(scope="module")
def hudi(moto_store: RunningStore) -> Iterator[Reader]:
    """Two tables of 200 rows, a file a month: `plain` as the suite writes them, `indexed` with column statistics."""
    home = spark_home()
    with session.opened("tests", home.jars, home.java_home, moto_store.store, cores=2, memory="1g") as spark:
        rows = spark.range(0, 200, 1, 4).select(
            "id",
            F.format_string("2023-%d", F.expr("id div 50 + 1")).alias("month"),
            F.format_string("zone_%03d", "id").alias("zone"),
            F.expr("if(id % 7 = 0, null, id / 4)").alias("distance"),
        )
        for name, extra in {"plain": {}, "indexed": INDEX}.items():
            written = hudi_table.options(name, "month") | extra
            rows.write.format("hudi").options(**written).save(moto_store.store.uri(name))
    reader = open_reader("hudi", moto_store.guest(GUEST).store, home)
    yield reader
    reader.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("location", ["plain", "plain" + SKIPPING, "indexed", "indexed" + SKIPPING])
@pytest.mark.parametrize(
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
    assert hudi.ask(moto_store.store.uri(location), predicate).rows == rows


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
    answer = hudi.ask(moto_store.store.uri(location), predicate)
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
    found = [hudi.ask(moto_store.store.uri("indexed" + skipping), PREFIX).rows for skipping in ("", SKIPPING)]
    assert found == [100, 0]


def test_a_folder_without_a_table_is_told_in_one_line(hudi: Reader, moto_store: RunningStore) -> None:
    with pytest.raises(Refusal, match=r"FileNotFoundException: No such file or directory: .*/nowhere"):
        hudi.ask(moto_store.store.uri("nowhere"), None)


def test_the_version_is_hudis_own(hudi: Reader) -> None:
    assert hudi.version == stack().hudi
