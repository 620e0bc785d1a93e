"""One reader in its own process: `python -m xtable_audit.readers.worker FACTORY FD`. Only `SubprocessReader` starts it.

FACTORY is `Adapter.factory`. The process receives a store and the engine's handle, sends the reader's version, then
answers queries until the other end of the socket closes. So it ends with its parent.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from multiprocessing.connection import Connection
from pkgutil import resolve_name
from typing import Any

from xtable_audit.model.malformed import first_line
from xtable_audit.model.problem import Problem
from xtable_audit.readers.reader import NotOffered, Refusal


def main() -> None:
    factory, fd = sys.argv[1:]
    os.dup2(2, 1)  # whatever engines print goes to standard error
    parent: Connection[Any, Any] = Connection(int(fd))
    try:
        reader = resolve_name(factory)(*parent.recv())
        parent.send(reader.version)
    except Problem as problem:
        parent.send(problem)
        return
    for method, arguments in iter(_queries(parent).get, None):
        try:
            if not hasattr(reader, method):
                raise NotOffered
            parent.send(getattr(reader, method)(*arguments))
        except (Problem, NotOffered) as said:
            parent.send(said)
        except BaseException as refused:  # noqa: BLE001 - a Rust engine's panic is not an Exception
            parent.send(Refusal(first_line(refused)))


def _queries(parent: Connection[Any, Any]) -> queue.Queue[Any]:
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
