"""A tiny Maven repository on disk, and one that is served over HTTP and may misbehave."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import cache as once
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from lab.stack import maven_program
from lab.stack.cache import Cache
from lab.stack.classpath import ClassPaths, PomDependency, pom_of
from lab.stack.maven_repositories import Repositories
from tests.local_maven import with_mirror
from xtable_audit.model.problem import Problem


class FakeMaven:
    """Writes artefacts as `mvn install` and a repository server would, checksums and all."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, coordinate: str, needs: str = "", manages: str = "", packaging: str = "jar", sets: str = "") -> Path:
        """An artefact; `needs` and `manages` are blank-separated `group:artifact:version[:scope]`. Returns its file.

        `sets` are properties in XML.
        """
        group, artifact, version = coordinate.split(":")
        folder = self.root.joinpath(*group.split("."), artifact, version)
        folder.mkdir(parents=True, exist_ok=True)
        pom = folder / f"{artifact}-{version}.pom"
        pom.write_text(
            f"<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version><packaging>{packaging}</packaging><properties>{sets}</properties>"
            f"<dependencyManagement><dependencies>{_dependencies(manages)}</dependencies></dependencyManagement>"
            f"<dependencies>{_dependencies(needs)}</dependencies></project>"
        )
        checksum(pom)
        if packaging == "pom":
            return pom
        jar = pom.with_suffix(".jar")
        with zipfile.ZipFile(jar, "w") as content:
            content.writestr("what", f"{coordinate} " * 200)
        checksum(jar)
        return jar


def _dependencies(coordinates: str) -> str:
    found = ""
    for coordinate in coordinates.split():
        group, artifact, version, *scope = coordinate.split(":")
        found += (
            f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
        )
        found += "".join(f"<scope>{one}</scope>" for one in scope) + "</dependency>"
    return found


def checksum(path: Path) -> None:
    """Writes the `.sha1` beside a file, as a repository has it."""
    path.with_name(path.name + ".sha1").write_text(hashlib.sha1(path.read_bytes()).hexdigest())


@pytest.fixture
def installed(tmp_path: Path) -> FakeMaven:
    """The local Maven repository."""
    return FakeMaven(tmp_path / "m2")


@pytest.fixture
def remote(tmp_path: Path) -> FakeMaven:
    """What the remote repository serves."""
    return FakeMaven(tmp_path / "remote")


class Server:
    """Serves the remote repository. `requested` are the requested paths; of names in `cut_off` half arrives."""

    def __init__(self, root: Path) -> None:
        self.requested: list[str] = []
        self.cut_off: set[str] = set()
        server = self

        class Handler(SimpleHTTPRequestHandler):
            def __init__(self, *arguments: object) -> None:
                super().__init__(*arguments, directory=str(root))  # type: ignore[arg-type]

            def do_GET(self) -> None:
                self.path = urlsplit(self.path).path  # whole, where it is asked as a proxy
                server.requested.append(self.path)
                if Path(self.path).name not in server.cut_off:
                    return super().do_GET()
                content = (root / self.path.lstrip("/")).read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2])
                return None

            def log_message(self, format: str, *arguments: object) -> None:
                """Says nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()


@pytest.fixture
def server(remote: FakeMaven) -> Iterator[Server]:
    remote.root.mkdir(parents=True, exist_ok=True)
    running = Server(remote.root)
    yield running
    running.stop()


@pytest.fixture
def repositories(tmp_path: Path, installed: FakeMaven, server: Server) -> Repositories:
    """The local repository, an empty copy in the cache, and the server in Central's place."""
    settings = with_mirror(tmp_path / "settings.xml", server.url)
    return Repositories(installed.root, tmp_path / "cache" / "maven", settings)


@pytest.fixture
def paths(tmp_path: Path, repositories: Repositories) -> Callable[[], ClassPaths]:
    """Makes the class paths of a fresh start over these repositories, with a cache under tmp_path."""
    return lambda: ClassPaths(Cache(tmp_path / "cache"), repositories)


@pytest.fixture(scope="session")
def version_asked_once() -> Iterator[None]:
    """Which Maven is on PATH does not change while tests run, and each answer starts a JVM."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(maven_program, "_version_of", once(maven_program._version_of))
        yield


@pytest.fixture(scope="session")
def real_maven(version_asked_once: None) -> ClassPaths:
    """Maven and its plugin, in a local repository of their own that is kept. Skips where they do not come."""
    cache = Cache()
    here = Repositories.of_this_machine(cache.root)
    nothing, kept = cache.root / "nothing", cache.root / "maven-of-tests"
    paths = ClassPaths(cache, Repositories(nothing, kept, here.settings))
    try:
        paths.jars(pom_of([PomDependency("org.slf4j", "slf4j-api", "1.7.36")]))
    except Problem as problem:
        pytest.skip(f"Maven does not come to this machine: {problem}")
    return paths


@pytest.fixture
def real_paths(tmp_path: Path, real_maven: ClassPaths, paths: Callable[[], ClassPaths]) -> Callable[[], ClassPaths]:
    """The same as `paths` with the real Maven: it and its plugin are linked, and nothing else is."""
    cache, kept = tmp_path / "cache", real_maven.repositories.cached
    cache.mkdir()
    (cache / "apache-maven").symlink_to(real_maven.cache.root / "apache-maven")
    for file in (file for kind in ("jar", "pom") for file in kept.rglob(f"*.{kind}")):
        link = cache / "maven" / file.relative_to(kept)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
    return paths
