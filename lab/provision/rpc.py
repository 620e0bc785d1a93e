"""One provisioner for all xdist workers: it runs in the controller, which outlives them, and answers over loopback."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from multiprocessing.managers import BaseManager
from typing import Any, Protocol

from lab.engines.registry import RunningEngine
from lab.provision.hudi.kept_table import HudiTable
from lab.provision.progress import LongStep
from lab.provision.provider_protocol import Built
from lab.provision.provisioner import Provisioner
from lab.store.disk import Disk
from xtable_audit.model.predicate import Predicate

CALLS = (
    "table",
    "shared_store",
    "shared_disk",
    "publish",
    "prepare",
    "engine",
    "plan_in_java",
    "java_planner",
    "hudi",
    "note",
)


class ProvisionerCalls(Protocol):
    """The provisioner's calls, in the same process or from a worker."""

    def table(self, id: str) -> Built: ...
    def shared_store(self) -> str: ...
    def shared_disk(self) -> Disk: ...
    def publish(self, id: str) -> None: ...
    def prepare(self, engines: Sequence[str], tables: Sequence[str]) -> None: ...
    def engine(self, name: str) -> RunningEngine: ...
    def hudi(self, id: str) -> HudiTable: ...
    def plan_in_java(self, metadata_location: str, predicates: Sequence[Predicate]) -> list[frozenset[str] | None]: ...
    def java_planner(self) -> str: ...
    def note(self, step: LongStep) -> None: ...


class _Manager(BaseManager):
    pass


def serve(provisioner: Provisioner) -> dict[str, Any]:
    """Serves workers from a thread of this process. Returns the argument of `reach`, for `workerinput`."""
    key = secrets.token_hex(16)

    class Served(_Manager):
        pass

    Served.register("provisioner", callable=lambda: provisioner, exposed=CALLS)
    server = Served(address=("127.0.0.1", 0), authkey=key.encode()).get_server()
    threading.Thread(target=server.serve_forever, name="provisioner", daemon=True).start()
    address: Any = server.address
    return {"host": address[0], "port": address[1], "key": key}


def reach(address: dict[str, Any]) -> ProvisionerCalls:
    """A proxy of the controller's provisioner for a worker. Exceptions raised there are raised here."""

    class Reached(_Manager):
        pass

    Reached.register("provisioner", exposed=CALLS)
    manager = Reached(address=(address["host"], address["port"]), authkey=address["key"].encode())
    manager.connect()
    provisioner: ProvisionerCalls = manager.provisioner()  # type: ignore[attr-defined]
    return provisioner
