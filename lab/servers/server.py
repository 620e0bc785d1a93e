"""The interface of a server program, whether it is a process or a container."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from xtable_audit.model.problem import Problem

_REASONS = (re.compile("already in use|port is in use"), re.compile("FATAL|ERROR|[Ee]rror:|Exception"), re.compile(""))
"""In a program's last output. After the reason many only report that they shut down."""


class Server(ABC):
    """A server that we start and end. Its output goes to the file `log`."""

    name: str
    log: Path

    @property
    @abstractmethod
    def running(self) -> bool:
        """Whether it still runs."""

    @abstractmethod
    def stop(self) -> None:
        """Ends it and waits for its end. May be called twice."""

    def wait_until(self, ready: Callable[[], bool], seconds: float) -> None:
        """Returns once `ready()`. Raises Problem if it ends first, or is not ready in time (it is then stopped)."""
        deadline = time.monotonic() + seconds
        while not ready():
            if not self.running:
                words = self.last_words()
                self.stop()
                raise Problem(f"{self.name} did not start: {words} Its log: {self.log}")
            if time.monotonic() > deadline:
                self.stop()
                raise Problem(f"{self.name} is not ready after {seconds:.0f} s and was ended. Its log: {self.log}")
            time.sleep(0.05)

    def last_words(self) -> str:
        """Why it ended, by its log: the last line about a port in use, an error, anything; else its exit code."""
        log = self.log.read_text(errors="replace")
        lines = [" ".join(line.split()) for line in log.splitlines() if line.strip()]  # as Trino has tabs
        for pattern in _REASONS:
            if found := [line for line in lines if pattern.search(line)]:
                return found[-1]
        return self._end()

    @abstractmethod
    def _end(self) -> str:
        """How it ended: `exit code 1.`"""
