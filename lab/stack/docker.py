"""Whether Docker can be used here. The check is cheap if Docker is absent."""

from __future__ import annotations

import os
import socket

DOCKER_API = "1.44"
"""Docker 25's API. It is named so that creating the client does not yet contact the daemon."""


def docker_answers() -> bool:
    """Whether a Docker daemon answers."""
    import docker
    from docker.errors import DockerException

    if not _socket_is_open(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")):
        return False
    daemon = docker.from_env(version=DOCKER_API, timeout=5)
    try:
        return bool(daemon.ping())
    except (DockerException, OSError):
        return False
    finally:
        daemon.close()


def _socket_is_open(host: str) -> bool:
    """False for a Unix socket without a listener, which the Docker client would leave open."""
    scheme, _, path = host.partition("://")
    if scheme != "unix":
        return True
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0
