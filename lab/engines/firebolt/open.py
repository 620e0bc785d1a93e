"""`--firebolt auto | container | cloud | http://host:port`: opens the Firebolt that the option names."""

from __future__ import annotations

from collections.abc import Callable

from lab.engines.firebolt.core import start_core
from lab.engines.firebolt.handle import FireboltEngine
from lab.engines.firebolt.probe import check_store, query_version
from lab.engines.firebolt.remote import NEEDED, by_environment, by_url, check_reach, missing
from lab.engines.order import Order, RunningEngine, elsewhere
from lab.stack.docker import docker_answers
from lab.stack.versions import firebolt
from lab.store.workspace import Workspace
from xtable_audit.model.problem import Problem

NONE = (
    "no Firebolt engine: start Docker, so that Firebolt Core runs in a container; or give a running Core by "
    f"--firebolt http://host:port; or an engine of Firebolt's cloud by {', '.join(NEEDED)}"
)


def open_engine(order: Order) -> RunningEngine:
    """Raises Problem, one sentence, if no Firebolt is available that way."""
    how = _chosen(order.how)
    if how == "container":
        order.report("starting Firebolt Core")
        engine, stop = start_core(order.running().store, order.logs, order.report)
        return _checked(engine, order.running().store, "a container at {url}", stop)
    engine = by_environment() if how == "cloud" else by_url(how)
    order.report(f"connecting to {engine.where}")
    store = order.running().store
    check_reach(engine, store)
    return _checked(
        engine, store, "engine {engine} of account {account} in its cloud" if how == "cloud" else "at {url}"
    )


def expected_version(how: str) -> str | None:
    """A container's version is its image's tag; a Firebolt that we do not start only reports its own."""
    in_container = how == "container" or (how == "auto" and docker_answers())
    return firebolt().version if in_container else None


def _chosen(how: str) -> str:
    if how == "auto":
        if docker_answers():
            return "container"
        if not missing():
            return "cloud"
        raise Problem(NONE)
    if how == "container" and not docker_answers():
        raise Problem("--firebolt container needs Docker, and no Docker daemon answers: start it, or name a URL")
    return how


def _checked(
    engine: FireboltEngine, store: Workspace, place: str, stop: Callable[[], None] = elsewhere
) -> RunningEngine:
    """The engine, after it has reported its version and listed the store's bucket. If it fails to, it is ended."""
    try:
        version = query_version(engine)
        check_store(engine, store)
    except BaseException:
        stop()
        raise
    where = place.format(url=engine.url, engine=engine.engine, account=engine.account)
    return RunningEngine(engine, f"Firebolt {version}, {where}", version, stop)
