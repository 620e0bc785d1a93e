"""PostgreSQL as a process, of this machine's programs or else those of a wheel that pip installs into the cache."""

from __future__ import annotations

import glob
import os
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.servers.child import Child
from lab.stack.cache import Cache, key_of
from lab.stack.versions import postgres_versions
from xtable_audit.model.problem import Problem, last_line

READY_IN = 90.0
"""Seconds to wait until the server answers: container and process need 10 at a load of 20."""

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # Its data does not outlive the run.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "16MB",
    "max_connections": "40",
}
_PROTOCOL_3 = 196608


@dataclass(frozen=True)
class Postgres:
    """A database and its one account, with a password."""

    host: str
    port: int
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def jdbc_url(self) -> str:
        return f"jdbc:postgresql://{self.host}:{self.port}/{self.database}"

    def settings(self) -> list[str]:
        """The server's `-c name=value` arguments."""
        return [word for name, value in (*SETTINGS.items(), ("port", self.port)) for word in ("-c", f"{name}={value}")]

    def answers(self) -> bool:
        """Whether the server takes connections: it answers a start-up message by requesting the password.

        The message is that of PostgreSQL's documentation, "Frontend/Backend Protocol", StartupMessage. While it
        is starting, the server answers with an error.
        """
        words = b"".join(f"{word}\0".encode() for word in ("user", self.user, "database", self.database, ""))
        try:
            with socket.create_connection((self.host, self.port), timeout=2) as connection:
                connection.sendall(struct.pack("!ii", len(words) + 8, _PROTOCOL_3) + words)
                return connection.recv(1) == b"R"
        except OSError:
            return False


_USUAL_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


def find_programs(cache: Cache, report: Callable[[str], None]) -> Path:
    """The folder of `initdb` and `postgres`: PATH, usual folders, else the wheel's. Raises Problem if none is found."""
    for folder in _installed():
        if all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres")):
            return folder
    return from_pip(cache, report)


def _installed() -> Iterator[Path]:
    """First PATH's, with links resolved because the programs look for their parts beside them; then the newest."""
    if on_path := shutil.which("initdb"):
        yield Path(on_path).resolve().parent
    for pattern in _USUAL_FOLDERS:
        yield from (Path(found) for found in sorted(glob.glob(pattern), key=_numbers, reverse=True))


