"""Tables in catalogs of Glue and REST are found and judged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer
from pyiceberg.catalog import load_catalog

from engines.order import Order
from engines.registry import open_engine
from stack.cache import Cache
from store import objects
from store.running import RunningStore
from store.workspace import Workspace
from tests.emulators.catalogs import checked, configured, healthy
from xtable_audit.model.problem import Problem


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


@pytest.fixture
def nessie(moto_store: RunningStore, tmp_path: Path) -> Iterator[str]:
    """The address of its REST catalog, whose tables lie in the run's store."""
    order = Order(
        "process", lambda: moto_store, tmp_path, Cache(), lambda words: None, {"warehouse": f"rest-{tmp_path.name}"}
    )
    try:
        engine = open_engine("nessie", order)
    except Problem as problem:
        if "downloaded" in str(problem) or "is not there" in str(problem):
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
