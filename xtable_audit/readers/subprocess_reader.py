"""A reader in its own process, behind the same interface as one in this process.

An engine may end its process on a damaged table (DuckDB 1.5.5 does so on a truncated manifest). In its own process this
is one more error to report, and the next query gets a new process. It also keeps the engine's memory and threads out of
the judge's process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from typing import IO, Any

from xtable_audit.access.s3 import S3
from xtable_audit.model.aggregate import Aggregate
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import Answer, NotOffered, Refusal

LONGEST = 900.0
"""Seconds after which a reader that does not answer is killed."""
WORKER = "xtable_audit.readers.worker"


class SubprocessReader:
    """Starts its process at once but waits for it only on first use, so that readers load in parallel."""

    def __init__(self, name: str, factory: str, store: S3, handle: Any = None) -> None:
        """`factory` is `Adapter.factory`, importable in this process."""
        self.name = name
        self._factory = factory
        self._store = store
        self._handle = handle
        self._version: str | Problem | None = None
        self._start()

    @property
    def version(self) -> str:
        """Raises Problem if the reader cannot be loaded, and Refusal with how its process ended over that."""
        if self._connection.closed:
            self._start()
        if self._version is None:
            version = self._receive()
            self._version = version if isinstance(version, Problem) else str(version)
        if isinstance(self._version, Problem):
            raise self._version
        return self._version

    def query(self, metadata_location: str, predicate: Predicate | None) -> Answer:
        """As `Reader.query`. Raises Refusal with the engine's message or how its process ended, and Problem."""
        answer = self._asked("query", metadata_location, predicate)
        assert isinstance(answer, Answer)
        return answer

    def aggregate(self, metadata_location: str, asked: Sequence[Aggregate], shortcut: bool = True) -> Sequence[Any]:
        """As `AggregatingReader.aggregate`, and raises as `query` does."""
        values: Sequence[Any] = self._asked("aggregate", metadata_location, asked, shortcut)
        return values

    def _asked(self, method: str, *arguments: Any) -> Any:
        if self._process.poll() is not None:
            self._start()
        _ = self.version  # a process takes queries only after it has sent its version
        with suppress(BrokenPipeError, ConnectionResetError):  # the process is gone; `_receive` reports it
            self._connection.send((method, arguments))
        answer = self._receive()
        if isinstance(answer, Refusal | Problem | NotOffered):
            raise answer
        return answer

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def close(self) -> None:
        """Ends the process. It also ends when the reader is garbage-collected and when this process ends."""
        self._end()

    def _start(self) -> None:
        self._version = None
        ours, theirs = Pipe()
        self._stderr = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - lives as long as the process
        scratch = tempfile.TemporaryDirectory(prefix="xtable-audit-reader-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", WORKER, self._factory, str(theirs.fileno())],
            env=os.environ | {"PYTHONPATH": _path(), "TMPDIR": scratch.name},
            stdin=subprocess.DEVNULL,
            stderr=self._stderr,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        ours.send((self._store, self._handle))
        self._connection = ours
        self._end = weakref.finalize(self, _end, self._process, ours, self._stderr, scratch)

    def _receive(self) -> Any:
        try:
            if self._connection.poll(LONGEST):
                return self._connection.recv()
        except (EOFError, ConnectionResetError):
            words = self._last_words()
            self._end()
            raise Refusal(words) from None
        self._end()
        raise Refusal(f"{self.name} did not answer within {LONGEST:.0f} s and was killed")

    def _last_words(self) -> str:
        code = self._process.wait()
        self._stderr.seek(0)
        lines = [line.strip() for line in self._stderr if line.strip()]
        how = signal.strsignal(-code) if code < 0 else f"exit code {code}"
        return f"{self.name} ended its process ({how})" + (f": {lines[-1]}" if lines else "")


def _path() -> str:
    """Where this process imports from, so that its child imports the same: from a checkout or from site-packages."""
    return os.pathsep.join(os.path.abspath(place) for place in sys.path)


def _end(
    process: subprocess.Popen[bytes], connection: Any, stderr: IO[str], scratch: tempfile.TemporaryDirectory[str]
) -> None:
    """A killed engine leaves its temporary files (ClickHouse a folder), so they have a folder of their own."""
    connection.close()
    process.kill()
    process.wait()
    stderr.close()
    scratch.cleanup()
