"""A translator whose first sync has another writer, or reader of Delta, than the later ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from xtable.begun import Begun
from xtable.sync import Translator
from xtable.writer import KERNEL, STANDALONE, Writer

Sync = tuple[Writer, bool]
"""What a sync writes by, and whether it reads by Delta Kernel."""


def asked(begun_by: Writer, *, by_kernel: bool) -> list[Sync]:
    """What reaches the translator of a sync that asks for Kernel as its writer."""
    reached: list[Sync] = []

    def sync(*_: Any, writer: Writer, by_kernel: bool, timeout: float) -> None:
        reached.append((writer, by_kernel))

    translator = cast(Translator, SimpleNamespace(release="0.3.0", sync=sync))
    Begun(translator, begun_by, by_kernel=by_kernel).sync("DELTA", "s3://lake/t", "t", writer=KERNEL)
    return reached


def test_the_first_sync_is_by_the_writer_that_begins() -> None:
    assert asked(STANDALONE, by_kernel=False) == [(STANDALONE, False)]


def test_later_syncs_read_by_kernel() -> None:
    assert asked(KERNEL, by_kernel=True) == [(KERNEL, True)]
