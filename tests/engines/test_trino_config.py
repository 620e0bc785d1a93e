"""What Trino is started with."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.engines.trino.config import as_properties, server_properties
from lab.engines.trino.container import files
from lab.engines.trino.process import command

PORT = 18080


@pytest.mark.parametrize(
    "line",
    [
        "node.bind-ip=127.0.0.1",
        "node.internal-address=127.0.0.1",
        "http-server.http.port=18080",
        "discovery.uri=http://127.0.0.1:18080",
        "catalog.management=dynamic",
        "catalog.store=memory",
    ],
)
def test_trino_listens_to_this_machine_alone_and_takes_catalogs_by_sql(line: str) -> None:
    assert line in as_properties(server_properties(PORT)).splitlines()


def test_a_process_runs_in_a_small_heap_with_one_configuration_file() -> None:
    words = command(Path("/jdk/bin/java"), Path("/trino"), Path("/scratch/config.properties"))
    assert words[0] == "/jdk/bin/java"
    assert {"-Xmx512M", "-Dconfig=/scratch/config.properties"} < set(words)
    assert words[-3:] == ["-cp", "/trino/lib/*", "io.trino.server.TrinoServer"]


def test_a_container_gets_its_node_its_server_its_log_and_its_jvm_configured() -> None:
    assert {path.rpartition("/")[2] for path in files(PORT)} == {
        "node.properties",
        "config.properties",
        "log.properties",
        "jvm.config",
    }


def test_a_container_too_listens_to_this_machine_alone() -> None:
    assert "node.bind-ip=127.0.0.1" in files(PORT)["/etc/trino/node.properties"].decode().splitlines()


def test_nothing_of_the_node_is_in_a_containers_server_file() -> None:
    assert "node.id" not in files(PORT)["/etc/trino/config.properties"].decode()
