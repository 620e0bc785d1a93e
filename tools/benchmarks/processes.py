"""The processor time of each part of a run, sampled from its processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

SECONDS = 0.5
"""Seconds between two samples; what a process does after its last sample is not counted."""
PARTS = {
    "Spark": ("spark_jobs", "pyspark"),
    "XTable": ("py4j.GatewayServer",),
    "store": ("lab.store.moto_server",),
    "readers": ("xtable_audit.readers.worker",),
}
"""Words of a command line that identify a process; all others are ours."""
OURS = "ours"


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Seconds of processor time by part, of everything that this process starts in the block; complete at its end."""
    spent = dict.fromkeys((*PARTS, OURS), 0.0)
    last: dict[tuple[int, float], tuple[str, float]] = {}
    done = threading.Event()

    def read() -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):  # it has ended: its last sample counts
                times = process.cpu_times()
                last[process.pid, process.create_time()] = _part(process.cmdline()), times.user + times.system

    def keep_reading() -> None:
        while not done.wait(SECONDS):
            read()

    reader = threading.Thread(target=keep_reading)
    reader.start()
    try:
        yield spent
    finally:
        done.set()
        reader.join()
        for part, seconds in last.values():
            spent[part] += seconds


def _part(command: list[str]) -> str:
    words = " ".join(command)
    return next((part for part, marks in PARTS.items() if any(mark in words for mark in marks)), OURS)
