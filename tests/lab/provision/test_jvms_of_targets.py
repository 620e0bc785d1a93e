"""In which JVMs the targets of XTable run that reach one address of the store, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.provision.plan import Plan
from lab.provision.translator_pool import Pool
from lab.provision.xtable_jvms import XTableJvms
from xtable.writer import ICEBERG, ICEBERG_BY_KERNEL, KERNEL, STANDALONE, Writer


class Copies:
    """Stands in for the copies of tables in a store."""

    tables = None

    @contextmanager
    def emptied(self, prefix: str) -> Iterator[None]:
        yield


def pool_of(jvms: XTableJvms, writer: Writer) -> Pool:
    dataset: Any = SimpleNamespace(recipe=SimpleNamespace(name="good_layout"), prefix="tables/good_layout")
    with jvms.reached(dataset, writer) as (pool, _):
        return pool


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [(STANDALONE, KERNEL, False), (ICEBERG, ICEBERG_BY_KERNEL, True)],
    ids=["Delta", "Iceberg"],
)
def test_only_the_targets_of_delta_have_jvms_of_their_own(
    one: Writer, other: Writer, shared: bool, tmp_path: Path
) -> None:
    copies: Any = Copies()
    disk: Any = SimpleNamespace(mounted=lambda: None)
    jvms = XTableJvms(Plan(target=one.target, sync_through="store"), "0.4.0-incubating", disk, copies, tmp_path)
    assert (pool_of(jvms, one) is pool_of(jvms, other)) is shared
    assert pool_of(jvms, one) is pool_of(jvms, one)
