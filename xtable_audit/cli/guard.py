"""Runs a command in a child process, so that a table by which a library dies still ends in one sentence."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from xtable_audit.cli import exits

DIED = (
    "the check died of signal {signal}: it was ended, or a file of the table takes more memory than there is, or "
    "breaks a library that reads it; --metadata-only reads no data file, --sample N reads some"
)


def guarded(run: Callable[[], int]) -> int:
    """The exit status of `run`. Systems without `fork` run it here.

    The child ends at once when `run` does, without waiting for threads that a store keeps.
    """
    if not hasattr(os, "fork"):
        return run()
    child = os.fork()
    if child == 0:
        _end_with(run)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the child too
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(child, number))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status >= 0:
        return status
    print(DIED.format(signal=signal.Signals(-status).name), file=sys.stderr)
    return exits.UNREACHABLE


def _end_with(run: Callable[[], int]) -> NoReturn:
    status = 1
    try:
        status = run()
    except BaseException:  # noqa: BLE001  # as Python itself shows it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
