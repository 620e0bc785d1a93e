"""Whether Docker can be used here. The check is cheap if Docker is absent."""

from __future__ import annotations

import errno
import os
import socket


def docker_answers() -> bool:
    """Whether a Docker daemon answers."""
    import docker
    from docker.errors import DockerException

    if _error_of_socket():
        return False
    try:
        daemon = docker.from_env(timeout=5)  # asks for the daemon's API: a version named here would refuse older ones
    except (DockerException, OSError):
        return False
    try:
        return bool(daemon.ping())
    except (DockerException, OSError):
        return False
    finally:
        daemon.close()


def why_no_docker() -> str:
    """What to do where Docker does not answer."""
    if _error_of_socket() in (errno.EACCES, errno.EPERM):
        return f"this account may not use its socket {_host().removeprefix('unix://')}: join the group that owns it"
    return "no Docker daemon answers: start it"


def _host() -> str:
    return os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")


def _error_of_socket() -> int:
    """0, or why a Unix socket cannot be connected, which the Docker client would leave open."""
    scheme, _, path = _host().partition("://")
    if scheme != "unix":
        return 0
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path)
