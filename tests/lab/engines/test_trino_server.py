"""How a Trino is started: its archives, its configuration, its container, and why one did not start.

No Trino runs: a stub of Docker answers, archives are small made-up ones, and the log is shortened from Trino 476."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from lab.engines.registry import Order, RunningEngine
from lab.engines.trino.install import artifact_path, as_properties, install_trino, server_properties
from lab.engines.trino.open import open_engine
from lab.engines.trino.started import command, files, reason
from lab.stack.cache import Cache
from lab.stack.maven_repositories import Repositories
from lab.stack.versions import Trino, trino
from lab.store.running import RunningStore
from tests.lab.engines.conftest import DockerStub
from tests.local_maven import with_mirror
from xtable_audit.model.problem import Problem

WANTED = Trino("9", 25, ("io.trino:trino-server-core:9:tar.gz", "io.trino:trino-iceberg:9:zip"), "trinodb/trino:9")
SERVER, PLUGIN = map(artifact_path, WANTED.archives)
PORT = 18080
IMAGE = trino().image
CONFIGURATION = """\
2026-11-21T14:39:13.116Z	ERROR	main	io.trino.server.Server	Configuration is invalid
==========

Errors:

1) Configuration property 'node.data-dir' was not used. Did you mean to use 'node.id'?

2) Configuration property 'x' was not used.

==========
"""
STACK = """\
2026-11-21T15:02:13.668Z	ERROR	main	io.trino.server.Server	Unable to create injector, see the following errors:

1) [Guice/ErrorInCustomProvider]: NullPointerException: Cannot invoke "Injector.getInstance(Key)"
  at ServerMainModule.createQueryManager(ServerMainModule.java:1)
Caused by: NullPointerException: Cannot invoke "Injector.getInstance(Key)" because "this.injector" is null
	... 3 more

2) [Guice/ErrorInjectingConstructor]: UncheckedIOException: Failed to bind to /127.0.0.1:18081
Caused by: UncheckedIOException: Failed to bind to /127.0.0.1:18081
	at HttpServer.start(HttpServer.java:2)
Caused by: BindException: Address already in use
	... 5 more

