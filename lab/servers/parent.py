"""A child that ends with its parent: standard input is closed when the parent is gone, even after `kill -9`."""

from __future__ import annotations

import os
import threading


def wait_for_end_of_input() -> None:
    """Returns once standard input is closed. Unbuffered: a lock held on `sys.stdin` would spoil the exit."""
    while os.read(0, 4096):
        continue


def end_with_parent(status: int = 0) -> None:
    """Ends this process with `status` once standard input is closed; returns at once."""

    def wait() -> None:
        wait_for_end_of_input()
        os._exit(status)

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()
