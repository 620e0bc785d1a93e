"""Why a check may not go on that has nothing to do with the table: its time is over, Ctrl-C, memory, a full disk."""

from __future__ import annotations

from collections.abc import Iterator
from errno import EDQUOT, EMFILE, ENFILE, ENOMEM, ENOSPC

OF_MACHINE = (ENOSPC, EDQUOT, ENOMEM, EMFILE, ENFILE)
"""Numbers of errors that say what this machine lacks."""


class OutOfTime(BaseException):
    """The time of a part of the check is over. No error of a library: `except Exception` must not take it for one."""


def interruption(error: BaseException) -> BaseException | None:
    """The interrupt or the end of time behind an error: a library that is interrupted raises one of its own."""
    return next((one for one in _chain(error) if isinstance(one, KeyboardInterrupt | OutOfTime)), None)


def of_machine(error: BaseException) -> BaseException | None:
    """What this machine lacks, if that is behind an error: memory, disk, handles."""
    return next((one for one in _chain(error) if _lacks(one)), None)


def _lacks(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or getattr(error, "errno", None) in OF_MACHINE


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        yield one
        seen.add(id(one))
        one = one.__cause__ or one.__context__
