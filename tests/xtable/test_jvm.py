"""A JVM never outlives the Python that started it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.stack.java import find_java
from xtable.jvm import Jvm
from xtable.settings import check_zone
from xtable_audit.model.problem import Problem

pytestmark = pytest.mark.jvm

End = Callable[["subprocess.Popen[str]"], None]

# Starts a JVM, prints its process id, and then waits: in Python, or inside a call of the JVM.
PARENT = """
import sys
from pathlib import Path
from xtable.jvm import Jvm

jvm = Jvm(Path(sys.argv[1]), [], Path(sys.argv[2]))
print(jvm.process.pid, flush=True)
if sys.argv[3] == "in the JVM":
    jvm.java.java.lang.Thread.sleep(600_000)
sys.stdin.readline()
"""


def ended(pid: int, seconds: float = 20) -> bool:
    """Whether the process ends within the time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def kill(parent: subprocess.Popen[str]) -> None:
    parent.kill()


def interrupt_like_a_terminal(parent: subprocess.Popen[str]) -> None:
    os.killpg(parent.pid, signal.SIGINT)


def finish(parent: subprocess.Popen[str]) -> None:
    assert parent.stdin is not None
    parent.stdin.close()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a grandchild's end needs Linux")
@pytest.mark.parametrize(
    ("end", "waiting"),
    [
        (kill, "in Python"),
        (kill, "in the JVM"),
        (interrupt_like_a_terminal, "in Python"),
        (interrupt_like_a_terminal, "in the JVM"),
        (finish, "in Python"),
    ],
    ids=["killed", "killed-in-a-call", "interrupted", "interrupted-in-a-call", "finished"],
)
def test_the_jvm_ends_with_its_parent(
    tmp_path: Path, end: Callable[[subprocess.Popen[str]], None], waiting: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(find_java()), str(tmp_path / "console.log"), waiting],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        end(parent)
        assert ended(pid)


def test_the_jvm_listens_on_the_loopback_address_alone(tmp_path: Path) -> None:
    with Jvm(find_java(), [], tmp_path / "console.log") as jvm:
        gateway = jvm.java.py4j.GatewayServer
        assert gateway.defaultAddress().getHostAddress() == "127.0.0.1"


def test_a_stopped_jvm_is_gone(tmp_path: Path) -> None:
    with Jvm(find_java(), [], tmp_path / "console.log") as jvm:
        pass
    assert not jvm.alive


def test_the_class_path_may_be_longer_than_one_argument_can_be(tmp_path: Path) -> None:
    jars = [tmp_path / f"{'x' * 200}{number}.jar" for number in range(1000)]
    with Jvm(find_java(), jars, tmp_path / "console.log") as jvm:
        assert len(jvm.java.java.lang.System.getProperty("java.class.path")) > 131_072


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_the_jvm_runs_in_its_zone_whatever_that_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    with Jvm(find_java(), [], tmp_path / "console.log", zone=zone) as jvm:
        java = jvm.java.java
        assert (java.util.TimeZone.getDefault().getID(), java.time.ZoneId.systemDefault().getId()) == (zone, zone)


def test_a_zone_that_java_does_not_know_is_refused(tmp_path: Path) -> None:
    """Python's database has a zone of this name, and Java would run in GMT."""
    with pytest.raises(Problem, match=r"--zone 'Factory': the Java of .* does not know this time zone"):
        Jvm(find_java(), [], tmp_path / "console.log", zone=check_zone("Factory"))


def test_a_jvm_that_does_not_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"did not start: .*console\.log"):
        Jvm(find_java(), [], tmp_path / "console.log", ["-XX:NoSuchOption"])
