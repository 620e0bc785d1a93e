"""A store in which some files are opened only when as many are asked for: who reads one after another waits in vain."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from threading import Barrier

import pyarrow as pa
from pyarrow import fs

from xtable_audit.model.objects import Objects

AT_ONCE = 4


@dataclass(frozen=True)
class OpenedTogether(Objects):
    """On a disk, as of a store that is asked for AT_ONCE files at once. A pattern says which are opened together."""

    named: str = field(kw_only=True)
    barrier: Barrier = field(default_factory=lambda: Barrier(AT_ONCE, timeout=20))

    def open(self, uri: str) -> pa.NativeFile:
        if re.search(self.named, uri):
            self.barrier.wait()
        return super().open(uri)


def opened_together(named: str) -> OpenedTogether:
    return OpenedTogether(fs.LocalFileSystem(), at_once=AT_ONCE, named=named)
