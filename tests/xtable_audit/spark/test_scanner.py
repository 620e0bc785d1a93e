"""Spark's scanner: its packs, its task on recorded tables, and a cluster that loses an executor."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pyarrow as pa
import pyspark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.servers.child import free_port
from lab.stack.project import ROOT
from tests.wait_until import wait_until
from tests.xtable_audit.spark.little_work import environment
from tests.xtable_audit.spark.recorded_tables import Mirror, last_syncs, mirrored, table
from xtable_audit.model.scan_input import DataFiles, Wanted
from xtable_audit.packs import PACK_BYTES, PACK_FILES, Packing, from_bytes, to_bytes
from xtable_audit.scan import LocalScanner, Scanner, live_files
from xtable_audit.spark.scanner import SparkScanner, Task
from xtable_audit.table.stored_metrics import StoredMetrics
from xtable_audit.values.measured_rows import merge

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


@contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[str]:
    """The URL of a master, and workers of pip's PySpark, on 127.0.0.1. Each worker has one core."""
    master = f"spark://127.0.0.1:{free_port()}"
    with ExitStack() as stop:

        def start(name: str, *words: str) -> Path:
            log = folder / f"{name}.log"
            command = [
                str(Path(pyspark.__file__).parent / "bin" / "spark-class"),
                f"org.apache.spark.deploy.{words[0]}",
            ]
            with log.open("w") as file:
                child = subprocess.Popen([*command, *words[1:]], env=environment(), stdout=file, stderr=file)
            stop.callback(child.wait)
            stop.callback(child.kill)
            return log

        at = ["--host", "127.0.0.1", "--webui-port", str(free_port())]
        log = start("master", "master.Master", "--port", master.rpartition(":")[2], *at)
        wait_until(lambda: "Starting Spark master" in log.read_text(), "a master runs", 60)
        for number in range(workers):
            of_worker = ["--host", "127.0.0.1", "--webui-port", str(free_port()), "--cores", "1", "--memory", "1g"]
            log = start(f"worker{number}", "worker.Worker", *of_worker, "--work-dir", str(folder / "work"), master)
        wait_until(lambda: "Successfully registered" in log.read_text(), "workers are registered", 60)
        yield master


def executors(master: str) -> list[psutil.Process]:
    """The executors of this cluster's jobs."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if EXECUTOR in words and any(master.rpartition(":")[2] in word for word in _of_parents(process)):
            found.append(process)
    return found


def _of_parents(process: psutil.Process) -> list[str]:
    return [word for parent in process.parents() for word in parent.cmdline()]


SIZES = st.lists(st.sampled_from([0, 1, PACK_BYTES // 3, PACK_BYTES - 1, PACK_BYTES, 2 * PACK_BYTES]), max_size=20)
FEW = ("delta_vectors", "types_nan_index", "history_add_column", "edge_delta_blank_names", "delta_by_date")
"""Tables with deletes, with NaN, with an evolved schema, with odd names, with partitions."""


# the packs


@given(SIZES)
def test_each_file_is_in_one_pack_and_in_order(sizes: list[int]) -> None:
    assert [place for pack in Packing().packs(sizes) for place in pack] == list(range(len(sizes)))


@given(SIZES)
def test_a_pack_of_several_files_is_within_the_bytes(sizes: list[int]) -> None:
    assert all(len(pack) == 1 or sum(sizes[place] for place in pack) <= PACK_BYTES for pack in Packing().packs(sizes))


@given(SIZES)
def test_no_two_neighbours_would_fit_into_one_pack(sizes: list[int]) -> None:
    found = [sum(sizes[place] for place in pack) for pack in Packing().packs(sizes)]
    first = [sizes[pack[0]] for pack in Packing().packs(sizes)]
    assert all(size + following > PACK_BYTES for size, following in zip(found, first[1:], strict=False))


def test_a_pack_has_so_many_files_at_most() -> None:
    assert [len(pack) for pack in Packing().packs([0] * (2 * PACK_FILES + 1))] == [PACK_FILES, PACK_FILES, 1]


# the task


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    return mirrored(tmp_path_factory.mktemp("recorded"))


def work(scanner: Scanner, files: DataFiles, wanted: Wanted) -> pa.Table:
    return scanner.measure(files, wanted)


def on_executors(task: Task, files: DataFiles) -> pa.Table:
    """What executors make of it, each file in a pack of its own; the task crosses a process as Spark sends it."""
    sent = pickle.loads(pickle.dumps(task))
    batches = (
        pa.record_batch({"place": pa.array([place], pa.int32()), "files": [to_bytes(files.table.slice(place, 1))]})
        for place in range(len(files))
    )
    return merge([from_bytes(batch["rows"][0].as_py()) for batch in sent(batches)])


def test_the_task_measures_recorded_tables_as_this_machine_does(
    mirror: Mirror, subtests: pytest.Subtests, pytestconfig: pytest.Config
) -> None:
    """One table of each kind, as its name begins; with --every-table all."""
    names = [*last_syncs()]
    kinds = {name.partition("_")[0]: name for name in names}
    for name in names if pytestconfig.getoption("--every-table") else {*kinds.values(), *FEW}:
        stored = table(mirror, name)
        with subtests.test(name):
            files = live_files(mirror.objects(), stored)
            if len(files) > 100:
                files = replace(files, table=files.table.slice(0, 100))
            wanted = stored.native.wanted(stored)
            task = Task(mirror, replace(files, table=files.table.slice(0, 0)), partial(work, wanted=wanted))
            if len(files):
                assert on_executors(task, files).equals(LocalScanner(mirror.objects()).measure(files, wanted))


def test_an_executor_with_other_code_refuses(mirror: Mirror) -> None:
    stored: StoredMetrics = table(mirror, FEW[0])
    files = live_files(mirror.objects(), stored)
    task = Task(mirror, files, partial(work, wanted=stored.native.wanted(stored)), kernel="other")
    with pytest.raises(RuntimeError, match="another xtable_audit or pyarrow than the driver"):
        on_executors(task, files)


def test_no_files_are_measured_without_a_cluster(mirror: Mirror) -> None:
    stored = table(mirror, FEW[0])
    nothing = DataFiles(stored.data_files.table.slice(0, 0))
    scanner = SparkScanner(mirror, {}, None)  # type: ignore[arg-type]
    assert scanner.measure(nothing, stored.native.wanted(stored)).num_rows == 0


# a cluster


@pytest.mark.slow
def test_a_lost_executor_loses_nothing(tmp_path: Path) -> None:
    with cluster(tmp_path) as master:
        command = [sys.executable, "-m", "tests.xtable_audit.spark.on_cluster", master, str(tmp_path)]
        job = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: (tmp_path / "begun").exists() or job.poll() is not None, "a file is opened", 120)
        lost = executors(master)
        lost[0].kill()
        said, errors = job.communicate(timeout=200)
    assert said.decode() == "alike\n", errors.decode()[-3000:]
    assert b"Lost executor" in errors
