"""A scanner by processes of this machine: Python lets one thread at a time do what a small file mostly takes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, Self, cast

import pyarrow as pa

from xtable_audit.model.interpreter import read_by_threads
from xtable_audit.model.memory import bound, left
from xtable_audit.model.predicate import Predicate
from xtable_audit.model.problem import Unreachable
from xtable_audit.model.scan_input import DataFiles, WantedColumn
from xtable_audit.packs import OwnReach, Packing, ScannerOfPacks, Work, from_bytes, to_bytes
from xtable_audit.scan import LocalScanner, Power

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerProcess

MANY = 4_000
"""Minimum number of files that are worth the second that processes take to start (docs/measured.md, A slow store)."""
MOST = 8
"""Processes, on however many cores: each takes memory."""
TOGETHER, ROUNDS = 256, 16
"""Minimum number of files of a pack, and that for each that a process reads at once: while it waits for the last of
them, it reads nothing else.
"""
LEAST = 512 << 20
"""Bytes that each process may take, or there are fewer."""
START: Final = "forkserver"
"""How they start: this process has threads, of a store's client too, which a fork of it would lack."""
DIED = (
    "a process that read data files died: it was ended, or a file of the table takes more memory than there is, or "
    "breaks a library that reads it; --metadata-only reads no data file, --sample N reads some"
)


def processes_for(files: int, at_once: int) -> int:
    """How many read so many files best, of them so many at once; 1 where threads of this process do."""
    if files < MANY or START not in multiprocessing.get_all_start_methods():
        return 1
    memory = left()
    affordable = MOST if memory is None else memory // LEAST - 1  # this process takes a share, too
    return max(1, min(os.cpu_count() or 1, at_once, MOST, affordable))


@dataclass(frozen=True)
class ProcessScanner(ScannerOfPacks):
    """`here` reads what is not many files, and looks files up. The processes of a call of `batches` or `count` end with
    it.
    """

    local: LocalScanner
    processes: int
    _pools: list[_Pool] = field(default_factory=list, repr=False, compare=False)
    """That of the call."""

    @property
    def here(self) -> LocalScanner:
        return self.local

    @property
    def threads(self) -> int:
        """Files that each process reads at once."""
        return -(-self.here.power.files // self.processes)

    @property
    def power(self) -> Power:
        return Power(os.cpu_count() or 1, self.processes * self.threads)

    @property
    def at_once(self) -> int:
        return self.processes

    def batches(self, files: DataFiles) -> Generator[DataFiles]:
        if len(files) < MANY:
            yield from self.here.batches(files)
            return
        with self._started(files):
            yield from super().batches(files)

    def look_up(self, files: DataFiles) -> pa.Table:
        return self.here.look_up(files)

    def count(self, files: DataFiles, columns: Sequence[WantedColumn], predicates: Sequence[Predicate]) -> pa.Table:
        if len(files) < MANY:
            return self.here.count(files, columns, predicates)
        with self._started(files):
            return super().count(files, columns, predicates)

    def packs(self, sizes: Sequence[int]) -> Iterator[range]:
        return Packing(files=max(TOGETHER, ROUNDS * self.threads)).packs(sizes)

    def done(self, files: DataFiles, packs: Sequence[range], work: Work) -> Iterator[pa.Table]:
        if not self._pools:
            return (work(self.here, files.slice(pack.start, len(pack))) for pack in packs)
        sent = [(work, to_bytes(files.slice(pack.start, len(pack)).table)) for pack in packs]
        return map(from_bytes, self._pools[-1].results(sent))

    @contextmanager
    def _started(self, files: DataFiles) -> Iterator[None]:
        memory = left()
        share = None if memory is None else memory // (self.processes + 1)
        task = _Task(self.reach, self.threads, share, files.slice(0, 0))
        with ExitStack() as stop:
            with suppress(OSError):  # of a system without room for a socket, or a process: threads of this one read
                self._pools.append(stop.enter_context(_Pool(task, self.processes)))
                stop.callback(self._pools.pop)
            yield


Sent = tuple[Work, bytes]
Found = tuple[bool, Any]
"""Whether work returned, and its result as bytes, or what it raised."""


@dataclass(frozen=True)
class _Task:
    """What one process does, until its pipe or its parent ends."""

    reach: OwnReach
    threads: int
    memory: int | None
    """Bytes."""
    others: DataFiles
    """What is not a file's own: deletes by equality, the name mapping."""

    def __call__(self, pipe: Connection[Found, Sent]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it here too: the check decides what ends
        Thread(target=_end_with_parent, daemon=True).start()
        read_by_threads()
        if self.memory is not None:
            bound(self.memory)
        with suppress(EOFError):
            while True:
                work, files = pipe.recv()
                pipe.send(self._found(work, files))

    def _found(self, work: Work, files: bytes) -> Found:
        try:
            return True, to_bytes(work(self._scanner, replace(self.others, table=from_bytes(files))))
        except Exception as error:  # noqa: BLE001  # raised again by who asked
            return False, error

    @cached_property
    def _scanner(self) -> LocalScanner:
        return LocalScanner(self.reach.objects(), self.threads)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class _Pool:
    """Processes, which are killed when the context ends: they hold nothing but what they read."""

    def __init__(self, task: _Task, number: int) -> None:
        self._task, self._number = task, number
        self._processes: dict[Connection[Sent, Found], ForkServerProcess] = {}

    def __enter__(self) -> Self:
        context = multiprocessing.get_context(START)
        context.set_forkserver_preload([__name__])
        try:
            for _ in range(self._number):
                ours, theirs = context.Pipe()
                process = context.Process(target=self._task, args=(theirs,), daemon=True)
                process.start()
                self._processes[ours] = process
                theirs.close()  # so that ours ends with the process
        except BaseException:  # an interrupt
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            process.kill()
        for pipe, process in self._processes.items():
            process.join()
            pipe.close()

    def results(self, sent: Sequence[Sent]) -> list[bytes]:
        """Of each that is sent, in their order. Raises the first error, and Unreachable if a process dies."""
        idle, waiting = deque(self._processes), deque(range(len(sent)))
        busy: dict[Connection[Sent, Found], int] = {}
        found: dict[int, bytes] = {}
        try:
            while len(found) < len(sent):
                while idle and waiting:
                    pipe = idle.popleft()
                    busy[pipe] = waiting.popleft()
                    pipe.send(sent[busy[pipe]])
                for ready in wait([*busy]):
                    pipe = cast("Connection[Sent, Found]", ready)
                    found[busy.pop(pipe)] = _result(pipe.recv())
                    idle.append(pipe)
        except (EOFError, ConnectionError) as error:
            raise Unreachable(DIED) from error
        return [found[place] for place in range(len(sent))]


def _result(found: Found) -> bytes:
    succeeded, result = found
    if succeeded:
        return cast(bytes, result)
    raise cast(Exception, result)
