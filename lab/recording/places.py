"""Where the tables of a recording lie while a release translates them: in a store of their own, or on this disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.store import moto, objects
from lab.store.address import BUCKET, Workspace
from lab.store.disk import Disk
from lab.store.tables import InStore, Tables


@dataclass(frozen=True)
class Places:
    """`tables` is what XTable is started for, `of` the place of one table, by its prefix, empty at first."""

    tables: Tables
    of: Callable[[str], AbstractContextManager[Tables]]


@contextmanager
def places(through: str) -> Iterator[Places]:
    """New ones, since each release translates a table at the same address.

    `through` is `store`, `mount`, or `local`: the mount at addresses of the local disk.
    """
    if through != "store":
        with tempfile.TemporaryDirectory(prefix="xtable-audit-record-") as folder:
            disk = Disk(Path(folder), BUCKET)
            if through == "mount":
                yield Places(disk.mounted(), disk.in_translation)
            else:
                yield Places(disk.mounted_locally(), lambda prefix: _locally(disk, prefix))
        return
    with moto.start() as running:
        store = running.store
        yield Places(InStore(store), lambda prefix: _in_store(store, prefix))


@contextmanager
def _locally(disk: Disk, prefix: str) -> Iterator[Tables]:
    with disk.in_translation(prefix):
        yield disk.mounted_locally()


@contextmanager
def _in_store(store: Workspace, prefix: str) -> Iterator[Tables]:
    yield InStore(store)
    objects.delete(store, prefix)
