"""`--trino auto | container | process | http://user@host:port[/catalog]`: opens the Trino that the option names."""

from __future__ import annotations

import secrets
from contextlib import ExitStack, suppress
from typing import Literal

from trino.exceptions import TrinoQueryError

from lab.engines.order import Order, RunningEngine
from lab.engines.postgres import start_postgres
from lab.engines.trino.config import CATALOG_TABLES
from lab.engines.trino.container import start_container
from lab.engines.trino.handle import Catalogs, FileCatalogs, GivenCatalog, JdbcCatalogs, TrinoHandle
from lab.engines.trino.process import start_process
from lab.engines.trino.ready import RunningTrino
from lab.engines.trino.remote import Address, leave_nothing, parse, version_of
from lab.stack.docker import docker_answers
from lab.stack.versions import trino
from lab.store import objects
from xtable_audit.model.problem import Problem

HOW = ("auto", "container", "process")
KINDS = ("jdbc", "file")
METASTORE = "_trino_metastore"
"""Folder in the bucket for the file metastore of a Trino that we did not start."""


def open_engine(order: Order) -> RunningEngine:
    """Raises Problem, one sentence, if no Trino is available that way."""
    if order.how.startswith(("http://", "https://")):
        return _theirs(order, parse(order.how))
    kind = order.options.get("catalog", KINDS[0])
    if order.how not in HOW or kind not in KINDS:
        raise Problem(f"--trino takes {', '.join(HOW)} or a URL, and --trino-catalog takes {' or '.join(KINDS)}")
    if order.how == "container" and not docker_answers():
        raise Problem("--trino container needs Docker, and no Docker daemon answers: start it, or use --trino process")
    return _ours(order, kind, in_container=order.how != "process" and docker_answers())


def expected_version(how: str) -> str | None:
    """Ours is the one in versions.toml; a running Trino reports its own, None if it does not answer."""
    if how.startswith(("http://", "https://")):
        with suppress(Problem):
            return version_of(parse(how))
        return None
    in_container = how != "process" and docker_answers()
    return trino().image.rpartition(":")[2] if in_container else trino().version


def _ours(order: Order, kind: str, *, in_container: bool) -> RunningEngine:
    where: Literal["container", "process"] = "container" if in_container else "process"
    with ExitStack() as undo:
        catalogs: Catalogs | None = None
        if kind == "jdbc":
            postgres = start_postgres(where, order.logs, order.cache, order.report, setup=CATALOG_TABLES)
            undo.callback(postgres.stop)
            database = postgres.handle
            catalogs = JdbcCatalogs(database.jdbc_url, database.user, database.password)
        start = start_container if in_container else start_process
        running: RunningTrino = start(trino(), order.logs, order.cache, order.report)
        undo.callback(running.stop)
        catalogs = catalogs or FileCatalogs("local:///metastore", running.scratch)
        return RunningEngine(
            TrinoHandle(running.server, running.version, catalogs, _prefix()),
            f"Trino {running.version}, a {where} at {running.server.url}, {kind} catalogs",
            running.version,
            undo.pop_all().close,
        )
    raise AssertionError("unreachable")


def _theirs(order: Order, address: Address) -> RunningEngine:
    order.report(f"connecting to Trino at {address.server.url}")
    version = version_of(address)
    prefix = _prefix()
    if address.catalog is not None:
        catalogs: Catalogs = GivenCatalog(address.catalog)
    else:
        catalogs = FileCatalogs(order.running().store.uri(f"{METASTORE}/{prefix}"))
    handle = TrinoHandle(address.server, version, catalogs, prefix)

    def stop() -> None:
        with suppress(Problem, TrinoQueryError):  # it may be gone, or refuse to drop: no table is affected
            leave_nothing(handle)
        if isinstance(catalogs, FileCatalogs):
            objects.delete(order.running().store, f"{METASTORE}/{prefix}")

    where = f"{address.server.url}/{address.catalog}" if address.catalog else address.server.url
    return RunningEngine(handle, f"Trino {version} at {where}", version, stop)


def _prefix() -> str:
    """Differs for each run, so that concurrent runs on one Trino do not collide."""
    return f"xtable_audit_{secrets.token_hex(4)}_"
