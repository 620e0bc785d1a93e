"""Standard output and error that a closed pipe, a full disk or an old terminal's encoding cannot break."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, TextIO, cast


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
