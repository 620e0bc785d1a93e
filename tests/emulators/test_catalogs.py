"""Tables in catalogs of Glue, REST and Hive are found and judged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyspark
import pytest
from moto.server import ThreadedMotoServer
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.sql import SqlCatalog

from lab.engines.registry import Order, open_engine
from lab.servers.child import free_port
from lab.stack.cache import Cache
from lab.stack.java import find_java
from lab.stack.versions import stack
from lab.store import objects
from lab.store.address import Workspace
from lab.store.running import RunningStore
from tests.emulators.catalogs import checked, configured, healthy, run
from xtable_audit.model.outcome import Outcome
from xtable_audit.model.problem import Problem

JARS = Path(pyspark.__file__).parent / "jars"
SETTINGS = {
    "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "datanucleus.schema.autoCreateAll": "true",
    "hive.metastore.schema.verification": "false",
}
OPTIONS = ["-Xmx256m", "-Dhive.async.log.enabled=false"]  # the asynchronous log needs a jar that PySpark leaves out


@contextmanager
def metastore(folder: Path) -> Iterator[str]:
    """The URI of a Hive metastore over Derby in memory, of the jars that PySpark brings, in a JVM of its own.

    It is at 127.0.0.1: Hive's own `main` listens on every address. Raises Problem if there is no Java.
    """
    java = str(find_java(stack().java) / "bin" / "java")
    options = [*OPTIONS, f"-Dderby.stream.error.file={folder / 'derby.log'}"]
    with (folder / "log").open("w") as log:
        port = launch_gateway(
            classpath=f"{JARS}/*", javaopts=options, java_path=java, die_on_exit=True, redirect_stderr=log
        )
        gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
        try:
            with _serving(gateway, folder) as uri:
                yield uri
        finally:
            gateway.shutdown()


@contextmanager
def _serving(gateway: JavaGateway, folder: Path) -> Iterator[str]:
    hive, thrift = gateway.jvm.org.apache.hadoop.hive, gateway.jvm.org.apache.thrift
    conf = hive.conf.HiveConf()
    for name, value in {**SETTINGS, "hive.metastore.warehouse.dir": f"file://{folder}/warehouse"}.items():
        conf.set(name, value)
    base = getattr(hive.metastore, "HiveMetaStore$HMSHandler")("base", conf, False)
    handler = hive.metastore.HiveMetaStore.newRetryingHMSHandler(base, conf, True)
    port = free_port()
    socket = thrift.transport.TServerSocket(gateway.jvm.java.net.InetSocketAddress("127.0.0.1", port))  # listens now
    arguments = getattr(thrift.server, "TThreadPoolServer$Args")(socket).stopTimeoutVal(1)
    server = thrift.server.TThreadPoolServer(arguments.processor(hive.metastore.TSetIpAddressProcessor(handler)))
    thread = Thread(target=server.serve, name="Hive metastore")
    thread.start()
    yield f"thrift://127.0.0.1:{port}"
    server.stop()
    thread.join()


@pytest.fixture
def glue() -> Iterator[dict[str, str]]:
    """PyIceberg's properties for moto's Glue, and its S3 with the bucket `lake`."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    store = Workspace(f"http://127.0.0.1:{server.get_host_and_port()[1]}", "somebody", "secret", bucket="lake")
    objects.client(store).create_bucket(Bucket="lake")
    yield store.pyiceberg() | {
        "type": "glue",
        "warehouse": "s3://lake",
        "glue.endpoint": str(store.endpoint),
        "glue.region": store.region,
        "glue.access-key-id": store.access_key,
        "glue.secret-access-key": store.secret_key,
    }
    server.stop()


def test_a_table_in_glue_is_read(glue: dict[str, str], tmp_path: Path) -> None:
    healthy(load_catalog("aws", **glue))
    found = checked("aws.shop.orders", tmp_path, configured("aws", glue))
    assert (found.verdict, found.own_table and found.own_table.read) == ("CONFORMANT", 2)


