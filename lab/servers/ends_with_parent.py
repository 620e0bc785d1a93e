"""What ends with its parent: the system closes standard input when the parent is gone, even after `kill -9`.

A program that knows nothing of it runs by `python -m lab.servers.ends_with_parent --remove FOLDER -- program
arguments…`: FOLDER, its scratch data, goes with it. The exit code is the program's.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def wait_for_end_of_input() -> None:
    """Returns once standard input is closed. Unbuffered: a lock held on `sys.stdin` would spoil the exit."""
    while os.read(0, 4096):
        continue


def end_with_parent(status: int = 0) -> None:
    """Ends this process with `status` once standard input is closed; returns at once."""
    _at_end_of_input(lambda: os._exit(status))


def _at_end_of_input(end: Callable[[], None]) -> None:
    def wait() -> None:
        wait_for_end_of_input()
        end()

    threading.Thread(target=wait, name="parent-watch", daemon=True).start()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--remove", metavar="FOLDER")
    parser.add_argument("--in", metavar="FOLDER", dest="folder", help="the program's working folder")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    program = subprocess.Popen(
        options.program, cwd=options.folder, stdin=subprocess.DEVNULL, preexec_fn=_die_with_this_process
    )
    _at_end_of_input(program.kill)
    code = program.wait()
    if options.remove:
        shutil.rmtree(options.remove, ignore_errors=True)
    return code


def _die_with_this_process() -> None:
    """On Linux the program also dies when this process is killed; elsewhere it is freed by the parent's end."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
