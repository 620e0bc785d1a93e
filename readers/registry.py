"""The readers by the ids users type. A reader that is not asked for is neither imported nor started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from readers.base import Reader, ReaderFactory
from stack.problem import Problem
from store.s3 import Store


@dataclass(frozen=True)
class Adapter:
    """Where a reader's adapter is, and what it stands on."""

    module: str
    cls: str
    package: str
    """What pip installs and Python imports; its version is the reader's."""
    can_plan: bool = False


ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        "pyiceberg": Adapter("readers.pyiceberg_reader", "PyIcebergReader", "pyiceberg", can_plan=True),
        "duckdb": Adapter("readers.duckdb_reader", "DuckDBReader", "duckdb"),
        "clickhouse": Adapter("readers.clickhouse_reader", "ClickHouseReader", "chdb"),
        "polars": Adapter("readers.polars_reader", "PolarsReader", "polars"),
        "daft": Adapter("readers.daft_reader", "DaftReader", "daft"),
    }
)
READERS: tuple[str, ...] = tuple(ADAPTERS)
PACKAGES: Mapping[str, str] = MappingProxyType({name: adapter.package for name, adapter in ADAPTERS.items()})
"""Reader id -> what pip installs, whose version is the reader's."""


def open_reader(name: str, store: Store) -> Reader:
    """The reader of that id over `store`, in a process of its own, which may still be loading.

    Raises Problem for an unknown id or a package that is not installed.
    """
    if name not in ADAPTERS:
        raise Problem(f"there is no reader {name}; the known ones are {', '.join(ADAPTERS)}")
    adapter = ADAPTERS[name]
    if find_spec(adapter.package) is None:
        raise Problem(f"reader {name} is not installed: pip install {adapter.package}")
    from readers.apart import ReaderApart

    return ReaderApart(name, adapter.can_plan, store)


def load(adapter: Adapter) -> ReaderFactory:
    """The adapter's class, imported now."""
    factory: ReaderFactory = getattr(import_module(adapter.module), adapter.cls)
    return factory