3) [Guice/ErrorInjectingConstructor]: UncheckedIOException: Failed to bind to /127.0.0.1:18081
Caused by: UncheckedIOException (same stack trace as error #2)
"""
LINE = "2026-11-21T15:02:13.668Z\tERROR\tmain\tio.trino.server.Server\tno disk\n"
JAVA = "ERROR: Trino requires Java 24 or newer (found 17.0.2)\n"


def write_archives(repository: Path) -> None:
    server, plugin = repository / SERVER, repository / PLUGIN
    for archive in (server, plugin):
        archive.parent.mkdir(parents=True)
    with tarfile.open(server, "w:gz") as tar:
        for name in ("lib/a.jar", "bin/launcher", "plugin/password-file/b.jar"):
            member = tarfile.TarInfo(f"trino-server-core-9/{name}")
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
        link = tarfile.TarInfo("trino-server-core-9/lib/same.jar")
        link.type, link.linkname = tarfile.LNKTYPE, "trino-server-core-9/lib/a.jar"
        tar.addfile(link)
    with zipfile.ZipFile(plugin, "w") as bundle:
        bundle.writestr("trino-iceberg-9/c.jar", "abc")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def repositories(tmp_path: Path, mirror: str = "http://127.0.0.1:9") -> Repositories:
    settings = with_mirror(tmp_path / "settings.xml", mirror)
    return Repositories(tmp_path / "m2", tmp_path / "cache" / "maven", settings)


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def start(tmp_path: Path) -> Callable[[str], RunningEngine]:
    def no_store() -> RunningStore:
        raise AssertionError("no store is needed to start a Trino")

    def open_as(how: str) -> RunningEngine:
        return open_engine(
            Order(how, no_store, tmp_path, Cache(tmp_path / "cache"), lambda step: None, {"catalog": "file"})
        )

    return open_as


# Trino's archives, unpacked once a machine. The archives are small made-up ones of the real shape.


def test_the_core_is_unpacked_without_its_plugins_and_with_iceberg(tmp_path: Path, cache: Cache) -> None:
    write_archives(tmp_path / "m2")
    home = install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert files_in(home) == {"lib/a.jar", "lib/same.jar", "bin/launcher", "plugin/iceberg/c.jar", "complete.json"}


@pytest.mark.parametrize(("place", "kept"), [("m2", True), ("cache/maven", False)], ids=["the user's", "the suite's"])
def test_only_archives_that_the_suite_downloaded_are_deleted(
    tmp_path: Path, cache: Cache, place: str, kept: bool
) -> None:
    write_archives(tmp_path / place)
    install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert [(tmp_path / place / path).is_file() for path in (SERVER, PLUGIN)] == [kept, kept]


def test_what_is_installed_needs_no_archive_any_more(tmp_path: Path, cache: Cache) -> None:
    write_archives(tmp_path / "cache" / "maven")
    first, second = (install_trino(WANTED, cache, lambda step: None, repositories(tmp_path)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("archive", [SERVER, PLUGIN], ids=["server", "plugin"])
def test_a_damaged_archive_is_named_and_leaves_no_installation(
    tmp_path: Path, cache: Cache, archive: PurePosixPath
) -> None:
    write_archives(tmp_path / "m2")
    whole = (tmp_path / "m2" / archive).read_bytes()
    (tmp_path / "m2" / archive).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Problem, match=rf"{archive.name} is damaged or cut off .* Delete it and run again"):
        install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))
    assert not [path for path in (tmp_path / "cache" / "trino").iterdir() if path.is_dir()]


def test_a_repository_that_cannot_be_reached_is_reported_in_a_sentence(tmp_path: Path, cache: Cache) -> None:
    with pytest.raises(Problem, match=r"could not be downloaded .* Check the network and run again"):
        install_trino(WANTED, cache, lambda step: None, repositories(tmp_path))


# What Trino is started with.


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


# Trino as a container: the requests to Docker and the messages where they fail. A stub answers.


@pytest.mark.parametrize("how", ["auto", "container"])
def test_where_docker_answers_the_image_is_pulled_and_its_absence_reported(
    docker: DockerStub, start: Callable[[str], RunningEngine], how: str
) -> None:
    docker.pull_error = "manifest unknown"
    with pytest.raises(Problem, match=rf"The image {IMAGE} cannot be pulled \(manifest unknown\)"):
        start(how)


def test_a_container_that_ends_gives_its_reason_and_is_removed(
    docker: DockerStub, start: Callable[[str], RunningEngine]
) -> None:
    docker.log = b"1) Configuration property 'x' was not used\n"
    docker.end()
    with pytest.raises(Problem, match="Trino did not start: Configuration property 'x' was not used"):
        start("container")
    assert docker.removed == [IMAGE]


def test_a_container_is_on_the_hosts_network_with_its_configuration_in_place(
    docker: DockerStub, start: Callable[[str], RunningEngine]
) -> None:
    docker.end()
    with pytest.raises(Problem, match="Trino did not start"):
        start("container")
    assert docker.created[IMAGE]["HostConfig"]["NetworkMode"] == "host"
    assert b"node.bind-ip=127.0.0.1" in b"".join(docker.files.values())


# Why a Trino did not start, in its log's own words. The lines are those of Trino 476, shortened.


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (CONFIGURATION, "Configuration property 'node.data-dir' was not used. Did you mean to use 'node.id'?"),
        (STACK, "BindException: Address already in use"),
        (JAVA, "Trino requires Java 24 or newer (found 17.0.2)"),
        (LINE, "main io.trino.server.Server no disk"),
        ("INFO all is well\n", None),
    ],
    ids=["configuration", "exception", "verification", "a line of fields", "nothing"],
)
def test_the_reason_is_found(log: str, cause: str | None) -> None:
    assert reason(log) == cause
