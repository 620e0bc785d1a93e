"""Spark leaves nothing of itself behind: in this process, or as a JVM that outlives the one that wanted its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import py4j.java_gateway
import py4j.protocol
import pytest
from pyspark.sql import SparkSession

from lab.stack.project import ROOT
from spark_jobs import session
from tests.wait_until import wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow]
PARENT = """
import sys
from pathlib import Path
from spark_jobs.launch import run
from spark_jobs.recipes import RECIPES
folder, java_home, *jars = map(Path, sys.argv[1:])
run(RECIPES["bad_layout"], str(folder / "table"), None, scale=1, seed=7, tlc=None, year=2023,
    jars=jars, java_home=java_home, log=folder / "log", timeout=600)
"""


@pytest.fixture
def parent(jars: tuple[Path, ...], java_home: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs a long job, whose JVM is up. Its scratch, and so its JVM's arguments, are below tmp_path."""
    command = [sys.executable, "-c", PARENT, str(tmp_path), str(java_home), *map(str, jars)]
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)}) as process:
        wait_until(lambda: bool(running(f"java.io.tmpdir={tmp_path}")), "the JVM is up", 60)
        yield process
        process.kill()


def running(text: str) -> list[int]:
    """The processes whose command line holds that text."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if text in line]


# A session in this process leaves nothing of itself behind.


@dataclass(frozen=True)
class Followed:
    """One session, a second one beside it, and a third one after it."""

    rows: tuple[int, int]
    """What the first and the third count."""
    refused: str
    """The words for the second."""
    errors_are_py4js_own: tuple[bool, bool]
    """While the first is open, and once it is gone."""


@pytest.fixture(scope="module")
def followed(jars: tuple[Path, ...], java_home: Path) -> Followed:
    def opened(name: str) -> AbstractContextManager[SparkSession]:
        return session.opened(name, jars, java_home, None, cores=1, memory="1g")

    def own() -> bool:
        return py4j.java_gateway.get_return_value is py4j.protocol.get_return_value

    with opened("first") as spark:
        first, during = spark.range(3).count(), own()
        with pytest.raises(RuntimeError) as refused, opened("second"):
            pytest.fail("the second session was opened")
    after = own()
    with opened("third") as spark:
        return Followed((first, spark.range(3).count()), str(refused.value), (during, after))


def test_errors_of_other_jvms_are_py4js_own_after_a_session(followed: Followed) -> None:
    assert followed.errors_are_py4js_own == (False, True)


def test_one_session_may_follow_another(followed: Followed) -> None:
    assert followed.rows == (3, 3)


def test_a_second_session_beside_an_open_one_is_refused(followed: Followed) -> None:
    assert "this process has one open" in followed.refused


# No JVM outlives the process that wanted its work, however that process ends.


def test_nothing_is_left_after_kill_9_of_the_parent(parent: subprocess.Popen[bytes], tmp_path: Path) -> None:
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_until(lambda: not running(str(tmp_path)), "job and JVM are gone", 60)


def test_nothing_is_left_after_ctrl_c_of_the_parent(parent: subprocess.Popen[bytes], tmp_path: Path) -> None:
    parent.send_signal(signal.SIGINT)
    parent.wait()
    wait_until(lambda: not running(str(tmp_path)), "job and JVM are gone", 60)


def test_nothing_is_left_after_kill_9_of_the_job(parent: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (job,) = running(f"-m spark_jobs.bad_layout {tmp_path}")
    os.kill(job, signal.SIGKILL)
    wait_until(lambda: not running(f"java.io.tmpdir={tmp_path}"), "the JVM is gone", 60)
