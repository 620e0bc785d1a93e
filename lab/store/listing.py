"""Lists moto's objects as of one moment: its own listing fails (500) if another request deletes one meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moto.s3.utils import _VersionedKeyStore as Keys


def items(self: Keys) -> Iterator[tuple[str, Any]]:
    """Each key with its newest version. moto copies the keys, and then looks each one up among those still there."""
    for key, versions in self._self_iterable().items():
        yield key, versions[-1]


def list_at_one_moment() -> None:
    """For every bucket of this process."""
    Keys.items = items
