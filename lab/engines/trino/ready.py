"""Waits for a Trino that was just started, and finds the reason if it does not start."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from trino.exceptions import TrinoQueryError

from lab.engines.trino.client import Client
from lab.engines.trino.handle import TrinoServer
from lab.stack.child import Child
from lab.stack.containers import Container
from xtable_audit.model.problem import Problem

READY_IN = 180.0
"""Seconds to wait for a first answer: it takes 13 s on an idle machine of two cores, 45 s on a busy one."""
USER = "audit"


@dataclass(frozen=True)
class RunningTrino:
    server: TrinoServer
    version: str
    scratch: str
    """A folder that Trino may write to, as Trino sees it; gone once it is stopped."""
    stop: Callable[[], None] = field(repr=False, compare=False)


def wait_until_ready(child: Child | Container, server: TrinoServer, report: Callable[[str], None]) -> str:
    """The version it reports, once it answers a query. If it does not, it is stopped, and this raises Problem."""
    try:
        with Client(server) as client:
            child.wait_until(_Ready(client, lambda seconds: report(f"starting Trino, {seconds} s")), READY_IN)
            return str(client.version())
    except BaseException as problem:
        child.stop()
        if isinstance(problem, Problem) and (cause := reason(child.log.read_text(errors="replace"))):
            raise Problem(f"Trino did not start: {cause} Its log: {child.log}") from problem
        raise


class _Ready:
    """Whether Trino answers a query; shows the seconds waited so far."""

    def __init__(self, client: Client, report: Callable[[int], None]) -> None:
        self._client = client
        self._report = report
        self._since = time.monotonic()
        self._reported = -1

    def __call__(self) -> bool:
        if (seconds := int(time.monotonic() - self._since)) > self._reported:
            self._report(seconds)
            self._reported = seconds
        try:
            return self._client.version() is not None and self._client.run("SELECT 1").rows == [[1]]
        except (Problem, TrinoQueryError):  # nobody listens yet, or no worker has joined
            return False


def reason(log: str) -> str | None:
    """Why a Trino ended, by its log: the first error in its configuration, else the root of its last exception."""
    if configuration := re.search(r"^1\) (?!\[)(.+)$", log, re.MULTILINE):  # [Guice/…] says nothing to a user
        return configuration[1].strip()
    causes = re.findall(r"^Caused by: (?!.*\(same stack trace)(.+)$", log, re.MULTILINE)
    causes = causes or re.findall(r"\bERROR\b:? *(.+)$", log, re.MULTILINE)
    return causes[-1].strip() if causes else None
