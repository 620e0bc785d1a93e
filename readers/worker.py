"""One reader in a process of its own: `python -m readers.worker NAME FD`, started by `readers.apart` alone.

It gets a Store and the engine's handle, answers with the reader's version, then takes questions until the other end
of the socket is gone, which is also how it ends with its parent.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from readers.registry import find, load
from readers.words import Refusal
from stack.problem import Problem
from xtable_audit.model.malformed import first_line


def main() -> None:
    name, fd = sys.argv[1:]
    os.dup2(2, 1)  # engines write to standard output what belongs to nobody
    parent: Connection[Any, Any] = Connection(int(fd))
    try:
        reader = load(find(name))(*parent.recv())
        parent.send(reader.version)
    except Problem as problem:
        parent.send(problem)
        return
    for location, predicate in iter(_questions(parent).get, None):
        try:
            parent.send(reader.ask(location, predicate))
        except Problem as problem:
            parent.send(problem)
        except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is no Exception
            parent.send(Refusal(first_line(refused)))


def _questions(parent: Connection[Any, Any]) -> queue.Queue[Any]:
    """Questions as they come; a thread waits for them, so that the parent's end is seen even amid a long answer."""
    waiting: queue.Queue[Any] = queue.Queue()

    def receive() -> None:
        while True:
            try:
                waiting.put(parent.recv())
            except (EOFError, OSError):
                os._exit(0)

    threading.Thread(target=receive, daemon=True).start()
    return waiting


if __name__ == "__main__":
    main()
