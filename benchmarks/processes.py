"""The processor time that each part of a run takes, read off its processes while it goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil

SECONDS = 0.5
"""Between two readings: what a process does after the last one is not seen."""
PARTS = {
    "Spark": ("spark_jobs", "pyspark"),
    "XTable": ("py4j.GatewayServer",),
    "store": ("store.moto_server",),
}
"""Words of a command line that tell whose process it is; all others are ours."""
OURS = "ours"


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Seconds of processor time by part, of all that this process starts in the block; whole when it is left."""
    spent = dict.fromkeys((*PARTS, OURS), 0.0)
    last: dict[tuple[int, float], tuple[str, float]] = {}
    done = threading.Event()

    def read() -> None:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):  # gone meanwhile: its last reading stands
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
