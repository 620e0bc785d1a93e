"""Whether Docker can be used here; asking costs nothing where it is absent."""

from __future__ import annotations

import os
import socket

DOCKER_API = "1.44"
"""Docker 25's. Named, so that making the client does not yet talk to the daemon."""


def docker_answers() -> bool:
    """Whether a Docker daemon can be talked to."""
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
    """False for a Unix socket that nobody listens on, which the Docker client would leave open."""
    scheme, _, path = host.partition("://")
    if scheme != "unix":
        return True
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0
