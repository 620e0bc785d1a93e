"""A tiny Maven repository on disk, and one that is served over HTTP and may misbehave."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.stack.cache import Cache
from lab.stack.classpath import ClassPaths
from lab.stack.maven import Repositories


class FakeMaven:
    """Writes artefacts as `mvn install` and a repository server would, checksums and all."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def add(self, coordinate: str, needs: str = "", manages: str = "", packaging: str = "jar") -> Path:
        """An artefact; `needs` and `manages` are blank-separated `group:artifact:version[:scope]`. Returns its file."""
        group, artifact, version = coordinate.split(":")
        folder = self.root.joinpath(*group.split("."), artifact, version)
        folder.mkdir(parents=True, exist_ok=True)
        pom = folder / f"{artifact}-{version}.pom"
        pom.write_text(
            f"<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version><packaging>{packaging}</packaging>"
            f"<dependencyManagement><dependencies>{_dependencies(manages)}</dependencies></dependencyManagement>"
            f"<dependencies>{_dependencies(needs)}</dependencies></project>"
        )
        _checksum(pom)
        if packaging == "pom":
            return pom
        jar = pom.with_suffix(".jar")
        with zipfile.ZipFile(jar, "w") as content:
            content.writestr("what", f"{coordinate} " * 200)
        _checksum(jar)
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


def _checksum(path: Path) -> None:
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
def paths(tmp_path: Path, installed: FakeMaven, server: Server) -> Callable[[], ClassPaths]:
    """Makes the class paths of a fresh start over these repositories, with a cache under tmp_path."""

    def fresh() -> ClassPaths:
        cache = Cache(tmp_path / "cache")
        return ClassPaths(cache, Repositories(installed.root, cache.root / "maven", mirror=server.url))

    return fresh
