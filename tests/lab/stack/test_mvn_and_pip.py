"""What other programs bring: class paths by Maven, here a stand-in that lists jars it is given, and packages by pip."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from lab.stack.cache import Cache
from lab.stack.classpath import ClassPaths
from lab.stack.download import fetch_reporting
from lab.stack.jars import resolve_jars
from lab.stack.maven_repositories import NotServed, Repositories
from lab.stack.packages import installed
from lab.stack.versions import maven
from tests.lab.stack.conftest import FakeMaven, Server, checksum
from xtable_audit.model.problem import Problem

# How Maven is found and what is kept of its answers.

STUB = """#!{python}
import os, pathlib, sys
folder = pathlib.Path(__file__).parent
if sys.argv[1:] == ["--version"]:
    sys.exit(print("Apache Maven " + (folder / "version").read_text() + " (a revision)"))
with open(folder / "asked", "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
if (folder / "error").exists():
    print("[INFO] Scanning\\n" + (folder / "error").read_text())
    sys.exit(1)
[listed] = [word.partition("=")[2] for word in sys.argv if word.startswith("-Dmdep.outputFile=")]
pathlib.Path(listed).write_text((folder / "answer").read_text())
"""
PATH = PurePosixPath("org/example/big/1.0/big-1.0.jar")


class Stub:
    """An `mvn` on PATH that answers `jars`, or fails with the words of `error`. `asked` has a line a call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.program = folder / "mvn"
        self.program.write_text(STUB.format(python=sys.executable))
        self.program.chmod(0o755)
        self.is_of("3.9.2")

    def is_of(self, version: str) -> None:
        (self.folder / "version").write_text(version)

    def answers(self, *jars: Path) -> None:
        (self.folder / "answer").write_text(os.pathsep.join(map(str, jars)))

    def fails(self, printed: str) -> None:
        (self.folder / "error").write_text(printed)

    @property
    def asked(self) -> list[str]:
        log = self.folder / "asked"
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stub:
    made = Stub(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(made.folder), prepend=os.pathsep)
    return made


Paths = Callable[[], ClassPaths]


def test_maven_reads_the_local_repository_and_writes_into_the_suites_copy(
    installed: FakeMaven, paths: Paths, stub: Stub
) -> None:
    stub.answers(installed.add("a:a:1"))
    resolve_jars(("a:a:1",), paths=paths())
    [command] = stub.asked
    assert f"-Dmaven.repo.local={paths().repositories.cached} " in command
    assert f"-Dmaven.repo.local.tail={installed.root} " in command


def test_mavens_answer_is_remembered(installed: FakeMaven, paths: Paths, stub: Stub) -> None:
    jars = installed.add("a:a:1"), installed.add("b:b:2")
    stub.answers(*jars)
    assert {resolve_jars(("a:a:1",), paths=paths()) for _ in range(2)} == {jars}
    assert len(stub.asked) == 1


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_maven_is_asked_again_once_a_jar_is(installed: FakeMaven, paths: Paths, stub: Stub, how: str) -> None:
    jar = installed.add("a:a:1")
    stub.answers(jar)
    resolve_jars(("a:a:1",), paths=paths())
    if how == "gone":
        jar.unlink()
        installed.add("a:a:1")
    else:
        os.utime(jar, ns=(1, 1))
    resolve_jars(("a:a:1",), paths=paths())
    assert len(stub.asked) == (2 if how == "changed" or jar.stat().st_mtime_ns else 1)


def test_a_jar_cut_off_in_the_local_repository_is_refused(installed: FakeMaven, paths: Paths, stub: Stub) -> None:
    jar = installed.add("a:a:1")
    jar.write_bytes(jar.read_bytes()[:100])
    stub.answers(jar)
    with pytest.raises(Problem, match=r"a-1\.jar is damaged or cut off\. Delete it"):
        resolve_jars(("a:a:1",), paths=paths())


ERRORS = {
    "of one line": ("[ERROR] Non-resolvable parent POM: a:b:1 -> [Help 1]\n[ERROR] To see more", "a:b:1"),
    "with causes": ("[ERROR] Failed to execute goal\n[ERROR] dependency: c:c:1\n[ERROR] \tc:c:1 is not there", "c:c:1"),
    "of a pom": ("[ERROR] [ERROR] Some problems:\n[FATAL] Non-resolvable parent POM: d:d:1 @ line 3", "d:d:1"),
    "of nothing": ("", "exit code 1"),
}


@pytest.mark.parametrize(("printed", "cause"), ERRORS.values(), ids=ERRORS.keys())
def test_a_failure_is_mavens_first_cause_on_one_line(paths: Paths, stub: Stub, printed: str, cause: str) -> None:
    stub.fails(printed)
    with pytest.raises(Problem) as raised:
        resolve_jars(("a:a:1",), paths=paths())
    assert re.fullmatch(rf"Maven: [^\n]*{cause}[^\n]*\.", str(raised.value))
    assert "Help" not in str(raised.value)


def serve(remote: FakeMaven, path: str, content: bytes) -> None:
    file = remote.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    checksum(file)


def test_an_older_maven_is_not_taken_but_one_downloaded(
    tmp_path: Path, installed: FakeMaven, remote: FakeMaven, paths: Paths, stub: Stub
) -> None:
    name, archive = f"apache-maven-{maven().version}", tmp_path / "maven.zip"
    downloaded = Stub(tmp_path / "served")
    downloaded.answers(installed.add("a:a:1"))
    with zipfile.ZipFile(archive, "w") as content:
        for file in downloaded.folder.iterdir():
            content.write(file, f"{name}/bin/{file.name}")
    serve(remote, f"org/apache/maven/apache-maven/{maven().version}/{name}-bin.zip", archive.read_bytes())
    stub.is_of("3.9.1")
    assert [jar.name for jar in resolve_jars(("a:a:1",), paths=paths())] == ["a-1.jar"]
    assert stub.asked == []


def test_where_no_maven_comes_the_sentence_says_which_to_install(paths: Paths, stub: Stub) -> None:
    stub.is_of("3.8.7")
    with pytest.raises(Problem, match=r"-bin\.zip is not there\..* Or install Maven 3\.9\.2 or newer"):
        resolve_jars(("a:a:1",), paths=paths())


def test_each_megabyte_of_a_large_artefact_is_shown(remote: FakeMaven, repositories: Repositories) -> None:
    serve(remote, str(PATH), b"x" * 2_500_000)
    reported: list[str] = []
    assert fetch_reporting(repositories, PATH, "Big 1.0", reported.append).stat().st_size == 2_500_000
    assert reported == ["downloading Big 1.0, 1 of 2 MB", "downloading Big 1.0, 2 of 2 MB"]


def test_an_artefact_on_this_machine_is_not_requested(
    installed: FakeMaven, repositories: Repositories, server: Server
) -> None:
    here = installed.add("org.example:big:1.0")
    assert fetch_reporting(repositories, PATH, "Big 1.0", print) == here
    assert not server.requested


def test_an_artefact_missing_from_the_repository_is_reported(repositories: Repositories) -> None:
    with pytest.raises(NotServed, match=r"big-1\.0\.jar is not there"):
        fetch_reporting(repositories, PATH, "Big 1.0", print)


# Python packages for a process of its own, which pip installs into the cache.

METADATA = "Metadata-Version: 2.1\nName: lonely\nVersion: 1.0\nRequires-Dist: nowhere-to-be-found==9\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A package that asks for one that no registry has."""
    path = tmp_path / "lonely-1.0-py3-none-any.whl"
    info = "lonely-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as content:
        content.writestr("lonely.py", "answer = 42\n")
        content.writestr(f"{info}/METADATA", METADATA)
        content.writestr(f"{info}/WHEEL", WHEEL)
        content.writestr(f"{info}/RECORD", "")
    return path


def test_a_package_comes_without_what_it_depends_on(wheel: Path, tmp_path: Path) -> None:
    folder = installed("lonely", [str(wheel)], Cache(tmp_path / "cache"))
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import lonely; print(lonely.answer)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "42\n"


def test_it_is_installed_once(wheel: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    folder = installed("lonely", [str(wheel)], cache)
    wheel.unlink()
    assert installed("lonely", [str(wheel)], cache) == folder


def test_a_package_that_pip_does_not_find_is_one_sentence(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    with pytest.raises(Problem, match=r"`pip install .*nowhere\.whl` failed: "):
        installed("lonely", [str(tmp_path / "nowhere.whl")], cache)
    assert not [*(cache.root / "lonely").glob("*/complete.json")]