def _numbers(folder: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", folder)]


def from_pip(cache: Cache, report: Callable[[str], None]) -> Path:
    """The folder of the wheel's programs alone: run as root, its Python code would add an account to the system."""
    wanted = postgres_versions()

    def install(folder: Path) -> None:
        report(f"installing {wanted.wheel}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, "--no-deps", "--target", str(folder), wanted.wheel],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or not (folder / wanted.folder / "postgres").is_file():
            reason = last_line(done.stderr, "the package holds no PostgreSQL")
            raise Problem(
                f"No PostgreSQL was found and `pip install {wanted.wheel}` failed ({reason}). Install PostgreSQL, "
                "start Docker, or use --trino-catalog file."
            )

    key = key_of(wheel=wanted.wheel, platform=sys.platform, python=sys.version_info[:2])
    return cache.publish("postgres", key, install, {"wheel": wanted.wheel}) / wanted.folder


ACCOUNTS = ("postgres", "nobody")
STOPS_IN = 20.0
"""Seconds for a clean shutdown."""


@dataclass(frozen=True)
class PostgresAccount:
    """The account of the process. `prefix` goes before its command."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    gid: int | None = None

    def own(self, folder: Path) -> None:
        """Makes the folder and what is in it the account's."""
        if self.uid is None or self.gid is None:
            return
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.uid, self.gid, follow_symlinks=False)


def account() -> PostgresAccount:
    """This process's account, or an ordinary one if that is root. Raises Problem if there is none."""
    if os.geteuid() != 0:
        return PostgresAccount()
    setpriv = shutil.which("setpriv")
    for name in ACCOUNTS:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        if setpriv:
            become = (f"--reuid={found.pw_uid}", f"--regid={found.pw_gid}", "--clear-groups", "--pdeathsig=KILL")
            return PostgresAccount((setpriv, *become), found.pw_uid, found.pw_gid)
    missing = f"no account {' or '.join(ACCOUNTS)}" if setpriv else "no setpriv (of util-linux)"
    raise Problem(
        f"PostgreSQL does not run as root, and there is {missing} to run it as another. "
        "Run as an ordinary user, or use --trino-catalog file."
    )


def start(handle: Postgres, log: Path, cache: Cache, report: Callable[[str], None], setup: str) -> Callable[[], None]:
    """Starts the server; returns the function that stops it."""
    who = account()
    programs = find_programs(cache, report)
    scratch = Path(tempfile.mkdtemp(prefix="postgres-"))  # 0700, which PostgreSQL requires of its data folder
    try:
        if who.prefix and programs.is_relative_to(cache.root):  # a home folder may be closed to the account
            programs = _copied(programs, scratch)
        report("starting PostgreSQL")
        _prepare(handle, programs, scratch, who, setup)
    except BaseException:
        shutil.rmtree(scratch)
        raise
    options = ["-D", str(scratch / "data"), *handle.settings(), "-c", "unix_socket_directories="]
    command = [*who.prefix, str(programs / "postgres"), *options]
    server = Child("PostgreSQL", command, log=log, scratch=scratch, folder=scratch)

    def stop() -> None:
        _request_shutdown(server, scratch / "data" / "postmaster.pid")
        server.stop()

    try:
        server.wait_until(handle.answers, READY_IN)
    except BaseException:
        stop()
        raise
    return stop


def _copied(programs: Path, scratch: Path) -> Path:
    """The wheel's programs and libraries, inside the scratch folder."""
    wheel = programs.parents[2]
    copy = scratch / "programs"
    shutil.copytree(wheel, copy)
    return copy / programs.relative_to(wheel)


def _prepare(handle: Postgres, programs: Path, scratch: Path, who: PostgresAccount, setup: str) -> None:
    """Creates the data folder, the one account with its password, and what `setup` defines."""
    data, password = scratch / "data", scratch / "password"
    password.write_text(handle.password)
    who.own(scratch)
    options = ["--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8", "--no-locale", "--no-sync"]
    _run(who, [str(programs / "initdb"), "-D", str(data), "-U", handle.user, *options], scratch)
    password.unlink()
    if setup:  # single-user mode, where `;` and an empty line (-j) end a command
        single = ["--single", "-D", str(data), "-c", "exit_on_error=on", "-j", handle.database]
        _run(who, [str(programs / "postgres"), *single], scratch, f"{setup.strip()}\n\n")


def _run(who: PostgresAccount, command: Sequence[str], folder: Path, stdin: str = "") -> None:
    whole = [*who.prefix, *command]
    try:
        done = subprocess.run(
            whole, cwd=folder, input=stdin, capture_output=True, text=True, timeout=READY_IN, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Problem(f"PostgreSQL is not prepared after {READY_IN:.0f} s. Is the machine overloaded?") from error
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        words = [line.strip() for line in lines if re.search("FATAL|ERROR|error:", line)] or lines[-1:]
        raise Problem(
            f"PostgreSQL cannot be prepared in {folder} ({' '.join(words)[:300]}). Set TMPDIR to a folder that every "
            "account may enter, or use --trino-catalog file."
        )


def _request_shutdown(server: Child, pid_file: Path) -> None:
    """A fast shutdown: PostgreSQL ends its processes and frees its shared memory; a kill would leave both behind."""
    if not (server.running and pid_file.is_file()):
        return
    os.kill(int(pid_file.read_text().split()[0]), signal.SIGINT)
    deadline = time.monotonic() + STOPS_IN
    while server.running and time.monotonic() < deadline:
        time.sleep(0.02)
