"""Hudi over its own tables: with data skipping off and on, and what each layer of its skipping leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lab.engines.readers import SKIPPING, open_reader
from lab.stack.versions import stack
from lab.store import objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from spark_jobs.addresses import demand_own_addresses
from tests.kept import kept
from tests.lab.engines.hudi_files import BY_ZIP, ZIPS, home, write_by_default, write_by_zip
from tests.lab.engines.spark_home import spark_home
from tests.of_each import of_each
from xtable_audit.model.predicate import And, Compare, In, IsNull, Or, Predicate, StartsWith
from xtable_audit.model.problem import Problem
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Answer, Layers, Observation, Reader, Refusal
from xtable_audit.readers.subprocess_reader import SubprocessReader

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GUEST = "reader-hudi"
INDEX = {"hoodie.metadata.enable": "true", "hoodie.metadata.index.column.stats.enable": "true"}
TABLES: Mapping[str, Mapping[str, str]] = {"plain": {}, "indexed": INDEX}
MARCH = Compare("month", "=", "2023-3")
ONE = Compare("id", "=", 60)
PREFIX = StartsWith("zone", "zone_1")


def by_default() -> Path:
    return kept(write_by_default, tables=TABLES)[0]


@pytest.fixture(scope="module")
def hudi(moto_store: RunningStore) -> Iterator[SubprocessReader]:
    """Two tables: `plain` as the suite writes them, `indexed` with column statistics."""
    folder = by_default()
    for name in TABLES:
        objects.upload(moto_store.store, name, folder / name)
    reader = open_reader("hudi", moto_store.guest(GUEST).store, spark_home())
    yield reader
    reader.close()


Seen = Callable[[str, Predicate | None], Observation]


@pytest.fixture(scope="module")
def seen(hudi: SubprocessReader, moto_store: RunningStore) -> Seen:
    """What Hudi answers of a location, and what it reads: asked once for all that is asserted of it."""

    @cache
    def ask(location: str, predicate: Predicate | None) -> Observation:
        folder = location.partition("#")[0]
        data = [key for key in objects.list_objects(moto_store.store, folder) if key.endswith(".parquet")]
        [seen] = observe(hudi, moto_store.guest(GUEST).log, moto_store.store.uri(location), [predicate], data)
        return seen

    return ask


@pytest.mark.parametrize("location", ["plain", "indexed" + SKIPPING])
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
def test_hudi_counts_the_rows_that_match(seen: Seen, location: str, predicate: Predicate | None, rows: int) -> None:
    assert seen(location, predicate).rows == rows


@pytest.mark.parametrize(
    ("location", "predicate", "planned", "rows"),
    [
        ("plain", MARCH, 1, 50),
        ("plain" + SKIPPING, MARCH, 1, 50),
        ("plain", ONE, 4, 1),
        ("plain" + SKIPPING, ONE, 4, 1),
        ("indexed", ONE, 4, 1),
        ("indexed" + SKIPPING, ONE, 1, 1),
    ],
)
def test_hudi_skips_by_partition_always_and_by_value_with_an_index_alone(
    seen: Seen, location: str, predicate: Predicate, planned: int, rows: int
) -> None:
    answer = seen(location, predicate).answer
    assert answer
    assert (answer.live, answer.plans, answer.rows) == (4, planned, rows)


@pytest.mark.parametrize("location", ["plain", "indexed" + SKIPPING])
@pytest.mark.parametrize("predicate", [None, MARCH, ONE], ids=str)
def test_hudi_reads_what_it_plans_and_one_file_for_the_schema(
    seen: Seen, moto_store: RunningStore, location: str, predicate: Predicate | None
) -> None:
    one = seen(location, predicate)
    assert one.answer
    assert one.read
    assert one.answer.planned
    planned = {moto_store.store.key(uri) for uri in one.answer.planned}
    assert planned <= one.read
    assert len(one.read - planned) <= 1


def test_a_prefix_loses_rows_when_hudi_skips_by_its_index(hudi: Reader, moto_store: RunningStore) -> None:
    """Hudi's own fault (#18791): a file is dropped whose smallest value begins with the prefix and is longer."""
    found = [hudi.query(moto_store.store.uri("indexed" + skipping), PREFIX).rows for skipping in ("", SKIPPING)]
    assert found == [100, 0]


