"""Runs the scripts that write datasets as child processes that cannot outlive their parent."""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from lab.stack.project import ROOT
from spark_jobs.child import CHILD
from spark_jobs.recipes import Recipe
from spark_jobs.shipping.arguments import PROGRAM
from spark_jobs.shipping.layout import DEFAULT_ROWS
from spark_jobs.shipping.variant import Variant
from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem

ERROR = re.compile(r"Error|Exception|Caused by|Killed|No space|OutOfMemory")
STACK = re.compile(r"at |File \"|\.\.\. \d+ more")
LINES_SHOWN = 3


def run(
    recipe: Recipe,
    target: str,
    store: S3 | None,
    *,
    scale: float,
    seed: int,
    tlc: Path | None,
    year: int,
    jars: Sequence[Path],
    java_home: Path,
    log: Path,
    timeout: float,
) -> dict[str, Any]:
    """Writes the dataset at `target` (`store` is None for a local folder) and returns the script's JSON.

    `log` receives the output of the script and its JVM. `timeout` is in seconds. Raises Problem with the script's own
    sentence, or with the last lines of the log that mean something. However this ends, no process of it is left.
    """
    command = [sys.executable, "-m", recipe.module, target, "--jars", ",".join(map(str, jars))]
    command += ["--java-home", str(java_home), "--seed", str(seed), "--year", str(year)]
    command += ["--tlc", str(tlc.absolute())] if tlc else ["--scale", repr(scale)]
    further = store.environment() if store else {}
    return dict(json.loads(output_of(command, recipe.name, log=log, timeout=timeout, further=further)))


def output_of(
    command: Sequence[str], writes: str, *, log: Path, timeout: float, further: Mapping[str, str] | None = None
) -> bytes:
    """Runs a script of ours and returns its stdout; the rest of its output goes to `log`.

    `writes` names what it writes, `further` are variables of its environment, `timeout` is in seconds. Raises Problem
    with the script's own sentence, or with the last lines of the log that mean something. However this ends, no
    process of it is left.
    """
    with started(command, log, further) as job:
        try:
            answer, _ = job.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as late:
            raise Problem(f"Writing {writes} took more than {timeout:g} s and was ended. Log: {log}") from late
    if job.returncode != 0:
        raise Problem(reason(writes, job.returncode, log))
    return answer


@contextlib.contextmanager
def started(
    command: Sequence[str], log: Path, further: Mapping[str, str] | None = None, *, pass_fds: Sequence[int] = ()
) -> Iterator[subprocess.Popen[bytes]]:
    """A running script of ours: its stdout is a pipe, the rest of its output goes to `log`. It ends with the block.

    `further` are variables of its environment, `pass_fds` open files that it may use.
    """
    with tempfile.TemporaryDirectory(prefix="xtable-audit-spark-") as scratch, log.open("wb") as output:
        ours, childs = pipe()
        with (
            ours,
            childs,
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | dict(further or {}) | {CHILD: "1", "TMPDIR": scratch},
                stdin=childs,  # never written to: it closes when this process ends
                stdout=subprocess.PIPE,
                stderr=output,
                pass_fds=pass_fds,
                start_new_session=True,  # Ctrl-C in a terminal reaches the parent alone, which then ends the job
            ) as job,
        ):
            try:
                yield job
            finally:
                end(job)


def line_of(job: subprocess.Popen[bytes], writes: str, *, log: Path, timeout: float) -> bytes:
    """The next line that a started job prints. Raises Problem if none begins within `timeout` seconds, or at all."""
    assert job.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(job.stdout, selectors.EVENT_READ)
        if not selector.select(timeout):
            raise Problem(f"Writing {writes} took more than {timeout:g} s and was ended. Log: {log}")
    line = job.stdout.readline()
    if not line:
        raise Problem(reason(writes, job.wait(), log))
    return line


def pipe() -> tuple[IO[bytes], IO[bytes]]:
    """A pipe's writing and reading end."""
    reading, writing = os.pipe()
    return os.fdopen(writing, "wb"), os.fdopen(reading, "rb")


def end(job: subprocess.Popen[bytes]) -> None:
    """Ends the job and its JVM, which are a process group of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()


def reason(writes: str, code: int, log: Path) -> str:
    """Why a job failed: its own last sentence for exit code 2, else the lines of its log that name errors."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    if code == 2 and lines:
        return lines[-1]
    errors = [line for line in lines if ERROR.search(line) and not STACK.match(line)] or lines
    return f"Writing {writes} failed (exit code {code}): {' | '.join(errors[-LINES_SHOWN:])} Its log: {log}"


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
