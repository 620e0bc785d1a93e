"""An upgrade in place from one of XTable's Delta targets to the other: the first sync has a writer of its own."""

from __future__ import annotations

from xtable.sync import Translator
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.sync import Sync


class Begun(Translator):
    """A running translator that writes by `writer`, whatever a sync asks for. It has no JVM of its own."""

    def __init__(self, translator: Translator, writer: Writer) -> None:
        self.release = translator.release
        self._translator = translator
        self._writer = writer

    def sync(
        self,
        source_format: str,
        location: str,
        name: str,
        partition_spec: str = "",
        mode: str = "INCREMENTAL",
        *,
        writer: Writer = ICEBERG,
        timeout: float = 300,
    ) -> Sync:
        return self._translator.sync(
            source_format, location, name, partition_spec, mode, writer=self._writer, timeout=timeout
        )
