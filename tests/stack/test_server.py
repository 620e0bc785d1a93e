from __future__ import annotations

from pathlib import Path

import pytest

from lab.stack.server import Server


class Ended(Server):
    """A server that has ended."""

    name = "Engine"
    running = False

    def __init__(self, log: Path) -> None:
        self.log = log

    def stop(self) -> None:
        """It has ended."""

    def _end(self) -> str:
        return "exit code 1."


@pytest.mark.parametrize(
    ("log_text", "last"),
    [
        ("", "exit code 1."),
        ("hello\ngood bye\n\n", "good bye"),
        ("FATAL: the disk is full\nshut down\n", "FATAL: the disk is full"),
        ("bind: Address already in use\nFATAL: no socket\nshut down\n", "bind: Address already in use"),
    ],
)
def test_the_last_words_are_the_line_with_the_reason(tmp_path: Path, log_text: str, last: str) -> None:
    log = tmp_path / "engine.log"
    log.write_text(log_text)
    assert Ended(log).last_words() == last
