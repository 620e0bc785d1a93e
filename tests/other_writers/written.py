"""What a writer left, on this disk: a mirror of its bucket, the rows that its engine shows, and its account of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.other_writers.entry import Stage, Written


def shown_in(folder: Path, name: str) -> Path:
    """The Parquet file of the rows that the engine shows of that table."""
    return folder / f"{name}.parquet"


def account(name: str, stages: Iterable[Stage]) -> dict[str, Any]:
    return {"name": name, "stages": [asdict(one) for one in stages]}


def keep(folder: Path, written: Written) -> dict[str, Any]:
    """Its account."""
    pq.write_table(written.shown, shown_in(folder, written.name))
    return account(written.name, written.stages)


def read(folder: Path, accounts: Iterable[Mapping[str, Any]]) -> dict[str, Written]:
    """By name."""
    return {one["name"]: _read(folder, **one) for one in accounts}


def _read(folder: Path, name: str, stages: Iterable[Mapping[str, Any]]) -> Written:
    shown = pq.read_table(shown_in(folder, name), coerce_int96_timestamp_unit="us")
    return Written(name, tuple(Stage(**{**one, "files": tuple(one["files"])}) for one in stages), shown)
