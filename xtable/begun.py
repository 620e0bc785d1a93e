"""A translator by another writer or reader than a sync asks for, as the first syncs of an upgrade in place may need."""

from __future__ import annotations

from xtable.sync import Translator
from xtable.writer import ICEBERG, Writer
from xtable_audit.model.sync import Sync


class Begun(Translator):
    """A running translator that writes by `writer`, whatever a sync asks for, and reads by Delta Kernel, or does not.

    It has no JVM of its own.
    """

    def __init__(self, translator: Translator, writer: Writer, *, by_kernel: bool = False) -> None:
        self.release = translator.release
        self._translator = translator
        self._writer = writer
        self._by_kernel = by_kernel

    def sync(
        self,
        source_format: str,
        location: str,
        name: str,
        partition_spec: str = "",
        mode: str = "INCREMENTAL",
        *,
        writer: Writer = ICEBERG,
        by_kernel: bool = False,
        timeout: float = 300,
    ) -> Sync:
        return self._translator.sync(
            source_format, location, name, partition_spec, mode,
            writer=self._writer, by_kernel=self._by_kernel, timeout=timeout,
        )  # fmt: skip
