"""What comes true in a moment, waited for."""

from __future__ import annotations

import time
from collections.abc import Callable


def comes_true(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether it did within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Fails where it does not come true, and says what was waited for."""
    assert comes_true(condition, seconds), f"still waiting until {what}"
