"""Runs the writer of shipping_address as a child process that cannot outlive its parent."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.stack.project import ROOT
from spark_jobs.launch import output_of
from spark_jobs.shipping.arguments import PROGRAM
from spark_jobs.shipping.layout import DEFAULT_ROWS
from spark_jobs.shipping.variant import Variant
from xtable_audit.access.s3 import S3

PARTS = (
    "shipping_address",
    *(f"shipping/{part}" for part in ("states", "layout", "variant", "table", "facts", "session")),
)

SHIPS: dict[str, Variant] = {
    "ship_random": Variant("random", "both"),
    "ship_sorted": Variant("sorted", "both"),
    "ship_columns": Variant("random", "column"),
}
"""The three tables that separate the layers of Hudi's skipping, by their folders."""

SOURCES = tuple(ROOT / "spark_jobs" / f"{name}.py" for name in PARTS)
"""The files whose text decides what a table holds, for a cache's key."""


def run_ships(
    folder: Path | str,
    variants: Mapping[str, Variant] = SHIPS,
    *,
    hudi: str,
    files: int,
    table_version: int | None = None,
    jars: Sequence[Path],
    java_home: Path,
    log: Path,
    timeout: float,
    store: S3 | None = None,
    rows_per_file: int = DEFAULT_ROWS,
) -> dict[str, dict[str, Any]]:
    """Writes the tables below `folder` (local, or `s3://…` in `store`) in one JVM; the script's JSON by their names.

    `log` receives all that the script and its JVM say; `timeout` is in seconds. Raises Problem with the script's own
    sentence, or with the last lines of the log that mean something. However this ends, no process of it is left.
    """
    kinds = [word for name, variant in variants.items() for word in ("--variant", f"{variant}={name}")]
    results = _run(
        folder, kinds, hudi, files, rows_per_file, table_version, jars, java_home, log=log, timeout=timeout, store=store
    )
    return dict(zip(variants, results, strict=True))


def _run(
    target: Path | str,
    kinds: Sequence[str],
    hudi: str,
    files: int,
    rows_per_file: int,
    table_version: int | None,
    jars: Sequence[Path],
    java_home: Path,
    *,
    log: Path,
    timeout: float,
    store: S3 | None,
) -> list[dict[str, Any]]:
    from spark_jobs.shipping.table import NAME  # late: it brings PySpark, which the caller has no need of

    place = str(target.absolute()) if isinstance(target, Path) else target
    command = [sys.executable, "-m", PROGRAM, place, *kinds, "--hudi", hudi, "--files", str(files)]
    command += ["--rows-per-file", str(rows_per_file), "--jars", ",".join(map(str, jars))]
    command += ["--java-home", str(java_home)]
    command += ["--table-version", str(table_version)] if table_version is not None else []
    further = store.environment() if store else {}
    lines = output_of(command, NAME, log=log, timeout=timeout, further=further).decode().splitlines()
    return [json.loads(line) for line in lines]
