"""A server program as a container: its image is pulled, it logs to a file, and is awaited until ready."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

import requests

from lab.servers.docker import docker_answers, why_no_docker
from lab.servers.image import have_image, reason_of
from lab.servers.server import Server
from xtable_audit.model.problem import Problem

if TYPE_CHECKING:
    from testcontainers.core.container import DockerContainer

LOOPBACK = "127.0.0.1"
_LOST = "Docker lost it"
_PORT_IN_USE = ("port is already allocated", "address already in use", "Ports are not available")
"""As Docker Engine, the kernel and Docker Desktop word it."""


def _quiet(words: str) -> None:
    """Shows nothing."""


class Container(Server):
    """A running container. It is removed on `stop`; testcontainers' reaper removes it if this process is killed.

    It has the interface of `lab.servers.child.Child`, so that callers can use either.
    """

    def __init__(
        self,
        name: str,
        image: str,
        *,
        log: Path,
        command: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        files: Mapping[str, bytes | Path] | None = None,
        ports: Mapping[int, int] | None = None,
        report: Callable[[str], None] = _quiet,
        **docker: Any,
    ) -> None:
        """Pulls `image` (pinned) if it is not here, starts it, and copies its output to `log`.

        `files` are absolute path in the container -> content, put there before it starts. Without `ports` it is on the
        host's own network and must be configured to listen on 127.0.0.1; with `ports` (port in the container -> port of
        127.0.0.1) it is on Docker's bridge. `docker` goes to docker-py as it is (`ulimits`, `security_opt`, `user`, …).
        Raises Problem where Docker does not answer, the image cannot be pulled, a port is in use, or it is refused.
        """
        self.name = name
        self.log = log
        self._stopped = False
        with _as_problems(name):
            self._container = _described(image, command, environment or {}, files or {}, ports or {}, docker)
            try:
                self._start(report)
            except BaseException:
                self._container.stop()
                raise
        log.write_bytes(b"")
        output = log.open("ab", buffering=0)
        self._follower = Thread(target=self._follow, args=(output,), name=f"log of {name}", daemon=True)
        self._follower.start()

    def _start(self, report: Callable[[str], None]) -> None:
        from testcontainers.core.config import testcontainers_config

        from lab.servers.reaper import have_reaper

        client = self._container.get_docker_client().client
        reaper = [] if testcontainers_config.ryuk_disabled else [testcontainers_config.ryuk_image]
        for image in (*reaper, self._container.image):
            have_image(client, image, report)
        report(f"starting {self.name}")
        if reaper:
            have_reaper()
        self._container.start()

    def _follow(self, output: BinaryIO) -> None:
        from docker.errors import DockerException
        from urllib3.exceptions import HTTPError

        with output:
            try:
                for chunk in self._container.get_wrapped_container().logs(stream=True, follow=True):
                    output.write(chunk)
            except (DockerException, requests.RequestException, HTTPError, OSError) as error:
                output.write(f"(Docker sends no more log: {reason_of(error)})\n".encode())

    @property
    def running(self) -> bool:
        return self._status() in ("created", "running")

    def _status(self) -> str:
        """Its state as Docker reports it, or why there is none."""
        from docker.errors import DockerException

        if self._stopped:
            return "removed"
        container = self._container.get_wrapped_container()
        try:
            container.reload()
        except (DockerException, requests.RequestException) as error:
            return f"{_LOST} ({reason_of(error)})."
        return str(container.status)

    def last_words(self) -> str:
        status = self._status()
        if status.startswith(_LOST):
            return status
        if not self.running:
            self._follower.join(5)  # it may not have written the last line yet
        return super().last_words()

    def _end(self) -> str:
        code = self._container.get_wrapped_container().attrs.get("State", {}).get("ExitCode")
        return f"exit code {code}."

    def stop(self) -> None:
        from docker.errors import DockerException

        if self._stopped:
            return
        self._stopped = True
        try:
            self._container.stop()
        except (DockerException, requests.RequestException) as error:  # the container or Docker is already gone
            with self.log.open("ab") as file:
                file.write(f"(not removed: {reason_of(error)})\n".encode())
        self._follower.join(5)


def _described(
    image: str,
    command: Sequence[str],
    environment: Mapping[str, str],
    files: Mapping[str, bytes | Path],
    ports: Mapping[int, int],
    docker: Mapping[str, Any],
) -> DockerContainer:
    """Arguments of `docker create`. The network is named so that testcontainers does not choose another."""
    from testcontainers.core.container import DockerContainer

    kept = {"network": "bridge" if ports else "host", **docker}
    container = DockerContainer(image, env=dict(environment))
    container.tmpfs.update(kept.pop("tmpfs", {}))  # testcontainers passes its own beside the others
    container.with_kwargs(**kept)
    if command:
        container.with_command(list(command))
    for path, content in files.items():
        container.with_copy_into_container(content, path)
    for inside, outside in ports.items():
        published: dict[str, Any] = container.ports  # its own method would publish on every address
        published[f"{inside}/tcp"] = (LOOPBACK, outside)
    return container


@contextmanager
def _as_problems(name: str) -> Iterator[None]:
    """Turns errors of Docker and testcontainers into one sentence."""
    from docker.errors import APIError, DockerException
    from testcontainers.core.exceptions import ContainerStartException

    if not docker_answers():
        raise Problem(f"{name} as a container needs Docker, and {why_no_docker()}, or set DOCKER_HOST to another.")
    try:
        yield
    except APIError as error:
        reason = reason_of(error)
        if any(words in reason for words in _PORT_IN_USE):
            raise Problem(f"A port that {name} needs is in use ({reason}). End what listens there.") from error
        raise Problem(f"Docker refuses the container of {name} ({reason}). Check that its image runs here.") from error
    except (DockerException, requests.RequestException) as error:
        raise Problem(f"Docker went away while {name} was started ({reason_of(error)}). Start Docker again.") from error
    except (ContainerStartException, OSError) as error:
        raise Problem(
            f"testcontainers cannot watch over the container of {name} ({reason_of(error)}). "
            "If its reaper cannot run here, set TESTCONTAINERS_RYUK_DISABLED=true."
        ) from error
