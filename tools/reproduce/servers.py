"""What readers need that pip does not install: Spark's jars; Trino and Nessie as processes where no Docker answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from lab.engines import nessie
from lab.engines.registry import Order
from lab.engines.trino.started import start_process
from lab.servers.docker import docker_answers
from lab.stack.cache import Cache
from lab.stack.jars import resolve_spark_jars
from lab.stack.versions import stack, trino
from xtable_audit.register.entry import Entry


@contextmanager
def servers_for(entry: Entry, folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which the finding's script runs; `folder` gets the servers' logs.

    Nothing is started for another finding, nor where the user names servers or Docker will start them. Raises Problem
    if one is not available.
    """
    if "spark" in entry.components:
        yield (
            {} if "SPARK_JARS" in os.environ else {"SPARK_JARS": os.pathsep.join(map(str, resolve_spark_jars(stack())))}
        )
        return
    if "trino" not in entry.components or "TRINO_URL" in os.environ or docker_answers():
        yield {}
        return
    cache = Cache()
    print("starting Trino and Nessie as processes (half a gigabyte is downloaded the first time)", flush=True)
    running = start_process(trino(), folder, cache, ignored)
    try:
        order = Order("process", no_store, folder, cache, ignored)
        catalog = nessie.open_engine(order)
        try:
            yield {"TRINO_URL": running.server.url, "NESSIE_URI": catalog.handle.uri}
        finally:
            catalog.stop()
    finally:
        running.stop()


def ignored(step: str) -> None:
    """Progress is not shown."""


def no_store() -> NoReturn:
    raise AssertionError("a Nessie without a warehouse needs no store")