@pytest.fixture(scope="module")
def nessie(moto_store: RunningStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of its REST catalog, whose tables lie in the run's store. In CI it is never skipped."""
    folder = tmp_path_factory.mktemp("nessie")
    order = Order(
        "process", lambda: moto_store, folder, Cache(), lambda words: None, {"warehouse": f"rest-{folder.name}"}
    )
    try:
        engine = open_engine("nessie", order)
    except Problem as problem:
        if "CI" not in os.environ and ("downloaded" in str(problem) or "is not there" in str(problem)):
            pytest.skip(str(problem))
        raise
    yield engine.handle.rest
    engine.stop()


@pytest.mark.slow
@pytest.mark.jvm
def test_a_table_of_a_rest_catalog_is_read(nessie: str, moto_store: RunningStore, tmp_path: Path) -> None:
    properties = moto_store.store.pyiceberg() | {"type": "rest", "uri": nessie}
    healthy(load_catalog("nessie", **properties))
    found = checked("nessie.shop.orders", tmp_path, configured("nessie", properties))
    assert (found.verdict, found.own_table and found.own_table.read) == ("CONFORMANT", 2)


@pytest.mark.slow
@pytest.mark.jvm
def test_a_false_bound_of_a_table_of_a_rest_catalog_is_found(
    nessie: str, moto_store: RunningStore, tmp_path: Path
) -> None:
    properties = moto_store.store.pyiceberg() | {"type": "rest", "uri": nessie}
    table = healthy(load_catalog("nessie", **properties), "shop.changed")
    data_file = next(iter(table.scan().plan_files())).file.file_path
    with table.io.new_input(data_file).open() as stored:
        rows = pq.read_table(pa.BufferReader(stored.read()))
    with table.io.new_output(data_file).create(overwrite=True) as file:
        pq.write_table(rows.set_column(0, rows.schema.field("id"), pc.add(rows["id"], 1000)), file)
    found = checked("nessie.shop.changed", tmp_path, configured("nessie", properties))
    assert "bounds_contain_values" in {one.claim for one in found.claims if one.outcome is Outcome.FINDING}


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The properties of a metastore with a table of Iceberg's, and one of its own."""
    pytest.importorskip("thrift", reason="PyIceberg's Hive catalog needs thrift: pip install thrift")
    from hive_metastore import ttypes
    from pyiceberg.catalog.hive import HiveCatalog

    folder = tmp_path_factory.mktemp("hive")
    made = SqlCatalog("made", uri=f"sqlite:///{folder}/made.db", warehouse=f"file://{folder}/lake")
    location = healthy(made).metadata_location
    made.close()
    try:
        with metastore(folder) as uri:
            catalog = HiveCatalog("hive", uri=uri, **{"hive.hive2-compatible": "true"})
            catalog.create_namespace("shop")
            catalog.register_table("shop.orders", location)
            storage = ttypes.StorageDescriptor(cols=[], serdeInfo=ttypes.SerDeInfo())
            with catalog._client as client:
                client.create_table(ttypes.Table("clicks", "shop", sd=storage, partitionKeys=[], parameters={}))
            yield {"type": "hive", "uri": uri}
    except Problem as problem:
        pytest.skip(f"Hive's metastore needs Java: {problem}")


@pytest.mark.slow
@pytest.mark.jvm
def test_a_table_of_a_hive_metastore_is_read(hive: dict[str, str], tmp_path: Path) -> None:
    found = checked("hive.shop.orders", tmp_path, configured("hive", hive))
    assert (found.verdict, found.own_table and found.own_table.read) == ("CONFORMANT", 2)


NOT_READ = {
    "hive.shop.nothing": "the catalog hive has no table shop.nothing",
    "hive.shop.clicks": "shop.clicks in the catalog hive is no Iceberg table",
}


@pytest.mark.slow
@pytest.mark.jvm
@pytest.mark.parametrize(("table", "told"), NOT_READ.items())
def test_what_is_no_table_of_icebergs_in_hive_is_said_in_a_sentence(
    table: str, told: str, hive: dict[str, str], tmp_path: Path
) -> None:
    ran = run(table, tmp_path, configured("hive", hive))
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (4, "", 1), ran.stderr
    assert told in ran.stderr


def test_a_hive_metastore_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("thrift", reason="PyIceberg's Hive catalog needs thrift: pip install thrift")
    ran = run("hive.shop.orders", tmp_path, configured("hive", {"type": "hive", "uri": "thrift://127.0.0.1:9"}))
    assert (ran.returncode, len(ran.stderr.splitlines())) == (6, 1), ran.stderr
    assert "the catalog hive does not tell of shop.orders" in ran.stderr
