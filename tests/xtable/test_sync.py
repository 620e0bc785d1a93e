"""Real releases translate small tables on local disk."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable

from lab.stack.versions import releases
from lab.store import moto, objects
from lab.store.tables import InStore
from tests.listening import addresses_of
from xtable.jvm import MODELS, preload
from xtable.sync import Translator
from xtable.sync_report import SyncFailed, SyncTimedOut
from xtable_audit.model.problem import Problem
from xtable_audit.model.sync import Sync


def write_delta(folder: Path) -> Path:
    """A Delta table of two files, its log written by hand after the protocol's own example."""
    table = folder / "delta"
    (table / "_delta_log").mkdir(parents=True)
    fields = [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]
    actions: list[dict[str, object]] = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": "0f3c1d3e-6e0a-4c1c-9d57-3b1a3b6f9a10",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps({"type": "struct", "fields": fields}),
                "partitionColumns": [],
                "configuration": {},
                "createdTime": 1704067200000,
            }
        },
    ]
    for name, rows in (("a.parquet", [1, 2, 3]), ("b.parquet", [4, 5])):
        pq.write_table(pa.table({"id": pa.array(rows, pa.int64())}), table / name)
        stats = {
            "numRecords": len(rows),
            "minValues": {"id": rows[0]},
            "maxValues": {"id": rows[-1]},
            "nullCount": {"id": 0},
        }
        size = (table / name).stat().st_size
        add = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 1704067200000}
        actions.append({"add": add | {"dataChange": True, "stats": json.dumps(stats)}})
    actions.append({"commitInfo": {"timestamp": 1704067200000, "operation": "WRITE", "operationParameters": {}}})
    log = table / "_delta_log" / f"{0:020d}.json"
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return table


pytestmark = [pytest.mark.jvm, pytest.mark.slow]
newest = pytest.mark.parametrize("translator", [releases()[0].version], indirect=True)
"""For what a translator does of itself, whichever release runs in its JVM. Each release translates Delta tables, and
tables in a store, in the audits of the nightly run.
"""


def sync(translator: Translator, table: Path, mode: str = "FULL", spec: str = "pickup_month:VALUE") -> Sync:
    return translator.sync("HUDI", str(table), "trips", spec, mode)


def rows_in(synced: Sync) -> int:
    return StaticTable.from_metadata(synced.metadata_location).scan().count()


def test_a_hudi_table_comes_through_whole(translator: Translator, hudi_table: Path) -> None:
    written = sum(pq.read_metadata(file).num_rows for file in hudi_table.rglob("*.parquet"))
    assert rows_in(sync(translator, hudi_table)) == written


def test_a_first_sync_writes_metadata(translator: Translator, hudi_table: Path) -> None:
    assert rows_in(sync(translator, hudi_table, "INCREMENTAL")) > 0


def test_a_second_sync_without_a_commit_has_nothing_to_do(translator: Translator, hudi_table: Path) -> None:
    first = sync(translator, hudi_table)
    second = sync(translator, hudi_table, "INCREMENTAL")
    assert second.metadata_location == first.metadata_location


def test_a_full_sync_writes_again(translator: Translator, hudi_table: Path) -> None:
    first = sync(translator, hudi_table)
    assert sync(translator, hudi_table).metadata_location != first.metadata_location


def test_the_partition_spec_reaches_the_table(translator: Translator, hudi_table: Path) -> None:
    metadata = json.loads(Path(sync(translator, hudi_table).metadata_location).read_text())
    spec = next(one for one in metadata["partition-specs"] if one["spec-id"] == metadata["default-spec-id"])
    assert [(field["name"], field["transform"]) for field in spec["fields"]] == [("pickup_month", "identity")]


def test_the_report_holds_this_syncs_log_and_no_others(translator: Translator, hudi_table: Path) -> None:
    sync(translator, hudi_table)
    log = sync(translator, hudi_table).log
    assert log.count("Sync is successful for the following formats ICEBERG") == 1


@pytest.mark.parametrize("name", ["org.apache.hadoop.hbase.io.hfile.HFile", "org.openjdk.jol.info.GraphLayout"])
def test_what_hudis_metadata_table_is_read_with_is_there(translator: Translator, name: str) -> None:
    translator.jvm.java.java.lang.Class.forName(name)


