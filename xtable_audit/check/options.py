"""What of a table is judged, how much of it is read, and what that may take: memory, and time for each part."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from xtable_audit.check.source import AskedSource
from xtable_audit.formats.check_support import Chosen
from xtable_audit.locate.locate import Reach
from xtable_audit.model.finding import Verdict
from xtable_audit.model.limits import OutOfTime
from xtable_audit.model.memory import memory_of_machine
from xtable_audit.model.own_table import FAIL_ON
from xtable_audit.model.problem import Unreachable
from xtable_audit.register.ignore_file import IgnoreEntry
from xtable_audit.scan import Scanner
from xtable_audit.table.stored_metrics import StoredMetrics

MINUTES = 600.0
"""Seconds for each part but reading values: finding and reading metadata, judging, printing."""
TIMES = 10
"""How many times as long as was estimated the values may take that the user agreed to read."""
MOST_MEMORY = 8 << 30
"""Bytes, where half of the machine's memory is more."""
OVER = "the check may take no longer; --max-time raises it"
FULL = "the check may take no more memory; --max-memory raises it"


@dataclass(frozen=True)
class Budget:
    """`seconds` is for each part but reading values. `memory` is in bytes."""

    seconds: float = MINUTES
    memory: int | None = None
    """None for half of the machine's, at most MOST_MEMORY."""
    tell: Callable[[float], None] = lambda until: None
    """Told the time on the monotonic clock at which the part must have ended."""

    @property
    def most_memory(self) -> int:
        if self.memory is not None:
            return self.memory
        machine = memory_of_machine()
        return MOST_MEMORY if machine is None else min(MOST_MEMORY, machine // 2)

    def for_values(self, estimated: float) -> float:
        """Seconds for values that take as many by the estimate."""
        return max(self.seconds, TIMES * estimated)

    @contextmanager
    def within(self, seconds: float | None = None) -> Iterator[None]:
        """Raises OutOfTime where the part takes longer, on systems with alarms, in the main thread."""
        most = self.seconds if seconds is None else seconds
        self.tell(time.monotonic() + most)
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            yield
            return
        before, began = signal.signal(signal.SIGALRM, _over), time.monotonic()
        others, _ = signal.setitimer(signal.ITIMER_REAL, most)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if others:  # of who calls this, such as a test's own
                signal.setitimer(signal.ITIMER_REAL, max(others - (time.monotonic() - began), 0.001))

    @contextmanager
    def needed(self, what: str, seconds: float | None = None) -> Iterator[None]:
        """As `within`, for a part without which nothing is judged. Raises Unreachable past time and memory; `what` says
        what then is not done.
        """
        try:
            with self.within(seconds):
                yield
        except OutOfTime:
            raise Unreachable(f"{what}: {OVER}") from None
        except MemoryError:
            raise Unreachable(f"{what}: {FULL}") from None


def _over(number: int, frame: object) -> None:
    raise OutOfTime


@dataclass(frozen=True)
class Options:
    location: str
    """As the user names the table."""
    command: str = "xtable-audit check"
    """As the user typed it."""
    chosen: Chosen = field(default_factory=Chosen)
    claims: tuple[str, ...] = ()
    """Ids of claims; empty for all."""
    metadata_only: bool = False
    columns: tuple[str, ...] = ()
    """Columns whose values are compared; empty for all."""
    sample: int | None = None
    """Number of files to draw; None for all."""
    seed: int = 0
    max_bytes: int | None = None
    since: int | None = None
    """An older snapshot, whose files are not read; None for none."""
    where: tuple[str, ...] = ()
    """Predicates in SQL."""
    budget: Budget = field(default_factory=Budget)
    """The time and the memory that the check may take."""
    fail_on: Verdict = FAIL_ON
    """Findings of this verdict or a worse one fail the check; others are advice."""
    accepted: tuple[str, ...] = ()
    """Ids of known findings that do not count."""
    ignored: tuple[IgnoreEntry, ...] = ()
    """The entries of the user's ignore file, of whatever table."""
    source: AskedSource | None = None
    """The source that the table was made from; None if the user does not name it."""
    kept: Path | None = None
    """The folder where actual metrics are kept; None to keep none."""
    threads: int | None = None
    """Files that this machine reads at once; None for what suits the store and the files."""
    cluster: Callable[[Reach, StoredMetrics], Scanner] | None = None
    """Makes the scanner that reads values; None to read them on this machine."""