def test_a_folder_without_a_table_is_reported_in_one_line(hudi: Reader, moto_store: RunningStore) -> None:
    with pytest.raises(Refusal, match=r"FileNotFoundException: No such file or directory: .*/nowhere"):
        hudi.query(moto_store.store.uri("nowhere"), None)


def test_the_version_is_hudis_own(hudi: Reader) -> None:
    assert hudi.version == stack().hudi


# Hudi 1.x over its own tables on local disk: what each layer of its skipping leaves, and each way to read them.

NOWHERE = Workspace(None, "nobody", "nothing")
NEW_YORK = Compare("zip_code", "=", "51000")
"""In one file of New York's ten."""


@dataclass(frozen=True)
class Tables:
    reader: SubprocessReader
    folder: Path

    def at(self, table: str) -> str:
        return str(self.folder / table)

    @cache  # noqa: B019 - as long as the reader
    def answer(self, table: str, predicate: Predicate | None) -> Answer:
        """Asked once for all that is asserted of it."""
        return self.reader.query(self.at(table), predicate)


Readers = Callable[[str], SubprocessReader]


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    """The reader of a release."""
    opened: dict[str, SubprocessReader] = {}

    def reader(release: str) -> SubprocessReader:
        if release not in opened:
            opened[release] = open_reader("hudi", NOWHERE, home(release))
        return opened[release]

    yield reader
    for one in opened.values():
        one.close()


def written_by(release: str) -> Path:
    folder = by_default() / BY_ZIP if release == stack().hudi else kept(write_by_zip, release=release)[0]
    for table in ZIPS:
        demand_own_addresses(folder / table, (folder / table).as_uri())
    return folder


@pytest.fixture(scope="module", params=["1.0.2", "1.2.0"])
def tables(request: pytest.FixtureRequest, readers: Readers) -> Tables:
    """`random` and `sorted`, by the zip codes inside a state, and that release's reader."""
    return Tables(readers(request.param), written_by(request.param))


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
    answer = tables.answer(location, predicate)
    assert (answer.layers, answer.rows) == (layers, rows)


@pytest.mark.parametrize("location", ["random#on", "sorted#on", "sorted#off"])
def test_what_is_read_is_what_the_last_layer_leaves(tables: Tables, location: str) -> None:
    answer = tables.answer(location, NEW_YORK)
    assert answer.layers
    assert (answer.plans, answer.live) == (answer.layers.after_column_statistics, 60)


def test_where_spark_sees_that_no_row_can_match_no_layer_is_reported(tables: Tables) -> None:
    answer = tables.reader.query(
        tables.at("sorted#on"), And(Compare("zip_code", ">", "5"), Compare("zip_code", "<=", "5"))
    )
    assert (answer.rows, answer.plans, answer.layers) == (0, 0, None)


def test_an_unknown_read_mode_is_refused_with_the_known_ones(tables: Tables) -> None:
    with pytest.raises(Problem, match="There is no way #fast to read a Hudi table: put one of #skipping, #on, "):
        tables.reader.query(tables.at("sorted#fast"), None)


def test_an_index_that_cannot_be_read_is_no_index_that_skips_nothing(readers: Readers) -> None:
    """What 0.15.0 wrote lacks the definitions of its indexes, which 1.0.2 looks up."""
    with pytest.raises(Refusal, match="NoSuchElementException: No value present in Option"):
        readers("1.0.2").query(f"{written_by(stack().hudi)}/sorted#on", NEW_YORK)
