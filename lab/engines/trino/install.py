"""Trino's server from Maven Central, unpacked once a machine, and its configuration, which 476 and 481 accept."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from lab.stack.cache import Cache, key_of
from lab.stack.download import DATA, fetch_reporting
from lab.stack.maven_repositories import NotServed, Repositories
from lab.stack.versions import Trino
from xtable_audit.model.problem import Problem

Report = Callable[[str], None]


def install_trino(wanted: Trino, cache: Cache, report: Report, repositories: Repositories | None = None) -> Path:
    """The folder that holds `lib` and `plugin/iceberg`; half a gigabyte is downloaded the first time.

    Archives that the suite downloaded are deleted once they are unpacked; the user's own stay. Raises
    Problem if they are not available.
    """
    places = repositories or Repositories.of_this_machine(cache.root)

    def build(folder: Path) -> None:
        archives = [_fetch(wanted, archive, places, report) for archive in wanted.archives]
        report(f"unpacking Trino {wanted.version}")
        for archive, unpack in zip(archives, (_unpack_server, _unpack_plugin), strict=True):
            try:
                unpack(archive, folder)
            except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
                raise Problem(f"{archive} is damaged or cut off ({error}). Delete it and run again.") from error
        for archive in archives:
            if archive.is_relative_to(places.cached):
                archive.unlink()

    return cache.publish("trino", key_of(archives=wanted.archives), build, {"version": wanted.version})


def artifact_path(coordinate: str) -> PurePosixPath:
    """Where a Maven repository keeps `group:artifact:version:extension`."""
    group, artifact, version, extension = coordinate.split(":")
    return PurePosixPath(*group.split("."), artifact, version, f"{artifact}-{version}.{extension}")


def _fetch(wanted: Trino, archive: str, repositories: Repositories, report: Report) -> Path:
    path = artifact_path(archive)
    which = f"Trino {wanted.version}, part {wanted.archives.index(archive) + 1} of {len(wanted.archives)}"
    try:
        return fetch_reporting(repositories, path, which, report)
    except NotServed as absent:
        raise Problem(
            f"Trino {wanted.version} cannot be downloaded: {repositories.remote}/{path} is not there. "
            "Use another repository, or a Trino that runs: --trino http://user@host:port"
        ) from absent


def _unpack_server(archive: Path, folder: Path) -> None:
    """All but the core's own plugins (event listeners, password files, …), which an audit does not need."""
    with tarfile.open(archive) as tar:
        tar.extraction_filter = DATA
        for member in tar:
            inside = _below_top(member.name)
            if inside.parts and inside.parts[0] != "plugin":
                linked = str(_below_top(member.linkname)) if member.islnk() else member.linkname
                tar.extract(member.replace(name=str(inside), linkname=linked), folder)


def _below_top(name: str) -> PurePosixPath:
    """`lib/a.jar` of `trino-server-core-476/lib/a.jar`."""
    return PurePosixPath(*PurePosixPath(name).parts[1:])


def _unpack_plugin(archive: Path, folder: Path) -> None:
    """The zip's one folder, `trino-iceberg-476/`, becomes `plugin/iceberg/`."""
    plugins = folder / "plugin"
    with zipfile.ZipFile(archive) as bundle:
        bundle.extractall(plugins)
    (only,) = plugins.iterdir()
    only.rename(plugins / "iceberg")


HEAP = "512M"
"""Enough to count rows with only the Iceberg plugin; no smaller heap was tried."""

LOG_LEVELS = {"io.trino": "WARN", "io.trino.server.Server": "INFO"}

CATALOG_TABLES = """
CREATE TABLE iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL,
  table_namespace VARCHAR(255) NOT NULL,
  table_name VARCHAR(255) NOT NULL,
  metadata_location VARCHAR(1000),
  previous_metadata_location VARCHAR(1000),
  iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name));
CREATE TABLE iceberg_namespace_properties (
  catalog_name VARCHAR(255) NOT NULL,
  namespace VARCHAR(255) NOT NULL,
  property_key VARCHAR(255),
  property_value VARCHAR(1000),
  PRIMARY KEY (catalog_name, namespace, property_key));
"""
"""The V1 layout of Iceberg's JDBC catalog (`org.apache.iceberg.jdbc.JdbcUtil`), which Trino does not create."""


def jvm_options(heap: str) -> tuple[str, ...]:
    """As Trino's documentation recommends, for a small heap and little work."""
    return (
        "-server",
        "-XX:TieredStopAtLevel=1",  # ready in 14 s instead of 23 s, and 80 questions in 26 s instead of 37 s
        f"-Xmx{heap}",
        "-XX:+UseG1GC",
        "-XX:G1HeapRegionSize=8M",
        "-XX:+ExplicitGCInvokesConcurrent",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-OmitStackTraceInFastThrow",
        "-XX:ReservedCodeCacheSize=150M",
        "-Djdk.attach.allowAttachSelf=true",
        "-Djdk.nio.maxCachedBufferSize=2000000",
        "-Dfile.encoding=UTF-8",
        "-XX:+EnableDynamicAgentLoading",
    )


def server_properties(port: int) -> dict[str, str]:
    """One node that listens only on 127.0.0.1. Without `node.bind-ip` it listens on every interface.

    Catalogs are created and dropped by SQL and kept in memory.
    """
    return {
        "node.environment": "audit",
        "node.id": "audit",
        "node.bind-ip": "127.0.0.1",
        "node.internal-address": "127.0.0.1",
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": str(port),
        "http-server.log.enabled": "false",
        "discovery.uri": f"http://127.0.0.1:{port}",
        "catalog.management": "dynamic",
        "catalog.store": "memory",
        "query.max-memory": "128MB",
        "query.max-memory-per-node": "128MB",
        "memory.heap-headroom-per-node": "64MB",
    }


def as_properties(settings: Mapping[str, str]) -> str:
    """The text of a `.properties` file."""
    return "".join(f"{name}={value}\n" for name, value in settings.items())
