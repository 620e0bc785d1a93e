"""Runs a command in a child process: where a library dies or hangs, or output breaks, it still ends in one sentence."""

from __future__ import annotations

import errno
import io
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast

from xtable_audit.cli import exits


class Forgiving:
    """Writes to `stream` until that fails, and nothing from then on; `failed` is why. A closed pipe is no failure."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._closed = False
        self.failed = ""

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, work: Any) -> None:
        if self._closed:
            return
        try:
            work()
        except (OSError, ValueError) as error:
            self._closed = True
            if getattr(error, "errno", None) != errno.EPIPE:
                self.failed = getattr(error, "strerror", None) or str(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def forgive() -> None:
    """Makes both streams Forgiving. Characters that an encoding lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, Forgiving):
            stream = stream or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # for as long as the process
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, stream if isinstance(stream, Forgiving) else cast(TextIO, Forgiving(stream)))


def lost() -> str:
    """Why what was printed is not all there; "" if it is, or if nobody reads on."""
    stream = sys.stdout
    stream.flush()
    return stream.failed if isinstance(stream, Forgiving) else ""


DIED = (
    "the check died of signal {signal}: it was ended, or a file of the table takes more memory than there is, or "
    "breaks a library that reads it; --metadata-only reads no data file, --sample N reads some"
)
HANGS = (
    "the check is ended: a file of the table keeps a library busy for longer than the check may take; --max-time "
    "raises it, --metadata-only reads no data file"
)
CRASHED = "xtable-audit itself failed: {error}. Please report it, with {trace}"
TEMPORARY = "xtable-audit-"
"""How the folder for temporary files begins; the number of the process that made it follows."""
GRACE = 60.0
"""Seconds from the end of its time in which a child ends by itself."""
MOMENT = 0.2
"""Seconds from look to look whether a child has ended."""
_to_parent: int | None = None
_of_system = ""
"""The system's folder for temporary files, which outlives the check's own."""


def tell(**message: Any) -> None:
    """Tells the process that waits what it needs should this one die: `until`, the time at which it must have ended on
    the monotonic clock; `status` and `report`, of what was judged so far.
    """
    if _to_parent is not None:
        with suppress(OSError):
            os.write(_to_parent, json.dumps(message).encode() + b"\n")


def guarded(run: Callable[[], int]) -> int:
    """The exit status of `run`. Systems without `fork` run it here.

    The child ends at once when `run` does, without waiting for threads that a store keeps, and when this process does.
    """
    global _of_system, _to_parent
    forgive()
    with suppress(OSError):
        _of_system = tempfile.gettempdir()
    if not hasattr(os, "fork"):
        return _status_of(run)
    _sweep()
    folder = _temporary()
    pipe, _to_parent = os.pipe()
    parent, child = os.getpid(), os.fork()
    if child == 0:
        os.close(pipe)
        _end_with(run, parent)
    os.close(_to_parent)
    _to_parent = None
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the child too
    signal.signal(signal.SIGTERM, lambda number, frame: os.kill(child, number))
    try:
        return _ended(child, pipe)
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _ended(child: int, pipe: int) -> int:
    """The status with which the child ends. One whose time is over is ended."""
    messages: dict[str, Any] = {}
    hangs = False
    for line in _lines(child, pipe, messages):
        messages |= json.loads(line)
    if messages.get("late"):
        hangs = True
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        print(HANGS if hangs else DIED.format(signal=signal.Signals(-status).name), file=sys.stderr)
    elif status != exits.UNREACHABLE:
        return status
    if "report" in messages:
        print(f"What was judged until then: {messages['report']}", file=sys.stderr)
    return int(messages.get("status", exits.UNREACHABLE))


def _lines(child: int, pipe: int, messages: dict[str, Any]) -> Iterator[bytes]:
    """What the child tells, until it ends, or its time and GRACE are over: then the last one is that it is late."""
    held = b""
    while True:
        if messages.get("until") and time.monotonic() > messages["until"] + GRACE:
            yield b'{"late": true}'
            return
        ready, _, _ = select.select([pipe], [], [], MOMENT)
        if not ready:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return  # something that it started holds the pipe
            continue
        more = os.read(pipe, 1 << 16)
        if not more:
            return
        *lines, held = (held + more).split(b"\n")
        yield from lines


def _end_with(run: Callable[[], int], parent: int) -> NoReturn:
    status = exits.CRASHED
    try:
        _die_with(parent)
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: the check reports what it judged
        status = _status_of(run)
    except KeyboardInterrupt:  # before the command can catch it
        status = exits.CUT_SHORT
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _status_of(run: Callable[[], int]) -> int:
    """The status of `run`; of a failure of this program's own, which prints one sentence, CRASHED."""
    try:
        status = run()
    except SystemExit as error:  # a library's own way to end
        status = error.code if isinstance(error.code, int) else exits.CRASHED
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is no verdict on the table
        return _crashed(error)
    if why := lost():
        print(f"the answer cannot be written: {why}", file=sys.stderr)
    return status


def _crashed(error: BaseException) -> int:
    from xtable_audit.model.printable import printable

    trace = printable("".join(traceback.format_exception(error)), lines=True)
    name = f"{TEMPORARY}failed-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    file = Path(_of_system) / name
    words = printable(f"{type(error).__name__}: {str(error)[:200]}")
    try:
        file.write_text(trace, encoding="utf-8", errors="backslashreplace")
        print(CRASHED.format(error=words, trace=file), file=sys.stderr)
    except OSError:
        print(CRASHED.format(error=words, trace="this trace:"), trace, file=sys.stderr)
    return exits.CRASHED


def _die_with(parent: int) -> None:
    """Linux ends this process when `parent` ends, however it does (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(exits.UNREACHABLE)


def _temporary() -> str:
    """A folder for the child's temporary files, which goes with it; "" if there is no place for one."""
    try:
        folder = tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-")
    except OSError:
        return ""
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    return folder


def _sweep() -> None:
    """Removes the folders of processes that were ended before they could."""
    with suppress(OSError):
        for folder in Path(_of_system).glob(f"{TEMPORARY}[0-9]*-*"):
            pid = folder.name.removeprefix(TEMPORARY).partition("-")[0]
            if pid.isdigit() and folder.is_dir() and not _lives(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
