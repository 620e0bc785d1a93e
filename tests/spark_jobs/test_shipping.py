"""shipping_address as Hudi 1.0.2 and 1.2.0 write it: the files, their rows and the indexes are those requested."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from lab.stack.jars import resolve_spark_jars
from lab.stack.java import find_java
from lab.stack.versions import stack_with_hudi
from spark_jobs.launch import SHIPS, run_ships
from spark_jobs.shipping.layout import Layout
from spark_jobs.shipping.states import PREFIXES
from spark_jobs.shipping.variant import Variant
from tests.kept import kept
from xtable_audit.model.problem import Problem

pytestmark = [pytest.mark.spark, pytest.mark.slow]

FILES = 55
OLD_FILES = 52
TIMEOUT = 900
JOB = "spark_jobs.shipping_address"
VERSIONS = {"1.0.2": 8, "1.2.0": 9}


@dataclass(frozen=True)
class Ships:
    hudi: str
    folder: Path
    facts: dict[str, dict[str, Any]]


def written(folder: Path, hudi: str, files: int, kinds: dict[str, Variant], table_version: int | None = None) -> Any:
    """The tables of one release, written by one process."""
    stack = stack_with_hudi(hudi)
    return run_ships(
        folder,
        kinds,
        hudi=hudi,
        files=files,
        table_version=table_version,
        jars=resolve_spark_jars(stack),
        java_home=find_java(stack.java),
        log=folder.with_suffix(".log"),
        timeout=TIMEOUT,
    )


@pytest.fixture(scope="module", params=VERSIONS)
def ships(request: pytest.FixtureRequest) -> Ships:
    """The three tables of one release."""
    return Ships(request.param, *kept(written, JOB, hudi=request.param, files=FILES, kinds=SHIPS))


def files_of(table: Path) -> dict[str, list[Path]]:
    """The data files of each state, as they lie there."""
    return {folder.name.removeprefix("state="): sorted(folder.glob("*.parquet")) for folder in table.glob("state=*")}


def properties(table: Path) -> dict[str, str]:
    lines = (table / ".hoodie" / "hoodie.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("name", SHIPS)
def test_every_state_has_exactly_its_files(ships: Ships, name: str) -> None:
    listed = {state: len(files) for state, files in files_of(ships.folder / name).items()}
    assert listed == Layout(FILES).files_by_state


@pytest.mark.parametrize("name", SHIPS)
def test_the_script_reports_the_files_that_are_there(ships: Ships, name: str) -> None:
    listed = {state: len(files) for state, files in files_of(ships.folder / name).items()}
    facts = ships.facts[name]
    assert (facts["files_by_state"], facts["files"], facts["files_of_hit_state"]) == (listed, FILES, listed["NY"])


@pytest.mark.parametrize("name", SHIPS)
def test_every_file_holds_the_zips_of_the_layout(ships: Ships, name: str) -> None:
    layout = Layout(FILES, zips=SHIPS[name].zips)
    found = {
        state: sorted(pq.read_table(file, columns=["zip_code"])["zip_code"].to_pylist() for file in files)
        for state, files in files_of(ships.folder / name).items()
    }
    wanted = {
        state: sorted(
            [layout.zip_of(state, file, row) for row in range(layout.rows_per_file)]
            for file in range(layout.files_by_state[state])
        )
        for state in PREFIXES
    }
    assert found == wanted


def test_order_ids_are_keys(ships: Ships) -> None:
    files = [file for files in files_of(ships.folder / "ship_random").values() for file in files]
    ids = [key for file in files for key in pq.read_table(file, columns=["order_id"])["order_id"].to_pylist()]
    assert len(set(ids)) == len(ids) == Layout(FILES).rows == ships.facts["ship_random"]["rows"]


@pytest.mark.parametrize(
    ("name", "indexes"),
    [
        ("ship_random", "column_stats,files,partition_stats"),
        ("ship_sorted", "column_stats,files,partition_stats"),
        ("ship_columns", "column_stats,files"),
    ],
)
def test_the_table_names_the_requested_indexes(ships: Ships, name: str, indexes: str) -> None:
    named = properties(ships.folder / name)["hoodie.table.metadata.partitions"]
    assert ",".join(sorted(named.split(","))) == indexes == ",".join(ships.facts[name]["indexes"])


def test_where_columns_alone_are_indexed_no_partition_statistics_lie_about(ships: Ships) -> None:
    assert not (ships.folder / "ship_columns" / ".hoodie" / "metadata" / "partition_stats").exists()


def test_the_version_is_the_releases_own(ships: Ships) -> None:
    version = int(properties(ships.folder / "ship_random")["hoodie.table.version"])
    assert version == VERSIONS[ships.hudi] == ships.facts["ship_random"]["table_version"]


def test_the_requested_release_wrote_it(ships: Ships) -> None:
    assert ships.facts["ship_random"]["versions"]["hudi"] == ships.hudi


def test_no_file_carries_a_large_bloom_filter(ships: Ships) -> None:
    sizes = [file.stat().st_size for files in files_of(ships.folder / "ship_random").values() for file in files]
    assert max(sizes) < 20_000


@pytest.mark.parametrize("hudi", ["0.15.0", "1.0.2", "1.2.0"])
def test_every_release_writes_version_6(hudi: str) -> None:
    kinds = {"ship_columns": SHIPS["ship_columns"]}
    _, facts = kept(written, JOB, hudi=hudi, files=OLD_FILES, kinds=kinds, table_version=6)
    facts = facts["ship_columns"]
    assert (facts["table_version"], facts["indexes"], facts["files"]) == (6, ["column_stats", "files"], OLD_FILES)


def test_a_place_that_is_not_empty_is_reported(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "x").touch()
    with pytest.raises(Problem, match="is not empty: name an empty place"):
        written(tmp_path, "1.2.0", FILES, {"table": Variant("random", "both")})
