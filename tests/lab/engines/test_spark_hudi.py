"""Hudi's reader on Spark by the address of an instant: tables that Hudi wrote hold, and spoiled copies lose rows."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from lab.engines.readers import open_reader
from lab.stack.versions import stack
from lab.store import objects
from lab.store.running import RunningStore
from tests.lab.engines.spark_home import spark_home
from tools.pages.affected import recorded_sources
from xtable_audit.model.predicate import Compare, IsNull, Predicate
from xtable_audit.readers.observe import observe
from xtable_audit.readers.reader import Observation

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SKIPS, READS_ALL = "spark_hudi", "spark_hudi_unskipped"
PARTITIONED, FLAT = "v6_index_0150", "index_flat"
"""Tables that Hudi 0.15 wrote with column statistics, by two commits each: by state, and without partitions."""
ZIP, ABOVE = Compare("zip_code", "=", "10001"), Compare("i", "=", 17)
"""In one of nine files; and a value that the file with 10 and 15 gets, above its stored bounds."""
EVERY = IsNull("record_key", negated=True)


def raised(table: Path) -> None:
    """A value above its stored bound, in a file of the same size: Hudi's reader takes that from the listing, and
    Parquet passes over what stands between the values and the footer.
    """
    file = next(one for one in table.glob("*.parquet") if 15 in pq.read_table(one)["i"].to_pylist())
    held, size = pq.read_table(file), file.stat().st_size
    values = pc.if_else(pc.equal(held["i"], 15), pa.scalar(ABOVE.value, pa.int32()), held["i"])
    written, rows = io.BytesIO(), held.replace_schema_metadata(None)
    rows = rows.set_column(rows.schema.get_field_index("i"), "i", values)
    pq.write_table(rows, written, compression="gzip", use_dictionary=False, write_statistics=False)
    content = written.getvalue()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert len(content) <= size
    file.write_bytes(content[:footer] + b"\0" * (size - len(content)) + content[footer:])


def unlisted(table: Path) -> None:
    """The metadata table does not hear of the last commit, and so of none of its files."""
    max((table / ".hoodie/metadata/.hoodie").glob("*.deltacommit")).unlink()


COPIES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "partitioned": (PARTITIONED, Path.exists),
    "flat": (FLAT, Path.exists),
    "raised": (FLAT, raised),
    "unlisted": (FLAT, unlisted),
}
EITHER = pytest.mark.parametrize("reader", [SKIPS, READS_ALL])
Seen = Callable[[str, str, Predicate], Observation]


@pytest.fixture(scope="module")
def seen(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """What a reader shows of a copy, asked once for all that is asserted of it."""
    readers = {name: open_reader(name, moto_store.guest(name).store, spark_home()) for name in (SKIPS, READS_ALL)}

    @cache
    def instant(copy: str) -> str:
        name, spoil = COPIES[copy]
        folder = Path(shutil.copytree(recorded_sources() / name, tmp_path_factory.mktemp("hudi") / copy))
        commit = max((folder / ".hoodie").glob("*.commit"))
        spoil(folder)
        objects.upload(moto_store.store, f"spark_hudi/{copy}", folder)
        return moto_store.store.uri(f"spark_hudi/{copy}/.hoodie/{commit.name}")

    @cache
    def ask(copy: str, reader: str, predicate: Predicate) -> Observation:
        location = instant(copy)
        keys = objects.list_objects(moto_store.store, f"spark_hudi/{copy}/")
        data = [key for key in keys if key.endswith(".parquet")]
        [found] = observe(readers[reader], moto_store.guest(reader).log, location, [predicate], data)
        return found

    yield ask
    for one in readers.values():
        one.close()


@cache
def rows(table: str) -> pa.Table:
    files = sorted((recorded_sources() / table).rglob("*.parquet"))
    return pa.concat_tables([pq.read_table(one, partitioning=None) for one in files])


@EITHER
@pytest.mark.parametrize("copy", ["partitioned", "flat"])
def test_every_row_of_a_healthy_table_is_shown(seen: Seen, copy: str, reader: str) -> None:
    one = seen(copy, reader, EVERY)
    assert (one.error, one.rows) == (None, rows(COPIES[copy][0]).num_rows)


@pytest.mark.parametrize(("reader", "planned"), [(SKIPS, 1), (READS_ALL, 9)])
def test_skipping_leaves_the_file_that_matches(seen: Seen, reader: str, planned: int) -> None:
    answer = seen("partitioned", reader, ZIP).answer
    assert answer
    assert (answer.rows, answer.live, answer.plans) == (1, 9, planned)


def test_it_opens_what_it_plans_and_one_file_for_the_schema(seen: Seen, moto_store: RunningStore) -> None:
    one = seen("partitioned", SKIPS, ZIP)
    assert one.answer
    assert one.answer.planned
    assert one.read is not None
    planned = {moto_store.store.key(uri) for uri in one.answer.planned}
    assert planned <= one.read
    assert len(one.read - planned) <= 1


@pytest.mark.parametrize(("reader", "found"), [(SKIPS, 0), (READS_ALL, 1)])
def test_an_upper_bound_below_the_values_loses_the_row_where_files_are_skipped(
    seen: Seen, reader: str, found: int
) -> None:
    one = seen("raised", reader, ABOVE)
    assert (one.error, one.rows) == (None, found)


@EITHER
def test_the_rows_of_a_file_that_the_metadata_table_does_not_list_are_not_shown(seen: Seen, reader: str) -> None:
    commits = rows(FLAT)["_hoodie_commit_time"].to_pylist()
    one = seen("unlisted", reader, EVERY)
    assert (one.error, one.rows) == (None, commits.count(min(commits)))
    assert one.rows != len(commits)


def test_the_version_is_hudis_own(seen: Seen) -> None:
    assert seen("partitioned", SKIPS, ZIP).version == stack().hudi
