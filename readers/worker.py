"""One reader in its own process: `python -m readers.worker NAME FD`. Only `readers.apart` starts it.

It receives a store and the engine's handle, sends the reader's version, then answers queries until the other end of the
socket closes. So it ends with its parent.
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
    os.dup2(2, 1)  # whatever engines print goes to standard error
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
        except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is not an Exception
            parent.send(Refusal(first_line(refused)))


def _questions(parent: Connection[Any, Any]) -> queue.Queue[Any]:
    """Incoming queries. A thread receives them, so that this process ends with its parent even during a long query."""
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
