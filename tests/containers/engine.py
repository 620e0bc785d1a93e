"""A Docker engine of the tests' own: `dockerd` with a socket, images and a bridge that no other engine knows.

`python -m tests.containers.engine RUN IMAGES` keeps one until its standard input ends, which it also does after
`kill -9` of the parent; then no container, network, volume or process of the engine is left.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
from docker.errors import DockerException

from lab.servers.ends_with_parent import wait_for_end_of_input
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from xtable_audit.model.problem import Problem

VARIABLE = "XTABLE_AUDIT_ENGINE"
"""Set to 1, it lets the tests start an engine outside CI; set to 0, it forbids it there."""
NEEDED = ("dockerd", "containerd", "runc", "ip", "debootstrap")
"""Of Debian's packages docker.io, iproute2 and debootstrap."""
BRIDGE, ADDRESS = "xtable-audit0", "10.213.255.1/24"
POOL = "base=10.213.0.0/17,size=24"
"""Addresses of the networks that are made in it: without NAT, so that no container reaches beyond this machine."""
READY_IN = 60.0


def why_not(environ: Mapping[str, str] = os.environ) -> str:
    """Why no engine is started here; empty if one may and can be."""
    allowed = environ.get(VARIABLE, "1" if environ.get("CI") == "true" else "0")
    if allowed != "1":
        return f"a Docker engine is started in CI only, or where {VARIABLE}=1 says so"
    if sys.platform != "linux" or os.geteuid() != 0:
        return "a Docker engine of its own needs root on Linux"
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        return f"{', '.join(missing)} is missing: apt-get install docker.io debootstrap iproute2"
    return ""


@contextmanager
def engine(cache: Cache) -> Iterator[str]:
    """The address of a running engine, for DOCKER_HOST. One a machine: a second waits. Raises Problem."""
    with cache.lock("containers", "engine"):
        run = Path(tempfile.mkdtemp(prefix="xtable-audit-docker-"))  # short, as a socket's path has to be
        words = [sys.executable, "-m", "tests.containers.engine", str(run), str(cache.path("containers", "engine"))]
        keeper = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, start_new_session=True)
        try:
            address = f"unix://{run / 'docker.sock'}"
            _wait(address, run)
            with client(address) as daemon:
                clear(daemon)  # what an engine left whose keeper was killed
            yield address
        finally:
            keeper.communicate()


def _wait(address: str, run: Path) -> None:
    deadline, log = time.monotonic() + READY_IN, run / "dockerd.log"
    while not answers(address):
        if time.monotonic() > deadline:
            raise Problem(f"dockerd does not start: {''.join(log.read_text().splitlines()[-1:])}")
        time.sleep(0.1)


def answers(address: str) -> bool:
    if not Path(address.removeprefix("unix://")).exists():
        return False
    with suppress(DockerException), client(address) as daemon:
        return bool(daemon.ping())
    return False


@contextmanager
def client(address: str) -> Iterator[docker.DockerClient]:
    daemon = docker.DockerClient(base_url=address, timeout=600)
    try:
        yield daemon
    finally:
        daemon.close()


def left(daemon: docker.DockerClient) -> list[str]:
    """The containers, networks and volumes that are there, except the networks that every engine has."""
    networks = [one.name for one in daemon.networks.list() if one.name not in ("bridge", "host", "none")]
    there = daemon.containers.list(all=True, ignore_removed=True)  # the reaper removes some meanwhile
    containers = [f"{one.name} ({one.attrs['Config']['Image']})" for one in there]
    return [*containers, *networks, *(one.name for one in daemon.volumes.list())]


def clear(daemon: docker.DockerClient) -> None:
    """Removes all of it: the engine is nobody else's."""
    for container in daemon.containers.list(all=True):
        container.remove(force=True, v=True)
    daemon.networks.prune()
    for volume in daemon.volumes.list():
        volume.remove(force=True)


def main(run: Path, images: Path) -> int:
    """Starts the engine, waits for the end of standard input, and takes everything away."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    address = f"unix://{run / 'docker.sock'}"
    _ip("link", "del", BRIDGE)  # of an engine whose keeper was killed
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("address", "add", ADDRESS, "dev", BRIDGE)
    _ip("link", "set", BRIDGE, "up")
    options = [
        *("--host", address, "--data-root", str(images), "--exec-root", str(run / "exec")),
        *("--pidfile", str(run / "pid"), "--bridge", BRIDGE, "--default-address-pool", POOL),
        *("--iptables=false", "--ip6tables=false", "--ip-forward=false", "--shutdown-timeout=5"),
    ]
    with (run / "dockerd.log").open("wb") as log:
        dockerd = subprocess.Popen(["dockerd", *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            wait_for_end_of_input()
            if dockerd.poll() is None:
                with client(address) as daemon:
                    clear(daemon)
        finally:
            dockerd.terminate()
            dockerd.wait()
            _ip("link", "del", BRIDGE)
            for folder in _mounted(run, images):  # dockerd leaves the mount of the network that `host` containers had
                subprocess.run(["umount", "--lazy", folder], check=True)
            shutil.rmtree(run)
    return dockerd.returncode


def _mounted(*below: Path) -> list[str]:
    folders = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    return [folder for folder in folders if any(Path(folder).is_relative_to(root) for root in below)]


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], capture_output=True, check=False)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