@pytest.fixture(scope="module")
def delta(translator: Translator, tmp_path_factory: pytest.TempPathFactory) -> tuple[Sync, set[str]]:
    """A sync of a Delta table, for which XTable starts a Spark, and the addresses that its JVM then listens on."""
    table = write_delta(tmp_path_factory.mktemp("delta"))
    synced = translator.sync("DELTA", table.as_uri(), "numbers", mode="FULL")
    return synced, addresses_of(translator.jvm.process.pid)


@newest
def test_the_spark_of_a_delta_sync_listens_on_the_loopback_address_alone(delta: tuple[Sync, set[str]]) -> None:
    assert delta[1] == {"127.0.0.1"}


@newest
def test_every_jvm_of_a_translator_loads_its_classes_first(
    translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = "org.apache.hudi.avro.model.HoodieSliceInfo"
    monkeypatch.setenv("JDK_JAVA_OPTIONS", f"-Xlog:class+load:file={tmp_path}/classes-%p.log")
    again = Translator(translator.release, None, tmp_path, translator.java_home, translator.jars, [wanted])
    for _ in range(2):
        pid = again.jvm.process.pid
        again.stop()
        assert f"{wanted} source:" in (tmp_path / f"classes-{pid}.log").read_text()


def test_every_model_that_is_loaded_first_is_there(translator: Translator) -> None:
    assert preload(translator.jvm, MODELS) == MODELS


def test_a_class_that_a_release_does_not_have_is_passed_over(translator: Translator) -> None:
    assert preload(translator.jvm, ["java.no.such.Class", "java.lang.String"]) == ("java.lang.String",)


@newest
def test_a_delta_table_comes_through_whole(delta: tuple[Sync, set[str]]) -> None:
    assert rows_in(delta[0]) == 5


def test_a_table_that_is_not_there_fails_in_xtables_words(translator: Translator, tmp_path: Path) -> None:
    with pytest.raises(SyncFailed, match="Hoodie table not found in path"):
        sync(translator, tmp_path / "nowhere")


def test_a_failure_on_the_target_side_fails_in_xtables_words(translator: Translator, hudi_table: Path) -> None:
    with pytest.raises(SyncFailed, match=r"Invalid source type string for transform: day \(Failed to sync FULL\)"):
        sync(translator, hudi_table, spec="pickup_month:DAY:yyyy-MM")


@newest
def test_a_class_that_the_class_path_lacks_is_no_failure_of_xtable(
    translator: Translator, hudi_table: Path, tmp_path: Path
) -> None:
    jars = [jar for jar in translator.jars if not jar.name.startswith("caffeine-")]
    with (
        Translator(translator.release, None, tmp_path, translator.java_home, jars) as lacking,
        pytest.raises(Problem, match=r"its class path, as Maven resolves it, lacks com\.github\.benmanes\.caffeine\."),
    ):
        sync(lacking, hudi_table)


@newest
def test_a_sync_that_takes_too_long_is_ended_and_the_next_one_works(translator: Translator, hudi_table: Path) -> None:
    with pytest.raises(SyncTimedOut, match=r"it took longer than 0\.01 s and its JVM was killed"):
        translator.sync("HUDI", str(hudi_table), "trips", "pickup_month:VALUE", "FULL", timeout=0.01)
    assert rows_in(sync(translator, hudi_table)) > 0


@newest
def test_a_stopped_translator_starts_again(translator: Translator, hudi_table: Path) -> None:
    translator.stop()
    assert rows_in(sync(translator, hudi_table)) > 0


def test_metadata_that_was_there_before_is_no_success(translator: Translator, hudi_table: Path) -> None:
    sync(translator, hudi_table)
    shutil.rmtree(hudi_table / ".hoodie")
    with pytest.raises(SyncFailed):
        sync(translator, hudi_table)


@newest
def test_a_table_in_the_store_comes_through(translator: Translator, hudi_table: Path, tmp_path: Path) -> None:
    with moto.start() as running:
        objects.upload(running.store, "trips", hudi_table)
        with Translator(
            translator.release, InStore(running.store), tmp_path, translator.java_home, translator.jars
        ) as in_store:
            report = in_store.sync("HUDI", running.store.uri("trips"), "trips", "pickup_month:VALUE", "FULL")
        assert report.metadata_location in map(running.store.uri, objects.list_objects(running.store, "trips/metadata"))
