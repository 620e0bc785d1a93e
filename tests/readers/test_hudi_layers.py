"""Hudi 1.x over its own tables on local disk: what each layer of its skipping leaves, and each way to read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from engines.spark_home import SparkHome
from readers.apart import ReaderApart
from readers.base import Layers
from readers.words import Refusal
from spark_jobs import session
from stack.jars import resolve_spark_jars
from stack.java import find_java
from stack.problem import Problem
from stack.versions import stack_with_hudi
from store.workspace import Workspace
from xtable_audit.model.predicate import And, Compare, In, Predicate

pytestmark = [pytest.mark.spark, pytest.mark.slow]

STATES = ("AK", "AL", "AR", "AZ", "CA", "NY")
FILES = 10
"""In each state, of four rows each."""
NOWHERE = Workspace(None, "nobody", "nothing")
OPTIONS = {
    "hoodie.datasource.write.operation": "bulk_insert",
    "hoodie.datasource.write.recordkey.field": "order_id",
    "hoodie.datasource.write.precombine.field": "order_id",
    "hoodie.datasource.write.partitionpath.field": "state",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.partition.stats.enable": "true",
    "hoodie.metadata.index.column.stats.column.list": "zip_code",
}
ZIPS = {
    "random": "id % 4 * 1000 + id div 4 % 10",  # each file from the state's first thousand to its fourth
    "sorted": "id % 40 * 100",
}
NEW_YORK = Compare("zip_code", "=", "51000")
"""In one file of New York's ten."""


@dataclass(frozen=True)
class Tables:
    reader: ReaderApart
    folder: Path

    def at(self, table: str) -> str:
        return str(self.folder / table)


def home(release: str) -> SparkHome:
    stack = stack_with_hudi(release)
    return SparkHome(find_java(stack.java), resolve_spark_jars(stack))


def write(release: str, folder: Path, tables: list[str]) -> None:
    """60 files each, ten a state; the zip codes of a state begin with the same digit."""
    ours, files = home(release), len(STATES) * FILES
    with session.opened("tests", ours.jars, ours.java_home, None, cores=2, memory="1g") as spark:
        for table in tables:
            state = F.element_at(F.array(*map(F.lit, STATES)), F.expr("int(id div 40 + 1)"))
            zip_code = F.format_string("%05d", F.expr(f"id div 40 * 10000 + {ZIPS[table]}"))
            rows = spark.range(0, 4 * files, 1, files).select(
                F.format_string("%d", "id").alias("order_id"), state.alias("state"), zip_code.alias("zip_code")
            )
            named = {"hoodie.table.name": table}
            rows.write.format("hudi").options(**OPTIONS, **named).mode("overwrite").save(str(folder / table))


@pytest.fixture(scope="module", params=["1.0.2", "1.2.0"])
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """`random` and `sorted`, by the zip codes inside a state, and that release's reader."""
    release: str = request.param
    folder = tmp_path_factory.mktemp(f"hudi-{release}")
    write(release, folder, ["random", "sorted"])
    reader = ReaderApart("hudi", NOWHERE, home(release))
    yield Tables(reader, folder)
    reader.close()


@pytest.mark.parametrize(
    ("location", "predicate", "layers", "rows"),
    [
        ("random#on", NEW_YORK, Layers(60, 10, 10, ("state=NY",)), 1),
        ("random#skipping", NEW_YORK, Layers(60, 10, 10, ("state=NY",)), 1),
        ("sorted#on", NEW_YORK, Layers(60, 10, 1, ("state=NY",)), 1),
        ("sorted#on", In("zip_code", ("00000", "51000")), Layers(60, 20, 2, ("state=AK", "state=NY")), 2),
        ("sorted#on", Compare("zip_code", "=", "99999"), Layers(60, 0, 0, ()), 0),
        ("sorted#on", Compare("state", "=", "NY"), Layers(60, 10, 10, None), 40),
        ("sorted#on", And(Compare("state", "=", "NY"), NEW_YORK), Layers(60, 10, 1, None), 1),
        ("sorted#on", None, Layers(60, 60, 60, None), 240),
        ("sorted#off", NEW_YORK, Layers(60, 60, 60, None), 1),
        ("sorted#unlisted", NEW_YORK, Layers(60, 60, 60, None), 1),
        ("sorted", NEW_YORK, Layers(60, 60, 60, None), 1),
    ],
)
def test_each_layer_leaves_the_files_that_it_cannot_rule_out(
    tables: Tables, location: str, predicate: Predicate | None, layers: Layers, rows: int
) -> None:
    answer = tables.reader.ask(tables.at(location), predicate)
    assert (answer.layers, answer.rows) == (layers, rows)


@pytest.mark.parametrize("location", ["random#on", "sorted#on", "sorted#off"])
def test_what_is_read_is_what_the_last_layer_leaves(tables: Tables, location: str) -> None:
    answer = tables.reader.ask(tables.at(location), NEW_YORK)
    assert answer.layers
    assert (answer.plans, answer.live) == (answer.layers.after_column_statistics, 60)


def test_where_spark_sees_that_no_row_can_match_no_layer_is_told(tables: Tables) -> None:
    answer = tables.reader.ask(
        tables.at("sorted#on"), And(Compare("zip_code", ">", "5"), Compare("zip_code", "<=", "5"))
    )
    assert (answer.rows, answer.plans, answer.layers) == (0, 0, None)


def test_a_way_to_read_that_there_is_not_is_told_with_those_there_are(tables: Tables) -> None:
    with pytest.raises(Problem, match="There is no way #fast to read a Hudi table: put one of #skipping, #on, "):
        tables.reader.ask(tables.at("sorted#fast"), None)


def test_an_index_that_cannot_be_read_is_no_index_that_skips_nothing(tmp_path: Path) -> None:
    """What 0.15.0 wrote lacks the definitions of its indexes, which 1.0.2 looks up."""
    write("0.15.0", tmp_path, ["sorted"])
    reader = ReaderApart("hudi", NOWHERE, home("1.0.2"))
    try:
        with pytest.raises(Refusal, match="NoSuchElementException: No value present in Option"):
            reader.ask(f"{tmp_path}/sorted#on", NEW_YORK)
    finally:
        reader.close()
