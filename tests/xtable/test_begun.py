"""A translator whose first sync has another writer than the later ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from xtable.begun import Begun
from xtable.sync import Translator
from xtable.writer import KERNEL, STANDALONE, Writer


def test_the_first_sync_is_by_the_writer_that_begins() -> None:
    written: list[Writer] = []

    def sync(*_: Any, writer: Writer, timeout: float) -> None:
        written.append(writer)

    translator = cast(Translator, SimpleNamespace(release="0.3.0", sync=sync))
    Begun(translator, STANDALONE).sync("HUDI", "s3://lake/t", "t", writer=KERNEL)
    assert written == [STANDALONE]
